"""aggregate: measures per group and window (`docs/semantics/aggregate.md`)."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, Literal

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem, warning
from jobs.base.schemas import Field, Schema
from jobs.base.time_units import MILLISECOND_US
from jobs.base.types import TIMESTAMP, DataType, is_key_type, type_text
from jobs.expressions import Expression
from jobs.expressions.size_bound import MAX_ROW_BYTES
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.aggregate_script import script
from jobs.operators.aggregate_state import (
    entry_bytes,
    meanings,
    state,
    state_entries,
    state_read,
    stored_state,
)
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.expression_checks import field_over, measure_over
from jobs.operators.late_rows import PORT, LatePolicy, check_late_port, late_relation, read_for_late_port
from jobs.operators.lineage import TIME, ColumnSources, sources_of
from jobs.operators.measure_binding import bind_measure
from jobs.operators.measures import BoundMeasure
from jobs.operators.operator import Operator, no_settings
from jobs.operators.output_fields import check_count, check_name
from jobs.operators.parameters import (
    DurationText,
    ExpressionText,
    InputText,
    Parameters,
    check_duration,
    parameter,
)
from jobs.operators.projection import Column
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    APPEND_ONLY,
    UPDATE_ONLY,
    Needed,
    OutputMode,
    always,
    expression_fields,
    never,
    no_static_inputs,
)
from jobs.operators.script_step import ScriptStep
from jobs.operators.select import FieldChoice, columns_of
from jobs.operators.windows import (
    AnyWindow,
    Window,
    WindowChoice,
    WindowSpec,
    check_window,
    longest_window,
)

MAX_KEYS: Final = 16
MAX_MEASURES: Final = 100
WINDOW_FIELDS: Final = ("window_start", "window_end")


class AggregateStep(Parameters):
    """Measures per group (`by`, may be empty) and window.

    `emit` update writes a result whenever it changed; final writes it once, when its window can no longer
    change. Session and sliding windows have final results only, which is their default. `grace` is how long a
    window still takes rows after the watermark passed its end. `late` rows are counted and dropped, or with
    dead_letter flow out of ``step.late`` too.
    """

    op: Literal["aggregate"]
    input: InputText
    window: Annotated[
        WindowChoice,
        parameter(
            "Window",
            "Which rows one result covers; without a window, all rows of its group",
            example={"tumbling": {"size": "1m"}},
            input="window",
        ),
    ] = None
    grace: Annotated[
        DurationText,
        parameter(
            "Grace period", "Extra time for late rows after the window ends", example="5s", inline=True
        ),
    ] = "0s"
    by: Annotated[
        FieldChoice,
        parameter(
            "Group by",
            "One result per group; empty for a single result",
            example={"symbol": "upper(symbol)"},
            input="columns",
            entry="key",
            inline=True,
        ),
    ] = []  # noqa: RUF012
    measures: Annotated[
        dict[str, ExpressionText],
        parameter(
            "Measures",
            "Values computed per group and window",
            example={"average": "avg(price) where side = 'buy'"},
            input="mapping",
            entry="measure",
            keys="name",
            values="measure",
        ),
    ]
    emit: Annotated[
        Literal["update", "final"],
        parameter(
            "Emit",
            "When results are written; session and sliding windows emit only when they close",
            choices={"update": "On every update", "final": "When the window closes"},
        ),
    ] = "update"
    late: LatePolicy = "drop"

    @property
    def emission(self) -> Literal["update", "final"]:
        """The emission: as the document says; by default final for session and sliding windows, else
        update.
        """
        return "final" if _row_made(self.window) and "emit" not in self.model_fields_set else self.emit


def fields_read(bound: AggregateBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that keys and all measures read, whether or not anything reads the measures, and the fields
    that are needed of the late output.
    """
    measures = (expression for measure in bound.measures for expression in measure.expressions)
    late_fields = read_for_late_port(needed.get(PORT, frozenset()))
    return (expression_fields(e for _, e in bound.by) | expression_fields(measures) | late_fields,)


def realtime(bound: AggregateBound) -> str:
    """Final results and late output need micro-batches: they depend on the watermark of a batch."""
    if bound.emit == "final":
        return "emits final results, which needs micro-batch mode."
    return "outputs its late rows, which needs micro-batch mode." if bound.dead_letters else ""


def output_modes(bound: AggregateBound) -> frozenset[OutputMode]:
    """Append mode for final results, update mode for updates."""
    return APPEND_ONLY if bound.emit == "final" else UPDATE_ONLY


def drops_late_rows(bound: AggregateBound) -> bool:
    """True with a window; a group without one never closes."""
    return bound.window is not None


