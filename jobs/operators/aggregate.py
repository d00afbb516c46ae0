"""aggregate: measures per group and window (`docs/semantics/aggregate.md`)."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import Problem, has_errors, problem, warning
from jobs.base.schemas import Field, Schema
from jobs.base.types import TIMESTAMP, is_key_type, type_text
from jobs.expressions import Expression
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.expression_checks import field_over, measure_over
from jobs.operators.late_rows import PORT, check_late_port, late_relation, read_for_late_port
from jobs.operators.measure_binding import bind_measure
from jobs.operators.measures import BoundMeasure
from jobs.operators.output_fields import check_count, check_name
from jobs.operators.parameters import DurationText, ExpressionText, NameText, Parameters, check_duration
from jobs.operators.projection import Column
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import APPEND_ONLY, UPDATE_ONLY, Needed, OutputMode, StateBound, expression_fields
from jobs.operators.select import FieldChoice, columns_of
from jobs.operators.windows import AnyWindow, Window, WindowChoice, check_window

MAX_KEYS: Final = 16
MAX_MEASURES: Final = 100
WINDOW_FIELDS: Final = ("window_start", "window_end")

Path = tuple[str, ...]


class AggregateStep(Parameters):
    """Measures per group (`by`, may be empty) and window.

    `emit` update writes a result whenever it changed; final writes it once, when its window can no longer change. Session
    and sliding windows have final results only, which is their default.
    `grace` is how long a window still takes rows after the watermark passed its end.
    `late` rows are counted and dropped, or with dead_letter flow out of ``step.late`` too.
    """

    op: Literal["aggregate"]
    input: NameText
    window: WindowChoice = None
    grace: DurationText = "0s"
    by: FieldChoice = []  # noqa: RUF012
    measures: dict[str, ExpressionText]
    emit: Literal["update", "final"] = "update"
    late: Literal["drop", "dead_letter"] = "drop"

    @property
    def emission(self) -> Literal["update", "final"]:
        """How results are emitted; windows that the rows make give final results unless the document says otherwise."""
        return "final" if _row_made(self.window) and "emit" not in self.model_fields_set else self.emit


@dataclass(frozen=True, slots=True)
class AggregateBound:
    """What the lowering needs. `window` None is one group of all rows ever.

    `slack` is the input's slack plus `grace`: a window closes when end + slack ≤ the closing watermark. `dead_letters`: late
    rows flow out of the late port.
    """

    window: AnyWindow | None
    grace: Duration
    by: tuple[tuple[str, Expression], ...]
    measures: tuple[BoundMeasure, ...]
    emit: Literal["update", "final"]
    slack: Duration
    dead_letters: bool = False


def fields_read(bound: AggregateBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What keys and measures read, whether their values are read or not: they are state; and what is read of late rows."""
    measures = (e for m in bound.measures for e in (*m.arguments, m.where) if e is not None)
    late_fields = read_for_late_port(needed.get(PORT, frozenset()))
    return (expression_fields(e for _, e in bound.by) | expression_fields(measures) | late_fields,)


def realtime(bound: AggregateBound) -> str:
    """Final results need the end of a batch, late rows its watermark."""
    if bound.emit == "final":
        return "emits final results, which needs micro-batch mode."
    return "outputs its late rows, which needs micro-batch mode." if bound.dead_letters else ""


def output_modes(bound: AggregateBound) -> frozenset[OutputMode]:
    """Final results come in append mode, updates in update mode."""
    return APPEND_ONLY if bound.emit == "final" else UPDATE_ONLY


def drops_late_rows(bound: AggregateBound) -> bool:
    """Windows close; a group of all rows does not."""
    return bound.window is not None


