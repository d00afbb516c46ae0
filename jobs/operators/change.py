"""change: the difference to the previous window (`docs/semantics/change.md`)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator
from pydantic import Field as Parameter

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import LONG, DataType, is_numeric, type_text
from jobs.expressions.spark_types import quoted
from jobs.operators import aggregate, aggregate_state
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.aggregate_script import closing, grouped, keyed, results
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.change_bound import PREVIOUS, VALUE, ChangeBound, Changed
from jobs.operators.change_sql import difference_sql, places_sql
from jobs.operators.expression_checks import expression_over
from jobs.operators.field_digests import FieldDigests, digest
from jobs.operators.forecasts import InputRate, each, least, one_row, value_bytes
from jobs.operators.lineage import ColumnSources, renamed_columns
from jobs.operators.measure_sql import measure_sql
from jobs.operators.operator import Operator, computes_nothing, no_settings
from jobs.operators.output_fields import check_count, check_name, nearest
from jobs.operators.parameters import InputText, NameText, Parameters, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    Needed,
    OutputMode,
    StateBound,
    always,
    never,
    no_reason,
    no_static_inputs,
)
from jobs.operators.script_step import ScriptStep, row_order, selected
from jobs.operators.state_copies import RowsRead, StateRead
from jobs.operators.stored_state import StateContext, StoredState
from jobs.operators.windows import AnyWindow, WindowSpec, longest_window


def _null_text(value: Any) -> Any:
    """The text of ``missing: null``, which YAML and JSON read as no value."""
    return "null" if value is None else value


class ChangeStep(Parameters):
    """Measures of an aggregate beside those of the window before: `of` names them.

    `missing` says what the window before counts as when it had no rows: null or zero.
    """

    op: Literal["change"]
    input: InputText
    of: Annotated[
        list[NameText],
        Parameter(max_length=100),
        parameter(
            "Measures",
            "Measures of the aggregate to compare with the previous window",
            example=["trades"],
            input="fields",
        ),
    ]
    missing: Annotated[
        Literal["null", "zero"],
        BeforeValidator(_null_text),
        parameter(
            "If there is no previous window",
            "Previous value of a measure when the previous window had no rows",
            choices={"null": "Null", "zero": "Zero"},
        ),
    ] = "null"


def fields_read(bound: ChangeBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The needed fields that the step does not add itself, and the measures that it compares."""
    added = {field.name for changed in bound.changed for field in changed.fields}
    return ((needed.get("", frozenset()) - added) | {changed.measure.name for changed in bound.changed},)


def realtime(bound: ChangeBound) -> str:
    """As for the aggregate."""
    return aggregate.realtime(bound.of)


def output_modes(bound: ChangeBound) -> frozenset[OutputMode]:
    """As for the aggregate."""
    return aggregate.output_modes(bound.of)


