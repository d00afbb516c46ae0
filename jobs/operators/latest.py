"""latest: the newest row of each key, as a table (`docs/semantics/latest.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field as RowField
from jobs.base.schemas import Schema
from jobs.base.types import DataType, type_text
from jobs.expressions import Expression
from jobs.expressions.spark_types import quoted
from jobs.operators.expression_checks import condition_over
from jobs.operators.field_digests import same_meanings
from jobs.operators.forecasts import InputRate, entry_per_key, least, one_row, row_bytes
from jobs.operators.key_fields import check_key_fields
from jobs.operators.lineage import same_columns
from jobs.operators.operator import Operator, computes_nothing, no_settings
from jobs.operators.parameters import (
    DurationText,
    ExpressionText,
    InputText,
    NameText,
    Parameters,
    check_duration,
    parameter,
)
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    UPDATE_ONLY,
    Needed,
    OutputMode,
    StateBound,
    always,
    never,
    no_reason,
    no_static_inputs,
)
from jobs.operators.script_processors import write_expiring
from jobs.operators.script_step import NO_WATERMARK, ScriptStep, field_types, identity, row_order, selected
from jobs.operators.stored_state import StateContext, StoredState, order_meaning, stored_row

MIN_TTL: Final = Duration(1_000)


class LatestStep(Parameters):
    """The newest row of each key (`by`), with all its fields.

    `order` event_time takes the greatest event time, then the row's identity; offset the greatest offset, for
    one source whose records are keyed by `by`. When `delete_when` holds for the newest row, its key is taken
    away. `ttl` takes a key away when the watermark is that far past its newest row (micro-batches only).
    """

    op: Literal["latest"]
    input: InputText
    by: Annotated[
        list[NameText],
        Field(min_length=1, max_length=16),
        parameter(
            "Key fields",
            "Fields that identify a row to keep; rows with a null in one are left out",
            example=["truck"],
            input="fields",
        ),
    ]
    order: Annotated[
        Literal["event_time", "offset"],
        parameter(
            "Order by",
            "What makes a row the latest; offset needs one source whose records are keyed by these fields",
            choices={"event_time": "Event time", "offset": "Offset"},
        ),
    ] = "event_time"
    delete_when: Annotated[
        ExpressionText | None,
        parameter(
            "Delete key when",
            "Deletes a key when its latest row meets this; null counts as false",
            example="status = 'closed'",
        ),
    ] = None
    ttl: Annotated[
        DurationText | None,
        parameter("Key TTL (event time)", "Leave empty to keep keys", example="1d", inline=True),
    ] = None


@dataclass(frozen=True, slots=True)
class LatestBound:
    """What the lowering needs.

    Attributes:
        by: key fields.
        by_offset: the row with the largest offset is the newest, not the one with the largest event time.
        delete_when: condition under which the newest row deletes its key, or None.
        ttl: time without a newer row after which a key expires; None: never.
        slack: of the input; keys expire that much later.
    """

    by: tuple[str, ...]
    by_offset: bool
    delete_when: Expression | None
    ttl: Duration | None = None
    slack: Duration = ZERO


def fields_read(bound: LatestBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that are needed of the step's rows, the key and the fields of the condition."""
    condition = bound.delete_when.fields if bound.delete_when else frozenset[str]()
    return (needed.get("", frozenset()) | frozenset(bound.by) | condition,)


def realtime(bound: LatestBound) -> str:
    """Keys expire in Python workers, which real-time mode does not support."""
    return "" if bound.ttl is None else "has a ttl, which needs micro-batch mode."


def output_modes(bound: LatestBound) -> frozenset[OutputMode]:  # noqa: ARG001
    """Update mode only: the newest row can always be replaced."""
    return UPDATE_ONLY