def check(
    params: AggregateStep, inputs: tuple[Relation, ...], path: DocumentPath
) -> StepCheck[AggregateBound]:
    """Append → upsert keyed by window and group (update), or append (final); the late output has the input's
    rows.
    """
    source = inputs[0]
    window, grace, problems = _check_time(params, path)
    problems += _check_emission(params, (*path, "emit"))
    problems += _check_input(source, (*path, "input"))
    problems += _check_late(params, source, (*path, "late"))
    problems += _check_growth(params, (*path, "by"))
    keys, found = _check_keys(params, source, path)
    problems += found
    measures, found = _check_measures(params, source, path)
    problems += found
    names = _field_names(params, keys)
    problems += _check_names(params, names, path)
    slack = Duration(source.slack.us + grace.us) if params.window else source.slack
    by = tuple((key.name, key.expression) for key in keys if key.expression is not None)
    before = _before_start(window, source.lookback)
    output = replace(
        _output(params, by, measures, names, Duration(slack.us + _time_before_end(params, window, slack).us)),
        spark_slack=source.spark_slack,
        trails_less=source.trails_less,
        before_start=before,
        lookback=Duration(before.us + longest_window(window).us) if window is not None else source.lookback,
    )
    ports = {PORT: late_relation(source)} if params.late == "dead_letter" else {}
    if has_errors(problems) or len(by) < len(keys) or len(measures) < len(params.measures):
        return StepCheck(None, replace(output, aggregate_ref=(path[-1], None)), problems, ports)
    bound = AggregateBound(
        window, grace, by, tuple(measures), params.emission, slack, params.late == "dead_letter"
    )
    return StepCheck(bound, replace(output, aggregate_ref=(path[-1], bound)), problems, ports)


def _time_before_end(params: AggregateStep, window: AnyWindow | None, slack: Duration) -> Duration:
    """How much further final results trail than their windows: their time is 1 µs before the end. The
    watermark has whole milliseconds, so that it can stand there before the window closes only where that may
    be between two of them. A sliding window closes with the time of its row.
    """
    if params.emission != "final" or window is None or isinstance(window, SlidingSpec):
        return ZERO
    spans = [slack.us]
    if isinstance(window, WindowSpec):
        spans += [window.size.us, window.advance.us, window.offset.us]
    is_between = isinstance(window, SessionSpec) or any(us % MILLISECOND_US for us in spans)
    return Duration(1) if is_between else ZERO


def _before_start(window: AnyWindow | None, lookback: Duration) -> Duration:
    """How far before the start of a window records decide over it: a row in the gap before a session's first
    one would be the first.
    """
    return Duration(lookback.us + (window.gap.us if isinstance(window, SessionSpec) else 0))


def _output(
    params: AggregateStep,
    by: tuple[tuple[str, Expression], ...],
    measures: list[BoundMeasure],
    names: tuple[str, ...],
    slack: Duration,
) -> Relation:
    windowed = params.window is not None
    window_fields = [Field(name, TIMESTAMP, nullable=False) for name in WINDOW_FIELDS] if windowed else []
    fields = [
        *window_fields,
        *(Field(name, e.type, e.nullable) for name, e in by),
        *(Field(m.name, m.type, m.nullable) for m in measures),
    ]
    unique = {field.name: field for field in fields}
    return Relation(
        schema=Schema(tuple(unique.values())),
        kind="append" if params.emission == "final" else "upsert",
        identity=(*(WINDOW_FIELDS if windowed else ()), *(name for name, _ in by)),
        identity_kind="key",
        slack=slack,
        windowed=windowed,
        system=("_time",) if windowed else (),
        row_bytes=MAX_ROW_BYTES,
        untyped=frozenset(names) - unique.keys(),
    )


def _check_time(
    params: AggregateStep, path: DocumentPath
) -> tuple[AnyWindow | None, Duration, list[Problem]]:
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


def _check_emission(params: AggregateStep, path: DocumentPath) -> list[Problem]:
    if params.window is None and params.emit == "final":
        message = "emit: final needs a window: without one, every group can still change."
        return [problem("EMIT_UNSUPPORTED", path, message, "Use emit: update, or add a window.")]
    if _row_made(params.window) and params.emission == "update":
        message = "Session and sliding windows only support emit: final."
        return [
            problem("EMIT_UNSUPPORTED", path, message, "Remove emit, or use tumbling or hopping windows.")
        ]
    return []


def _check_input(source: Relation, path: DocumentPath) -> list[Problem]:
    if source.kind != "upsert":
        return []
    if source.aggregate_ref is None:
        message = "Aggregating a table isn't supported."
        hint = "Read the topic as a stream, or aggregate before the rows become a table."
        return [problem("KIND_MISMATCH", path, message, hint)]
    message = "The input updates its results, so they would be counted repeatedly."
    return [problem("CHAIN_UPDATE", path, message, "Set emit: final and a window on the input aggregate.")]


def _check_growth(params: AggregateStep, path: DocumentPath) -> list[Problem]:
    if params.window is not None or not params.by:
        return []
    message = "Without a window, the state of every group is kept forever."
    hint = "Fine for a limited number of keys; otherwise add a window."
    return [warning("STATE_UNBOUNDED", path, message, hint)]