def state(bound: ChangeBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Bounded; every row counts in its own window and, as a previous row, in the next one."""
    return StateBound(
        "bounded",
        "one entry per open window and group, and for the next window, each dropped when its window closes",
    )


def check(params: ChangeStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ChangeBound]:
    """Tumbling or calendar aggregate → its fields, then previous, delta and percent of each measure; same
    kind and identity.
    """
    source = inputs[0]
    bound, problems = _check_input(params, source, path)
    if bound is None:
        return StepCheck(None, replace(source, has_unknown_fields=True), problems)
    changed, problems = _check_measures(params, bound, (*path, "of"))
    added = [field for one in changed for field in one.fields]
    problems += _check_names(source, [field.name for field in added], (*path, "of"))
    problems += check_count(len(source.schema.fields) + len(added), (*path, "of"))
    fields = {field.name: field for field in (*source.schema, *added)}
    assert bound.window is not None
    previous = longest_window(bound.window).us
    output = replace(
        source,
        schema=Schema(tuple(fields.values())),
        aggregate_ref=None,
        lookback=Duration(source.lookback.us + previous),
        before_start=Duration(source.before_start.us + previous),
    )
    return StepCheck(
        None if has_errors(problems) else ChangeBound(bound, tuple(changed), params.missing), output, problems
    )


def _check_input(
    params: ChangeStep, source: Relation, path: DocumentPath
) -> tuple[AggregateBound | None, list[Problem]]:
    """The aggregate whose windows are compared; None with CHANGE_INPUT, or without a problem if the aggregate
    could not be checked.
    """
    if source.aggregate_ref is None:
        return None, [] if source.has_unknown_fields else [_wrong_input(path)]
    name, bound = source.aggregate_ref
    if name != params.input:
        return None, [_wrong_input(path)]
    if not isinstance(bound, AggregateBound):
        return None, []
    return (bound, []) if _follow_each_other(bound.window) else (None, [_wrong_input(path)])


def _follow_each_other(window: AnyWindow | None) -> bool:
    return isinstance(window, CalendarSpec) or (isinstance(window, WindowSpec) and window.is_tumbling)


def _wrong_input(path: DocumentPath) -> Problem:
    message = "change needs a tumbling or calendar aggregate as its direct input."
    return problem(
        "CHANGE_INPUT",
        (*path, "input"),
        message,
        "Use such an aggregate as the input. Put filter and derive after change.",
    )


def _check_measures(
    params: ChangeStep, bound: AggregateBound, path: DocumentPath
) -> tuple[list[Changed], list[Problem]]:
    measures = {measure.name: measure for measure in bound.measures}
    changed: list[Changed] = []
    problems: list[Problem] = []
    if not params.of:
        problems.append(
            problem("PARAMETER_MISSING", path, "The step lists no measures.", nearest("", measures))
        )
    for at, name in enumerate(params.of):
        field_path = (*path, str(at))
        measure = measures.get(name)
        if measure is None:
            problems.append(
                problem(
                    "FIELD_UNKNOWN",
                    field_path,
                    f"The aggregate has no measure {name[:80]!r}.",
                    nearest(name[:80], measures),
                )
            )
        elif not is_numeric(measure.type):
            message = f"{name} has type {type_text(measure.type)}; differences need a number."
            problems.append(problem("TYPE_MISMATCH", field_path, message, "Remove it."))
        elif name in params.of[:at]:
            problems.append(
                problem("NAME_TAKEN", field_path, f"{name} is listed twice.", "List each measure once.")
            )
        else:
            over = Relation(Schema((Field(VALUE, measure.type), Field(PREVIOUS, measure.type))), system=())
            delta, found = expression_over(over, f"{VALUE} - {PREVIOUS}", field_path)
            problems += found
            changed += [Changed(measure, delta)] if delta is not None else []
    return changed, problems


def _check_names(source: Relation, names: list[str], path: DocumentPath) -> list[Problem]:
    problems = [found for name in names for found in check_name(name, path)]
    taken = [name for at, name in enumerate(names) if name in source.schema or name in names[:at]]
    return problems + [
        problem("NAME_TAKEN", path, f"The input already has a field {name}.", "Rename that measure.")
        for name in taken
    ]


def state_entries(bound: ChangeBound, given: InputRate) -> int | None:
    """Of each group the open windows of the aggregate, and the one after them, in which rows count as
    previous ones.
    """
    window = bound.of.window
    assert isinstance(window, WindowSpec | CalendarSpec), "its windows follow each other"
    wait = Duration(given.delay.us + bound.of.slack.us)
    groups = given.keys if bound.of.by else 1
    entries = each(groups, 1 + aggregate_state.open_windows(window, wait))
    if isinstance(window, CalendarSpec):
        return entries
    rows = given.rows_in(Duration(2 * window.size.us + wait.us))
    return least(each(rows, 2), entries)


def entry_bytes(bound: ChangeBound, inputs: tuple[Relation, ...]) -> int:
    """As for the aggregate, with the compared measures of the previous window, and two numbers of rows."""
    compared = sum(aggregate_state.measure_bytes(changed.measure) for changed in bound.changed)
    return aggregate_state.entry_bytes(bound.of, inputs) + compared + 2 * value_bytes(LONG)


def stored_state(bound: ChangeBound, context: StateContext) -> StoredState:
    """The meaning of the compared measures; window, slack and keys are in the aggregate's own meaning."""
    meanings_of = context.digests.fields[context.inputs[0]]
    of = [meanings_of[changed.measure.name] for changed in bound.changed]
    return StoredState({"of": of}, frozenset(of), could_update=aggregate_state.could_update(bound.of))


def state_read(bound: ChangeBound, read: RowsRead) -> StateRead:
    """The aggregate's rows, for the measures of it that are read, or compared; a difference that may fail is
    counted, whether or not anything reads it.
    """
    added = {field.name for changed in bound.changed for field in changed.fields}
    compared = [
        changed.measure.name
        for changed in bound.changed
        if changed.delta.failures or read.fields & {field.name for field in changed.fields}
    ]
    own = (read.fields - added) | frozenset(compared)
    kept = frozenset(m.name for m in bound.of.measures if m.name in own or m.function == "distinct")
    left = aggregate_state.state_read(bound.of, replace(read, fields=kept))
    return StateRead(left.inputs, (kept,), tuple(compared))


def meanings(bound: ChangeBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """The input's fields keep their meaning; an added field means its measure, its part and `missing`."""
    made = dict(digests.fields[inputs[0]])
    for changed in bound.changed:
        measure = made[changed.measure.name]
        for added in changed.fields:
            part = added.name.removeprefix(changed.measure.name)
            made[added.name] = digest([part, measure, bound.missing])
            digests.parents[made[added.name]] = frozenset((measure,))
    return made


def lineage(bound: ChangeBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """The previous value, the difference and the percentage come from the measure that they compare."""
    added = {field.name: changed.measure.name for changed in bound.changed for field in changed.fields}
    return renamed_columns(added, names, inputs[0])


def script(step: ScriptStep, bound: ChangeBound) -> list[str]:
    """Lines of one aggregation that puts each row into its own and the next window. It reads the input of the
    aggregate, not its results.
    """
    upstream = step.inputs[0].step
    assert upstream is not None, "change reads an aggregate"
    slack = upstream.relation().not_applied(bound.of.slack).us
    own, following = places_sql(bound, "_time")
    both = [
        f"named_struct('start', {start}, 'end', {end}, 'own', {flag})"
        for (start, end), flag in ((own, "true"), (following, "false"))
    ]
    order = row_order(upstream.relation())
    measures = [
        f"{measure_sql(measure, order, ('_bounds.own',))} AS {quoted(measure.name)}"
        for measure in bound.of.measures
    ]
    measures += [
        f"{measure_sql(c.measure, order, ('NOT _bounds.own',))} AS _previous{i}"
        for i, c in enumerate(bound.changed)
    ]
    measures += ["count_if(_bounds.own) AS _rows", "count_if(NOT _bounds.own) AS _rows_before"]
    declared = [quoted(measure.name) for measure in bound.of.measures]
    for i, changed in enumerate(bound.changed):
        parts = zip(difference_sql(i, changed, bound.missing), changed.fields, strict=True)
        declared += [f"{sql} AS {quoted(field.name)}" for sql, field in parts]
    spread = [
        "# every row counts in its own window and, as a row of the window before, in the next one",
        *selected("keyed", "keyed", ["*", f"explode(array({', '.join(both)})) AS _bounds"]),
    ]
    grouping = closing("_bounds.start", "_bounds.end", slack, bound.of)
    return [
        *keyed(upstream.input(), bound.of),
        *spread,
        *grouping.lines,
        *grouped(grouping, measures),
        "grouped = grouped.where('_rows > 0')",
        *results(step, bound.of, grouping, declared),
    ]


def row_identity(bound: ChangeBound, step: ScriptStep) -> list[DataType]:
    """As for the aggregate."""
    return aggregate.row_identity(bound.of, step)


def deletes(bound: ChangeBound, upstream: bool) -> bool:  # noqa: ARG001
    """False: a result is never deleted."""
    return False


OPERATOR: Final = Operator(
    name="change",
    parameters=ChangeStep,
    summary="Measures of a window beside those of the previous window.",
    example="{op: change, input: stats, of: [n]}",
    check=check,
    fields_read=fields_read,
    computed=computes_nothing,
    row_wise=False,
    keeps_rows=False,
    static_inputs=no_static_inputs,
    computes_input=True,
    realtime=realtime,
    prefers_microbatch=no_reason,
    output_modes=output_modes,
    rows_out=one_row,
    drops_late_rows=always,
    late_row_factor=2,  # each row counts in two windows
    acts_alone=never,
    sorts_batches=False,
    refuses_expiry_below=always,
    lowering_revision=2,
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