def state(bound: LatestBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Bounded with a ttl, which keeps only key, order key and time of the newest row; otherwise unbounded."""
    if bound.ttl is not None:
        return StateBound(
            "bounded", f"one entry per key, dropped when the watermark is {bound.ttl} past its latest row"
        )
    return StateBound("unbounded", "one row per key, never dropped")


def check(params: LatestStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[LatestBound]:
    """Append → upsert keyed by `by`, whose fields are not null: rows with a null in one are left out and
    counted.
    """
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    condition, found = None, list[Problem]()
    if params.delete_when is not None:
        condition, found = condition_over(source, params.delete_when, (*path, "delete_when"))
        complete = complete and condition is not None
    problems += found
    problems += _check_input(params, source, path)
    ttl = None
    if params.ttl is not None:
        ttl, found = check_duration(params.ttl, (*path, "ttl"), min=MIN_TTL)
        problems += found
    fields = tuple(RowField(f.name, f.type, f.nullable and f.name not in params.by) for f in source.schema)
    output = replace(
        source,
        schema=Schema(fields),
        kind="upsert",
        identity=tuple(params.by),
        identity_kind="key",
        index_types=(),
        windowed=False,
        system=("_time",),
        aggregate_ref=None,
    )
    bound = LatestBound(tuple(params.by), params.order == "offset", condition, ttl, source.slack)
    return StepCheck(bound if complete and not has_errors(problems) else None, output, problems)


def _check_input(params: LatestStep, source: Relation, path: DocumentPath) -> list[Problem]:
    found: list[Problem] = []
    if source.kind != "append":
        message = "The input of latest is already a table with one row per key."
        found.append(problem("KIND_MISMATCH", (*path, "input"), message, "Remove this step."))
    elif (
        params.order == "offset"
        and not source.has_unknown_fields
        and (source.identity_kind != "row" or len(source.row_sources) > 1)
    ):
        message = "order: offset needs rows of a single source; this input has others."
        found.append(problem("PARAMETER_RANGE", (*path, "order"), message, "Use order: event_time."))
    return found


def state_entries(bound: LatestBound, given: InputRate) -> int | None:
    """One entry per key; with a ttl only of keys that had a row within it."""
    if bound.ttl is None:
        return entry_per_key(bound, given)
    return least(given.keys, given.rows_in(Duration(bound.ttl.us + given.delay.us + bound.slack.us)))


def acts_alone(bound: LatestBound) -> bool:
    """True with a ttl: keys expire without a new row."""
    return bound.ttl is not None


def stored_state(bound: LatestBound, context: StateContext) -> StoredState:
    """The meaning of the stored newest rows, in which fields that nothing reads are null. With a ttl less of
    a row is stored, but the meaning includes the same fields.
    """
    upstream, (read,) = context.inputs[0], context.reads
    meaning, schema = context.digests.fields[upstream], context.relations[0].schema
    rows = [[meaning[field.name], type_text(field.type)] for field in schema if field.name in read]
    condition = bound.delete_when
    kept: dict[str, Any] = {}
    if bound.ttl is not None:
        kept["ttl"] = [bound.ttl.us, bound.slack.us]
        kept["stored"] = stored_row(context.relations[0], frozenset(), {})
        kept |= context.shift(0)
    elif layout := context.relations[0].identity_layout:
        kept["identity"] = layout
    kept |= {
        **order_meaning(context.relations[0]),
        "by": [meaning[field] for field in bound.by],
        "order": "offset" if bound.by_offset else ["event_time", meaning["_time"]],
        "delete_when": context.digests.of_expression(upstream, condition) if condition is not None else None,
        "rows": rows,
        "columns": [[type_text(field.type), field.name in read] for field in schema],
    }
    return StoredState(kept, frozenset(one for one, _ in rows), whole_rows=True)


def script(step: ScriptStep, bound: LatestBound) -> list[str]:
    """Lines that keep the newest row of each key."""
    newest = _newest if bound.ttl is None else _expiring
    return [*_keyed(step, bound), *newest(step, bound)]


def _keyed(step: ScriptStep, bound: LatestBound) -> list[str]:
    """Lines that compute the variable ``keyed``: rows with a complete key and, with `delete_when`, the column
    ``_deletes``.
    """
    missing = " OR ".join(f"{quoted(name)} IS NULL" for name in bound.by)
    named = [f"{quoted(name)} AS _by{i}" for i, name in enumerate(bound.by)]
    gone = [f"coalesce({bound.delete_when.sql}, false) AS _deletes"] if bound.delete_when is not None else []
    return [
        f"known = {step.input()}.where({f'NOT ({missing})'!r}).withMetadata('_time', {NO_WATERMARK})",
        f"keyed = known.selectExpr('*', {', '.join(map(repr, [*named, *gone]))})",
        *(f"keyed = keyed.withMetadata('_by{i}', {NO_WATERMARK})" for i in range(len(bound.by))),
    ]


def _newest(step: ScriptStep, bound: LatestBound) -> list[str]:
    """Lines for `latest` without a ttl, by an aggregation."""
    order = identity(step.relation())[1:] if bound.by_offset else row_order(step.relation())
    deletes = ["_deletes"] if bound.delete_when is not None else []
    names = [*map(quoted, step.output.schema.names), "_time", *deletes]
    keys = [f"_by{i}" for i in range(len(bound.by))]
    newest = f"max_by(struct({', '.join(names)}), struct({', '.join(order)})) AS _row"
    declared = [f"_row.{name} AS {'_deleted' if name == '_deletes' else name}" for name in names]
    return [
        f"newest = keyed.groupBy({', '.join(map(repr, keys))}).agg(F.expr({newest!r}))",
        *selected(step.rows, "newest", [*declared, *(f"{key} AS _id{i}" for i, key in enumerate(keys))]),
    ]


def _expiring(step: ScriptStep, bound: LatestBound) -> list[str]:
    """Lines for `latest` with a ttl, by a stateful processor: in update mode an aggregation never reports
    what it evicts.
    """
    assert bound.ttl is not None
    names = list(step.output.schema.names)
    by = dict(zip(bound.by, range(len(bound.by)), strict=True))
    types = [field.type for name in by for field in step.output.schema if field.name == name]
    wait = bound.ttl.us + step.relation().not_applied(bound.slack).us
    return [
        *write_expiring(
            names,
            [(f"_by{i}", of) for i, of in enumerate(types)],
            step.inputs[0].parts,
            by_offset=bound.by_offset,
            wait=wait,
            deletes=bound.delete_when is not None,
        ),
        *selected(
            step.rows,
            "newest",
            [
                # an expired row has only its key
                *(
                    f"_row.{f'_by{by[name]}' if name in by else quoted(name)} AS {quoted(name)}"
                    for name in names
                ),
                "_row._time AS _time",
                "_deleted",
                *(f"_row._by{i} AS _id{i}" for i in by.values()),
            ],
        ),
    ]


def row_identity(bound: LatestBound, step: ScriptStep) -> list[DataType]:
    """The types of the key."""
    return field_types(step.output, bound.by)


def deletes(bound: LatestBound, upstream: bool) -> bool:  # noqa: ARG001
    """True with a condition or a ttl, either of which may delete a key."""
    return bound.delete_when is not None or bound.ttl is not None


OPERATOR: Final = Operator(
    name="latest",
    parameters=LatestStep,
    summary="The latest row per key, as a table.",
    example="{op: latest, input: positions, by: [truck]}",
    check=check,
    fields_read=fields_read,
    computed=computes_nothing,
    row_wise=False,
    keeps_rows=False,
    static_inputs=no_static_inputs,
    computes_input=False,
    realtime=realtime,
    prefers_microbatch=no_reason,
    output_modes=output_modes,
    rows_out=one_row,
    drops_late_rows=never,
    late_row_factor=1,
    acts_alone=acts_alone,
    sorts_batches=False,
    refuses_expiry_below=always,
    lowering_revision=1,
    state=state,
    state_entries=state_entries,
    entry_bytes=row_bytes,
    stored_state=stored_state,
    state_read=None,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
    script_settings=no_settings,
    row_identity=row_identity,
    deletes=deletes,
)
