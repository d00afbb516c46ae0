"""change: the difference to the window before (`docs/semantics/change.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator
from pydantic import Field as Parameter

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import DOUBLE, is_numeric, type_text
from jobs.expressions import Expression
from jobs.operators import aggregate
from jobs.operators.aggregate import AggregateBound
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.expression_checks import expression_over
from jobs.operators.measures import BoundMeasure
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.parameters import NameText, Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed, OutputMode, StateBound
from jobs.operators.windows import AnyWindow, WindowSpec

VALUE: Final = "value"
PREVIOUS: Final = "previous"

Path = tuple[str, ...]


def _null_text(value: Any) -> Any:
    """``missing: null`` is a text here, although documents read it as no value."""
    return "null" if value is None else value


class ChangeStep(Parameters):
    """Measures of an aggregate beside those of the window before: `of` names them.

    `missing` says what the window before counts as when it had no rows: null or zero.
    """

    op: Literal["change"]
    input: NameText
    of: Annotated[list[NameText], Parameter(max_length=100)]
    missing: Annotated[Literal["null", "zero"], BeforeValidator(_null_text)] = "null"


@dataclass(frozen=True, slots=True)
class Changed:
    """A measure whose change is wanted; `delta` is an expression over the fields ``value`` and ``previous``."""

    measure: BoundMeasure
    delta: Expression

    @property
    def fields(self) -> tuple[Field, Field, Field]:
        """The fields it adds: the window before's value, the difference, and the difference in percent."""
        name = self.measure.name
        return Field(f"{name}_previous", self.measure.type), Field(f"{name}_delta", self.delta.type), Field(f"{name}_percent", DOUBLE)


@dataclass(frozen=True, slots=True)
class ChangeBound:
    """What the lowering needs: it replaces the aggregate `of` whose results it reads."""

    of: AggregateBound
    changed: tuple[Changed, ...]
    missing: Literal["null", "zero"]


def fields_read(bound: ChangeBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What is read below but what the step adds, and the measures themselves."""
    added = {field.name for changed in bound.changed for field in changed.fields}
    return ((needed.get("", frozenset()) - added) | {changed.measure.name for changed in bound.changed},)


def realtime(bound: ChangeBound) -> str:
    """As the aggregate."""
    return aggregate.realtime(bound.of)


def output_modes(bound: ChangeBound) -> frozenset[OutputMode]:
    """As the aggregate."""
    return aggregate.output_modes(bound.of)


def state(bound: ChangeBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Every row counts in its own window and in the next."""
    return StateBound("bounded", "two entries per open window and group, dropped when the later window closes")


def check(params: ChangeStep, inputs: tuple[Relation, ...], path: Path) -> StepCheck[ChangeBound]:
    """A tumbling or calendar aggregate → its fields, then previous, delta and percent of each measure; same kind and identity."""
    source = inputs[0]
    if source.has_unknown_fields and source.aggregate_ref is None:
        return StepCheck(None, source)
    if source.aggregate_ref is None or source.aggregate_ref[0] != params.input:
        return StepCheck(None, replace(source, has_unknown_fields=True), [_wrong_input(path)])
    bound = source.aggregate_ref[1]
    if not isinstance(bound, AggregateBound):
        return StepCheck(None, replace(source, has_unknown_fields=True))
    if not _follow_each_other(bound.window):
        return StepCheck(None, replace(source, has_unknown_fields=True), [_wrong_input(path)])
    changed, problems = _check_measures(params, bound, (*path, "of"))
    names = [field.name for one in changed for field in one.fields]
    problems += _check_names(source, names, (*path, "of"))
    problems += check_count(len(source.schema.fields) + len(names), (*path, "of"))
    fields = {field.name: field for field in (*source.schema, *(field for one in changed for field in one.fields))}
    output = replace(source, schema=Schema(tuple(fields.values())), aggregate_ref=None)
    return StepCheck(None if has_errors(problems) else ChangeBound(bound, tuple(changed), params.missing), output, problems)


def _follow_each_other(window: AnyWindow | None) -> bool:
    return isinstance(window, CalendarSpec) or (isinstance(window, WindowSpec) and window.is_tumbling)


def _wrong_input(path: Path) -> Problem:
    message = "change needs a tumbling or calendar aggregate as its direct input."
    return problem("CHANGE_INPUT", (*path, "input"), message, "Use such an aggregate as the input. Put filter and derive after change.")


def _check_measures(params: ChangeStep, bound: AggregateBound, path: Path) -> tuple[list[Changed], list[Problem]]:
    measures = {measure.name: measure for measure in bound.measures}
    changed: list[Changed] = []
    problems: list[Problem] = []
    if not params.of:
        problems.append(problem("PARAMETER_MISSING", path, "The step lists no measures.", nearest("", measures)))
    for at, name in enumerate(params.of):
        field_path = (*path, str(at))
        measure = measures.get(name)
        if measure is None:
            problems.append(
                problem("FIELD_UNKNOWN", field_path, f"The aggregate has no measure {name[:80]!r}.", nearest(name[:80], measures))
            )
        elif not is_numeric(measure.type):
            message = f"{name} has type {type_text(measure.type)}; differences need a number."
            problems.append(problem("TYPE_MISMATCH", field_path, message, "Remove it."))
        elif name in params.of[:at]:
            problems.append(problem("NAME_TAKEN", field_path, f"{name} is listed twice.", "List each measure once."))
        else:
            over = Relation(Schema((Field(VALUE, measure.type), Field(PREVIOUS, measure.type))), system=())
            delta, found = expression_over(over, f"{VALUE} - {PREVIOUS}", field_path)
            problems += found
            changed += [Changed(measure, delta)] if delta is not None else []
    return changed, problems


def _check_names(source: Relation, names: list[str], path: Path) -> list[Problem]:
    problems = [found for name in names for found in check_name(name, path)]
    taken = [name for at, name in enumerate(names) if name in source.schema or name in names[:at]]
    return problems + [problem("NAME_TAKEN", path, f"The input already has a field {name}.", "Rename that measure.") for name in taken]
