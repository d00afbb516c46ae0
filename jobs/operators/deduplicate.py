"""deduplicate: the first of equal rows (`docs/semantics/deduplicate.md`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field, WithJsonSchema

from jobs.base.durations import ZERO, Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem, warning
from jobs.base.types import TIMESTAMP, DataType
from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import shifted
from jobs.operators.field_digests import same_meanings
from jobs.operators.forecasts import InputRate, least, one_row, row_bytes
from jobs.operators.key_fields import check_key_fields
from jobs.operators.late_rows import PORT, LatePolicy, check_late_port, late_relation, read_for_late_port
from jobs.operators.lineage import same_columns
from jobs.operators.operator import Operator, computes_nothing
from jobs.operators.parameters import (
    DURATION_SCHEMA,
    DurationText,
    InputText,
    NameText,
    Parameters,
    check_duration,
    parameter,
)
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    APPEND_ONLY,
    BOTH_MODES,
    Needed,
    OutputMode,
    StateBound,
    always,
    never,
    no_reason,
    no_static_inputs,
)
from jobs.operators.script_step import (
    NO_WATERMARK,
    ScriptStep,
    Setting,
    deletes_like_input,
    field_types,
    marked,
    row_order,
    selected,
)
from jobs.operators.stored_state import StateContext, StoredState

MILLISECOND: Final = Duration(1_000)
LONG_HOLD: Final = Duration(7 * 86_400_000_000)


class DeduplicateStep(Parameters):
    """Drop repeats of rows with the same `by` fields; null equals null.

    `within` exact: rows of one event time are one. A duration: after its first row a key is held for that
    long in event time, and its rows are dropped meanwhile; a dropped row does not prolong the hold. `late`
    rows are counted and dropped, or with dead_letter flow out of ``step.late`` too.
    """

    op: Literal["deduplicate"]
    input: InputText
    by: Annotated[
        list[NameText],
        Field(min_length=1, max_length=16),
        parameter(
            "Key fields",
            "Rows with equal values in these fields are duplicates; null equals null",
            example=["id"],
            input="fields",
        ),
    ]
    within: Annotated[
        DurationText,
        WithJsonSchema({"anyOf": [{"const": "exact"}, DURATION_SCHEMA]}),
        parameter(
            "Within",
            "Event time, e.g. 10m, or “exact” for the same event time",
            example="10m",
            inline=True,
        ),
    ]
    late: LatePolicy = "drop"


@dataclass(frozen=True, slots=True)
class DeduplicateBound:
    """Key fields; `within`, None for exact; `slack` of the input. With `dead_letters` late rows are also sent
    to the late output.
    """

    by: tuple[str, ...]
    within: Duration | None
    slack: Duration
    dead_letters: bool = False


def fields_read(bound: DeduplicateBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that are needed of the step's rows and of its late output, and the key."""
    late_fields = read_for_late_port(needed.get(PORT, frozenset()))
    return (needed.get("", frozenset()) | late_fields | frozenset(bound.by),)


def realtime(bound: DeduplicateBound) -> str:
    """Spark keeps keys for a limited time in micro-batches only, and the late output needs the watermark of a
    batch.
    """
    if bound.dead_letters:
        return "outputs its late rows, which needs micro-batch mode."
    return "" if bound.within is None else "keeps keys for a limited time, which needs micro-batch mode."


def output_modes(bound: DeduplicateBound) -> frozenset[OutputMode]:
    """Append mode only for keys that are kept for a limited time, and for a late output; else either mode."""
    return BOTH_MODES if bound.within is None and not bound.dead_letters else APPEND_ONLY


