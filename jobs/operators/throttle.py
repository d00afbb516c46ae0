"""throttle: at most one row per key and interval (`docs/semantics/throttle.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, has_errors
from jobs.expressions.spark_types import quoted
from jobs.operators.append_only import require_append_only
from jobs.operators.field_digests import same_meanings
from jobs.operators.forecasts import InputRate, least, one_row, row_bytes, total
from jobs.operators.identity_sql import identity_sql
from jobs.operators.key_fields import check_key_fields
from jobs.operators.lineage import same_columns
from jobs.operators.operator import Operator, computes_nothing, no_settings
from jobs.operators.parameters import DurationText, InputText, NameText, Parameters, check_duration, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    Needed,
    StateBound,
    always,
    append_only,
    never,
    no_reason,
    no_static_inputs,
)
from jobs.operators.script_step import (
    WATERMARK_COLUMN,
    ScriptStep,
    deletes_like_input,
    field_types,
    input_identity,
    marked,
    selected,
)
from jobs.operators.stored_state import StateContext, StoredState, order_meaning, stored_row

MIN_INTERVAL: Final = Duration(1_000)


class ThrottleStep(Parameters):
    """At most one row per key (`by`) and interval of `every`; null equals null.

    A key's first row begins an interval, the first row after its end the next one. `keep` first passes the
    row that begins it, last the interval's last row once it is over. Late rows are dropped and counted.
    """

    op: Literal["throttle"]
    input: InputText
    by: Annotated[
        list[NameText],
        Field(min_length=1, max_length=16),
        parameter(
            "Key fields",
            "Each key has intervals of its own; null equals null",
            example=["sensor"],
            input="fields",
        ),
    ]
    every: Annotated[
        DurationText,
        parameter(
            "Interval", "At most one row per key passes in this much event time; at least 1ms", example="1m"
        ),
    ]
    keep: Annotated[
        Literal["first", "last"],
        parameter(
            "Keep",
            "Which row of an interval passes; the last one once the interval is over",
            choices={"first": "First row", "last": "Last row"},
        ),
    ] = "first"


@dataclass(frozen=True, slots=True)
class ThrottleBound:
    """Key fields, length of an interval, whether its last row passes instead of its first; `slack` of the
    input.
    """

    by: tuple[str, ...]
    every: Duration
    last: bool
    slack: Duration


def fields_read(bound: ThrottleBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that are needed of the step's rows, and the key."""
    return (needed.get("", frozenset()) | frozenset(bound.by),)


def realtime(bound: ThrottleBound) -> str:  # noqa: ARG001
    """Python workers hold the rows, which real-time mode does not support."""
    return "holds rows until the watermark passes them, which needs micro-batch mode."


def state(bound: ThrottleBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Bounded: the held rows, and the open interval of each key."""
    why = f"rows until the watermark passes them, and one interval of {bound.every} per key"
    return StateBound("bounded", why)


def check(params: ThrottleStep, inputs: tuple[Relation, ...], path: DocumentPath) -> StepCheck[ThrottleBound]:
    """Append → append, same schema, event time and identity. KEY_TYPE, PARAMETER_RANGE below 1 ms."""
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    every, found = check_duration(params.every, (*path, "every"), min=MIN_INTERVAL)
    problems += found
    problems += require_append_only(source, (*path, "input"), "throttle")
    if has_errors(problems) or every is None or not complete:
        return StepCheck(None, replace(source, kind="append"), problems)
    last = params.keep == "last"
    slack = Duration(source.slack.us + every.us) if last else source.slack
    bound = ThrottleBound(tuple(params.by), every, last, source.slack)
    lookback = Duration(source.lookback.us + every.us)
    return StepCheck(bound, replace(source, kind="append", slack=slack, lookback=lookback), problems)


def state_entries(bound: ThrottleBound, given: InputRate) -> int | None:
    """The rows that are held, and the keys with an open interval."""
    wait = given.delay.us + bound.slack.us
    intervals = least(given.keys, given.rows_in(Duration(bound.every.us + wait)))
    return total(given.rows_in(Duration(wait)), intervals)


def stored_state(bound: ThrottleBound, context: StateContext) -> StoredState:
    """The meaning of the stored rows, with field names, by which stored rows are read again."""
    meaning, (read,) = context.digests.fields[context.inputs[0]], context.reads
    fields = [field for field in context.relations[0].schema if field.name in read]
    kept = {
        "by": [meaning[name] for name in bound.by],
        "every": bound.every.us,
        "keep": "last" if bound.last else "first",
        "time": meaning["_time"],
        "slack": bound.slack.us,
        "rows": [meaning[field.name] for field in fields],
        "stored": stored_row(context.relations[0], read, meaning),
        **order_meaning(context.relations[0]),
        **context.shift(0),
    }
    return StoredState(kept, frozenset(meaning[field.name] for field in fields), whole_rows=True)


def script(step: ScriptStep, bound: ThrottleBound) -> list[str]:
    """Lines with a processor that holds the rows and decides which pass."""
    slack = step.relation().not_applied(bound.slack).us
    types = field_types(step.relation(), bound.by)
    key = identity_sql([(quoted(name), of) for name, of in zip(bound.by, types, strict=True)])
    order = identity_sql([(quoted(name), of) for name, of in step.inputs[0].parts], ranked=True)
    rows = step.input()
    return [
        "# rows wait in a processor until the watermark has passed them, then pass in order, or not",
        f"texts = {rows}.select(",
        f"    F.expr({key!r}).alias('_key'),",
        "    F.expr('unix_micros(_time)').alias('_at'),",
        f"    F.expr({order!r}).alias('_order_key'),",
        f"    F.to_json(F.struct(*{rows}.columns), WRITING).alias('_row'),",
        f"    F.expr('unix_micros(_time) + {slack}L').alias('_closes_at', metadata={WATERMARK_COLUMN}),",
        ")",
        f"processor = ThrottleProcessor({bound.every.us}, {slack}, {bound.last})",
        "made = texts.groupBy('_key').transformWithStateInPandas("
        "processor, THROTTLE_OUTPUT, 'Append', 'eventTime')",
        f"parsed = made.select(F.from_json('_row', {rows}.schema, WRITING).alias('_row')).select('_row.*')",
        *selected(step.rows, "parsed", [*map(quoted, step.output.schema.names), *step.kept()]),
        marked(step.rows),
    ]


OPERATOR: Final = Operator(
    name="throttle",
    parameters=ThrottleStep,
    summary="At most one row per key and interval.",
    example="{op: throttle, input: readings, by: [sensor], every: 1m, keep: last}",
    check=check,
    fields_read=fields_read,
    computed=computes_nothing,
    row_wise=False,
    keeps_rows=False,
    static_inputs=no_static_inputs,
    computes_input=False,
    realtime=realtime,
    prefers_microbatch=no_reason,
    output_modes=append_only,
    rows_out=one_row,
    drops_late_rows=always,
    late_row_factor=1,
    acts_alone=never,
    sorts_batches=False,
    refuses_expiry_below=always,
    lowering_revision=2,
    state=state,
    state_entries=state_entries,
    entry_bytes=row_bytes,
    stored_state=stored_state,
    state_read=None,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
    script_settings=no_settings,
    row_identity=input_identity,
    deletes=deletes_like_input,
)