def _check_late(params: AggregateStep, source: Relation, path: DocumentPath) -> list[Problem]:
    if params.late != "dead_letter":
        return []
    if params.window is None:
        return [
            problem(
                "PARAMETER_RANGE",
                path,
                "late needs a window: without one, no row is late.",
                "Remove late or add a window.",
            )
        ]
    return check_late_port(source, path)


def _check_keys(
    params: AggregateStep, source: Relation, path: DocumentPath
) -> tuple[list[Column], list[Problem]]:
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
            problems.append(
                problem(
                    "KEY_TYPE",
                    key.path or field_path,
                    message,
                    "Round it, or cast it to decimal, long or string.",
                )
            )
    return keys, problems


def _check_measures(
    params: AggregateStep, source: Relation, path: DocumentPath
) -> tuple[list[BoundMeasure], list[Problem]]:
    field_path = (*path, "measures")
    bound: list[BoundMeasure] = []
    problems: list[Problem] = []
    if not params.measures:
        problems.append(
            problem("PARAMETER_MISSING", field_path, "The aggregate has no measures.", "Example: n: count()")
        )
    if len(params.measures) > MAX_MEASURES:
        message = f"The step has {len(params.measures)} measures; the limit is {MAX_MEASURES}."
        problems.append(
            problem("PARAMETER_RANGE", field_path, message, "Move some of them to a second step.")
        )
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


def _field_names(params: AggregateStep, keys: list[Column]) -> tuple[str, ...]:
    """The fields of a result, in order; a name that is used twice is listed twice."""
    return (*(WINDOW_FIELDS if params.window else ()), *(key.name for key in keys), *params.measures)


def _check_names(params: AggregateStep, names: tuple[str, ...], path: DocumentPath) -> list[Problem]:
    found: list[Problem] = []
    keys = set(params.by)
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        section = "measures" if name in params.measures and (name in keys or name in WINDOW_FIELDS) else "by"
        what = "a field of the window" if name in WINDOW_FIELDS and params.window else "a group key"
        found.append(
            problem(
                "NAME_TAKEN", (*path, section, name), f"{name} is already {what}.", "Choose another name."
            )
        )
    return found + (check_count(len(names), (*path, "measures")) if params.measures else [])


def prefers_microbatch(bound: AggregateBound, name: str) -> str:
    """Prefer micro-batches for measures that hold values: real-time mode rewrites these for every row."""
    held = [f"{measure.name} ({measure.function})" for measure in bound.measures if measure.holds_values]
    if not held:
        return ""
    return f"{name} stores values for {', '.join(held)}; micro-batch avoids rewriting them for every row."


def rows_out(bound: AggregateBound) -> int:
    """One result per window that a row falls into."""
    return bound.window.fanout if bound.window is not None else 1


def lineage(bound: AggregateBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """A measure comes from its arguments and from what its ``where`` reads, which decides its value too."""
    made_of = {measure.name: measure.expressions for measure in bound.measures}
    made_of |= {key: (expression,) for key, expression in bound.by}
    of_window = sources_of((TIME,), inputs[0])  # of its bounds, and of the event time derived from them
    return {
        name: sources_of(frozenset[str]().union(*(part.fields for part in made_of[name])), inputs[0])
        if name in made_of
        else of_window
        for name in names
    }


def row_identity(bound: AggregateBound, step: ScriptStep) -> list[DataType]:  # noqa: ARG001
    """The types of window bounds and keys."""
    window = (TIMESTAMP, TIMESTAMP) if bound.window is not None else ()
    return [*window, *(expression.type for _, expression in bound.by)]


def deletes(bound: AggregateBound, upstream: bool) -> bool:  # noqa: ARG001
    """False: a result is never deleted."""
    return False


def computed(params: AggregateStep) -> list[tuple[str, str]]:
    """The measures."""
    return [("measures", name) for name in params.measures]


OPERATOR: Final = Operator(
    name="aggregate",
    parameters=AggregateStep,
    summary="Measures per group and window.",
    example="{op: aggregate, input: trades, window: {tumbling: {size: 10s}}, by: [symbol], "
    "measures: {n: count()}}",
    check=check,
    fields_read=fields_read,
    computed=computed,
    row_wise=False,
    keeps_rows=False,
    static_inputs=no_static_inputs,
    computes_input=False,
    realtime=realtime,
    prefers_microbatch=prefers_microbatch,
    output_modes=output_modes,
    rows_out=rows_out,
    drops_late_rows=drops_late_rows,
    late_row_factor=1,
    acts_alone=never,
    sorts_batches=False,
    refuses_expiry_below=always,
    lowering_revision=1,
    state=state,
    state_entries=state_entries,
    entry_bytes=entry_bytes,
    stored_state=stored_state,
    state_read=state_read,
    meanings=meanings,
    lineage=lineage,
    script=script,
    script_settings=no_settings,
    row_identity=row_identity,
    deletes=deletes,
)