def state(bound: DeduplicateBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Bounded: one entry per key and event time (exact), or per key that is still kept."""
    if bound.within is None:
        return StateBound(
            "bounded", "one entry per key and event time, dropped when the watermark has passed it"
        )
    return StateBound(
        "bounded", f"one entry per key, dropped when the watermark is {bound.within} past its first row"
    )


def check(
    params: DeduplicateStep, inputs: tuple[Relation, ...], path: DocumentPath
) -> StepCheck[DeduplicateBound]:
    """Append → append, same schema; the identity is the key and the event time of the row that passes.
    KEY_TYPE; warns STATE_LARGE.
    """
    source = inputs[0]
    problems, complete = check_key_fields(source, params.by, (*path, "by"))
    within, found = _check_within(params.within, (*path, "within"))
    problems += found
    if source.kind != "append":
        message = "The input already has one row per key."
        problems.append(
            problem(
                "KIND_MISMATCH",
                (*path, "input"),
                message,
                "Remove this step, or deduplicate before the aggregate.",
            )
        )
    output = replace(
        source,
        kind="append",
        identity=(*params.by, "_time"),
        identity_kind="key",
        index_types=(),
        windowed=False,
        lookback=Duration(source.lookback.us + (within.us if within is not None else 0)),
    )
    dead_letters = params.late == "dead_letter"
    problems += check_late_port(source, (*path, "late")) if dead_letters else []
    bound = DeduplicateBound(tuple(params.by), within, source.slack, dead_letters)
    ports = {PORT: late_relation(source)} if dead_letters else {}
    return StepCheck(bound if complete and not has_errors(problems) else None, output, problems, ports)


def _check_within(text: str, path: DocumentPath) -> tuple[Duration | None, list[Problem]]:
    if text.strip() == "exact":
        return None, []
    within, found = check_duration(text, path, min=MILLISECOND)
    if within is not None and within.us % MILLISECOND.us:
        found.append(
            problem("PARAMETER_RANGE", path, "within must be in whole milliseconds.", "Example: 10s")
        )
    if within is not None and within > LONG_HOLD:
        message = f"Large state: every key is kept for {within}."
        found.append(
            warning(
                "STATE_LARGE", path, message, "Fine for few keys. Otherwise use a shorter within, or exact."
            )
        )
    return within, found


def refuses_expiry_below(bound: DeduplicateBound) -> bool:
    """True for a duration, for which Spark holds back the watermark of downstream steps; exact deduplication
    does not affect it.
    """
    return bound.within is not None


def state_entries(bound: DeduplicateBound, given: InputRate) -> int | None:
    """The number of keys that are kept at the same time; exact, of keys and event times."""
    within = bound.within or ZERO
    rows = given.rows_in(Duration(within.us + given.delay.us + bound.slack.us))
    return rows if bound.within is None else least(given.keys, rows)


def stored_state(bound: DeduplicateBound, context: StateContext) -> StoredState:
    """The meaning of the stored keys; rows are not stored."""
    meaning = context.digests.fields[context.inputs[0]]
    by = [meaning[name] for name in bound.by]
    kept = {
        "by": by,
        "within": bound.within.us if bound.within is not None else None,
        "time": meaning["_time"],
        "slack": bound.slack.us,
        **context.shift(0),
        **context.query_shape,
    }
    return StoredState(kept, frozenset(by))


def script(step: ScriptStep, bound: DeduplicateBound) -> list[str]:
    """Lines that keep the first row of each key: all rows of a key are in one sorted partition, so Spark
    reads the first in row order first.
    """
    keys = [f"_key{i}" for i in range(len(bound.by))]
    named = ", ".join(map(repr, keys))
    order = ", ".join(map(repr, (*keys, *row_order(step.relation()))))
    drop = f"dropDuplicatesWithinWatermark([{named}])"
    if bound.within is None:
        drop = f"dropDuplicates([{named}, '_clock'])"
    declared = [quoted(name) for name in step.output.schema.names]
    system = [name for name in step.output.system if not name.startswith("_id")]
    return [
        *_keyed(step, bound, keys),
        "# all rows of a key come from one sorted partition, so Spark meets the least first",
        f"first = keyed.repartition({named}).sortWithinPartitions({order}).{drop}",
        *selected(
            step.rows,
            "first",
            [*declared, *system, *(f"{part} AS _id{i}" for i, part in enumerate([*keys, "_time"]))],
        ),
        marked(step.rows),
    ]


def _keyed(step: ScriptStep, bound: DeduplicateBound, keys: list[str]) -> list[str]:
    """Lines that compute the variable ``keyed``: rows with keys and the watermarked column ``_clock``."""
    slack = step.relation().not_applied(bound.slack).us
    held = 0 if bound.within is None else bound.within.us // 1_000
    clock = (
        f"F.expr({shifted('_time', slack)!r}).alias('_clock', metadata={{'spark.watermarkDelayMs': {held}}})"
    )
    made = ", ".join(repr(f"{quoted(name)} AS {key}") for name, key in zip(bound.by, keys, strict=True))
    return [
        f"clocked = {step.input()}.withColumn('_clock', {clock})",
        f"keyed = clocked.withMetadata('_time', {NO_WATERMARK}).selectExpr('*', {made})",
        *(f"keyed = keyed.withMetadata({key!r}, {NO_WATERMARK})" for key in keys),
    ]


def script_settings(bound: DeduplicateBound) -> tuple[Setting, ...]:  # noqa: ARG001
    """Sorting a batch needs Spark's check for unsupported operations to be off."""
    return ("sorted batches",)


def row_identity(bound: DeduplicateBound, step: ScriptStep) -> list[DataType]:
    """The types of key and event time."""
    return [*field_types(step.relation(), bound.by), TIMESTAMP]


OPERATOR: Final = Operator(
    name="deduplicate",
    parameters=DeduplicateStep,
    summary="The first row per key.",
    example="{op: deduplicate, input: orders, by: [id], within: 1h}",
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
    drops_late_rows=always,
    late_row_factor=1,
    acts_alone=never,
    sorts_batches=True,
    refuses_expiry_below=refuses_expiry_below,
    lowering_revision=1,
    state=state,
    state_entries=state_entries,
    entry_bytes=row_bytes,
    stored_state=stored_state,
    state_read=None,
    meanings=same_meanings,
    lineage=same_columns,
    script=script,
    script_settings=script_settings,
    row_identity=row_identity,
    deletes=deletes_like_input,
)