def state(bound: AggregateBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """One entry per open window and group."""
    if isinstance(bound.window, SlidingSpec):
        return StateBound(
            "bounded", f"rows of the last {bound.window.size} plus the watermark delay, dropped when no open window contains them"
        )
    if isinstance(bound.window, SessionSpec):
        return StateBound("bounded", "one entry per open session, dropped when it closes")
    if bound.window is not None:
        return StateBound("bounded", "one entry per open window and group, dropped when the window closes")
    if not bound.by:
        return StateBound("bounded", "one entry")
    return StateBound("unbounded", "one entry per group, never dropped")


def check(params: AggregateStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[AggregateBound]:
    """Append → upsert by window and group (update), or append (final); the late port takes the input's rows."""
    source = inputs[0]
    window, grace, problems = _check_time(params, path)
    problems += _check_emission(params, source, path)
    keys, found = _check_keys(params, source, path)
    problems += found
    measures, found = _check_measures(params, source, path)
    problems += found
    names = (*(WINDOW_FIELDS if params.window else ()), *(key.name for key in keys), *params.measures)
    problems += _check_names(params, names, path)
    problems += check_count(len(names), (*path, "measures")) if params.measures else []
    slack = Duration(source.slack.us + grace.us) if params.window else source.slack
    by = tuple((key.name, key.expression) for key in keys if key.expression is not None)
    output = replace(_output(params, by, measures, names, slack), spark_slack=source.spark_slack)
    ports = {PORT: late_relation(source)} if params.late == "dead_letter" else {}
    if has_errors(problems) or len(by) < len(keys) or len(measures) < len(params.measures):
        return StepCheck(None, replace(output, aggregate_ref=(path[-1], None)), problems, ports)
    bound = AggregateBound(window, grace, by, tuple(measures), params.emission, slack, params.late == "dead_letter")
    return StepCheck(bound, replace(output, aggregate_ref=(path[-1], bound)), problems, ports)


def _output(
    params: AggregateStep, by: tuple[tuple[str, Expression], ...], measures: list[BoundMeasure], names: tuple[str, ...], slack: Duration
) -> Relation:
    windowed = params.window is not None
    window_fields = [Field(name, TIMESTAMP, nullable=False) for name in WINDOW_FIELDS] if windowed else []
    fields = [*window_fields, *(Field(name, e.type, e.nullable) for name, e in by), *(Field(m.name, m.type, m.nullable) for m in measures)]
    unique = {field.name: field for field in fields}
    return Relation(
        schema=Schema(tuple(unique.values())),
        kind="append" if params.emission == "final" else "upsert",
        identity=(*(WINDOW_FIELDS if windowed else ()), *(name for name, _ in by)),
        identity_kind="key",
        slack=slack,
        windowed=windowed,
        system=("_time",) if windowed else (),
        untyped=frozenset(names) - unique.keys(),
    )


def _check_time(params: AggregateStep, path: Path) -> tuple[AnyWindow | None, Duration, list[Problem]]:
    grace, problems = check_duration(params.grace, (*path, "grace"))
    if params.window is None:
        if grace is not None and grace > ZERO:
            problems.append(
                problem(
                    "PARAMETER_RANGE",
                    (*path, "grace"),
                    "grace needs a window.",
                    "Remove grace or add a window.",
                )
            )
        return None, ZERO, problems
    window, found = check_window(params.window, (*path, "window"))
    return window, grace or ZERO, problems + found


def _row_made(window: Window | None) -> bool:
    return window is not None and (window.session is not None or window.sliding is not None)


def _check_emission(params: AggregateStep, source: Relation, path: Path) -> list[Problem]:
    found: list[Problem] = []
    if params.window is None and params.emit == "final":
        message = "emit: final needs a window: without one, every group can still change."
        found.append(problem("EMIT_UNSUPPORTED", (*path, "emit"), message, "Use emit: update, or add a window."))
    elif _row_made(params.window) and params.emission == "update":
        message = "Session and sliding windows only support emit: final."
        found.append(problem("EMIT_UNSUPPORTED", (*path, "emit"), message, "Remove emit, or use tumbling or hopping windows."))
    if source.kind == "upsert" and source.aggregate_ref is None:
        message = "Aggregating a table isn't supported."
        hint = "Read the topic as a stream, or aggregate before the rows become a table."
        found.append(problem("KIND_MISMATCH", (*path, "input"), message, hint))
    elif source.kind == "upsert":
        message = "The input updates its results, so they would be counted repeatedly."
        found.append(problem("CHAIN_UPDATE", (*path, "input"), message, "Set emit: final and a window on the input aggregate."))
    if params.late == "dead_letter":
        found += _check_late(params, source, (*path, "late"))
    if params.window is None and params.by:
        message = "Without a window, the state of every group is kept forever."
        found.append(warning("STATE_UNBOUNDED", (*path, "by"), message, "Fine for a limited number of keys; otherwise add a window."))
    return found


def _check_late(params: AggregateStep, source: Relation, path: Path) -> list[Problem]:
    if params.window is None:
        return [problem("PARAMETER_RANGE", path, "late needs a window: without one, no row is late.", "Remove late or add a window.")]
    return check_late_port(source, path)


def _check_keys(params: AggregateStep, source: Relation, path: Path) -> tuple[list[Column], list[Problem]]:
    field_path = (*path, "by")
    keys, problems = columns_of(params.by, source, field_path)
    if len(params.by) > MAX_KEYS:
        problems.append(
            problem(
                "PARAMETER_RANGE",
                field_path,
                f"The aggregate has {len(params.by)} group keys; the limit is {MAX_KEYS}.",
                "Group by fewer fields.",
            )
        )
    for key in keys:
        if key.expression is not None and not is_key_type(key.expression.type):
            message = f"{key.name} has type {type_text(key.expression.type)}, which can't be a group key."
            problems.append(problem("KEY_TYPE", key.path or field_path, message, "Round it, or cast it to decimal, long or string."))
    return keys, problems


def _check_measures(params: AggregateStep, source: Relation, path: Path) -> tuple[list[BoundMeasure], list[Problem]]:
    field_path = (*path, "measures")
    bound: list[BoundMeasure] = []
    problems: list[Problem] = []
    if not params.measures:
        problems.append(problem("PARAMETER_MISSING", field_path, "The aggregate has no measures.", "Example: n: count()"))
    if len(params.measures) > MAX_MEASURES:
        message = f"The step has {len(params.measures)} measures; the limit is {MAX_MEASURES}."
        problems.append(problem("PARAMETER_RANGE", field_path, message, "Move some of them to a second step."))
    every_field = partial(_every_field, source)
    for name, text in params.measures.items():
        call, found = measure_over(source, text, (*field_path, name))
        problems += [*check_name(name, (*field_path, name)), *found]
        if call is None:
            continue
        measure, found = bind_measure(name, call, (*field_path, name), every_field)
        problems += found
        if measure is not None:
            bound.append(measure)
    return bound, problems


def _every_field(source: Relation) -> tuple[Expression, ...]:
    found = (field_over(source, name, ())[0] for name in source.schema.names)
    return tuple(expression for expression in found if expression is not None)


def _check_names(params: AggregateStep, names: tuple[str, ...], path: Path) -> list[Problem]:
    found: list[Problem] = []
    keys = set(params.by)
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        section = "measures" if name in params.measures and (name in keys or name in WINDOW_FIELDS) else "by"
        what = "a field of the window" if name in WINDOW_FIELDS and params.window else "a group key"
        found.append(problem("NAME_TAKEN", (*path, section, name), f"{name} is already {what}.", "Choose another name."))
    return found
