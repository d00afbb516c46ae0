"""table_join: each row of a stream with the table row that has its key (`docs/semantics/table-join.md`)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final, Literal

from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.types import DataType
from jobs.operators.append_only import require_append_only
from jobs.operators.broadcast import BroadcastChoice, check_broadcast
from jobs.operators.field_digests import FieldDigests, digest
from jobs.operators.forecasts import InputRate, entry_per_key, one_row, row_bytes, total
from jobs.operators.join_fields import (
    KeyPair,
    check_keys,
    pair_schema,
    right_names,
    side_meanings,
    sides_read,
)
from jobs.operators.lineage import ColumnSources, columns_of_sides
from jobs.operators.operator import Operator, computes_nothing, no_settings
from jobs.operators.parameters import DurationText, InputText, NameText, Parameters, check_duration, parameter
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import (
    APPEND_ONLY,
    BOTH_MODES,
    NO_STATE,
    Needed,
    OutputMode,
    StateBound,
    always,
    never,
    no_reason,
)
from jobs.operators.script_step import deletes_like_input, input_identity
from jobs.operators.stored_state import StateContext, StoredState, stored_row
from jobs.operators.table_join_bound import TableJoinBound, Version
from jobs.operators.table_join_script import script

_MIN_RETENTION: Final = Duration(1_000)


class TableJoinStep(Parameters):
    """The rows of `input`, each with the fields of the row of `table` whose key it names.

    `type` inner drops a row without one, left gives it nulls. `version` current takes the table as it is when
    the row comes; as_of takes it as it was at the row's event time and waits for the watermark, keeping
    versions for `retention`. `prefix` goes before the names of table fields that the input has too.

    `broadcast` loads a small table as a static input instead, when the query starts, and again after every
    `refresh` where one is given; a table of more than `max_rows` rows fails the run. A reload takes effect
    between two batches, so that `refresh` needs micro-batches; rows that have been joined stay as they are.
    Then `on` may name any fields of the table, not only its key: several matches give several rows, told
    apart by the table's key at the end of their identity.
    """

    op: Literal["table_join"]
    input: InputText
    table: Annotated[
        NameText,
        parameter(
            "Table",
            "A table source, or stateless steps after one",
            example="rates",
            input="step",
        ),
    ]
    type: Annotated[
        Literal["inner", "left"],
        parameter(
            "Join type",
            "Inner drops rows without a match; left gives them nulls",
            choices={"inner": "Inner", "left": "Left"},
        ),
    ] = "inner"
    on: Annotated[
        dict[str, NameText],
        parameter(
            "Key fields: stream, table",
            "Stream field and the table key it must equal (any field if broadcast); null equals nothing",
            example={"currency": "code"},
            input="mapping",
            entry="pair",
            keys="field",
            values="right_field",
        ),
    ]
    prefix: Annotated[
        NameText,
        parameter(
            "Table field prefix",
            "Required if both inputs share field names",
            example="rate_",
            input="right_prefix",
            inline=True,
        ),
    ] = ""
    version: Annotated[
        Version,
        parameter(
            "Table version",
            "Joins the table as it is now, or as it was at the row's event time",
            choices={"current": "Current", "as_of": "As of event time"},
        ),
    ] = "current"
    retention: Annotated[
        DurationText,
        parameter(
            "Version retention",
            "How long versions stay behind the watermark; older rows may find none",
            example="1d",
            inline=True,
        ),
    ] = "1d"
    broadcast: Annotated[
        BroadcastChoice | None,
        parameter(
            "Broadcast the table (small; join on any fields)",
            "Loads a small table when the run starts, which allows joins on any of its fields",
            example={"refresh": "10m"},
        ),
    ] = None

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """The stream, then the table."""
        return (("input", self.input), ("table", self.table))


def fields_read(bound: TableJoinBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """Of each side, its fields that are needed of the joined row, and its key fields."""
    return sides_read(needed.get("", frozenset()), dict(bound.names), bound.on)


def realtime(bound: TableJoinBound) -> str:
    """Allowed for `current`, and for a broadcast table without `refresh`: as_of outputs rows once the
    watermark has passed them, and a reload takes effect between batches.
    """
    if bound.version == "as_of":
        return "joins a table as of event time, which needs micro-batch mode."
    if bound.broadcast is not None and bound.broadcast.refresh is not None:
        return "refreshes its broadcast table between batches, which needs micro-batch mode."
    return ""


def static_inputs(bound: TableJoinBound) -> frozenset[int]:
    """The table, if it is broadcast."""
    return frozenset((1,)) if bound.broadcast is not None else frozenset()


def output_modes(bound: TableJoinBound) -> frozenset[OutputMode]:
    """Append mode for as_of, which outputs each row once the watermark has passed it; else either mode."""
    return APPEND_ONLY if bound.version == "as_of" else BOTH_MODES


def drops_late_rows(bound: TableJoinBound) -> bool:
    """True for as_of, which drops rows that the watermark has passed; current never does."""
    return bound.version == "as_of"


def state(bound: TableJoinBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """The table, with as_of its versions and the held rows; a broadcast table is in memory only."""
    if bound.broadcast is not None:
        return NO_STATE
    if bound.version == "current":
        return StateBound("bounded", "the table: one row per key")
    return StateBound(
        "bounded",
        f"the table: versions per key of the last {bound.retention}, "
        "and rows until the watermark passes them",
    )


def check(
    params: TableJoinStep, inputs: tuple[Relation, ...], path: DocumentPath
) -> StepCheck[TableJoinBound]:
    """Append × table → append, with the input row's event time and identity; a join on other fields than the
    table's key appends that key to the identity.
    """
    source, table = inputs
    problems = _check_kinds(source, table, path)
    on, found = check_keys(params.on, source, table, (*path, "on"))
    problems += found
    by_key = sorted(pair.right for pair in on) == sorted(table.identity)
    broadcast, found = check_broadcast(params.broadcast, params.version, (*path, "broadcast"), by_key=by_key)
    problems += found
    if broadcast is None and len(on) == len(params.on):
        problems += _check_whole_key(by_key, table, (*path, "on"))
    names, found = right_names(source.schema, table.schema, params.prefix, path)
    problems += found
    retention, found = _check_version(params, source, path)
    problems += found
    output = _output(params, source, table, names)
    if broadcast is not None and not by_key:
        output = replace(output, index_types=(*source.index_types, *_key_types(table)))
    if has_errors(problems) or len(on) < len(params.on) or retention is None:
        return StepCheck(None, output, problems)
    bound = TableJoinBound(
        params.type,
        _in_key_order(on, table) if by_key else on,
        tuple(names.items()),
        params.version,
        retention,
        table.newest_by,
        source.slack,
        broadcast,
    )
    return StepCheck(bound, output, problems)


def _in_key_order(on: tuple[KeyPair, ...], table: Relation) -> tuple[KeyPair, ...]:
    return tuple(sorted(on, key=lambda pair: table.identity.index(pair.right)))


def _output(params: TableJoinStep, source: Relation, table: Relation, names: dict[str, str]) -> Relation:
    """The relation of the joined rows: the input's fields with those of the table; identity as for a join on
    the table's key.
    """
    return replace(
        source,
        schema=pair_schema(source.schema, table.schema, names, right_missing=params.type == "left"),
        kind="append",
        row_bytes=source.row_bytes + table.row_bytes,
        untyped=source.untyped | {names.get(name, name) for name in table.untyped},
        has_unknown_fields=source.has_unknown_fields or table.has_unknown_fields,
    )


def _check_kinds(source: Relation, table: Relation, path: DocumentPath) -> list[Problem]:
    found: list[Problem] = []
    if source.kind != "append" and source.aggregate_ref is None and table.kind == "upsert":
        message = "Joining two tables isn't supported yet."
        hint = "Join each table with a stream, or read one of the topics as a stream."
        found.append(problem("KIND_MISMATCH", (*path, "input"), message, hint))
    else:
        found += require_append_only(source, (*path, "input"), "table_join")
    if table.has_unknown_fields:
        return found
    if table.kind != "upsert":
        message = "The right input isn't a table."
        found.append(problem("KIND_MISMATCH", (*path, "table"), message, "Use a source {table: name}."))
    elif "_offset" not in table.system:
        message = "The table must be a source, not the output of a step."
        hint = "Use a source {table: name}, optionally after stateless steps."
        found.append(problem("CHAIN_UPDATE", (*path, "table"), message, hint))
    return found


def _check_whole_key(by_key: bool, table: Relation, path: DocumentPath) -> list[Problem]:
    if table.kind != "upsert" or table.has_unknown_fields or by_key:
        return []
    message = f"The join must use all key fields of the table and no others: {', '.join(table.identity)}."
    hint = "Example: on: {stream_field: key_field}. To join a small table on other fields, use broadcast: {}."
    return [problem("JOIN_KEY", path, message, hint)]


def _key_types(table: Relation) -> tuple[DataType, ...]:
    return tuple(field.type for name in table.identity if (field := table.schema.get(name)) is not None)


def _check_version(
    params: TableJoinStep, source: Relation, path: DocumentPath
) -> tuple[Duration | None, list[Problem]]:
    # A version must be kept until the held rows that need it are released.
    least = max(_MIN_RETENTION, source.slack)
    if params.version == "current":
        least = _MIN_RETENTION
    return check_duration(params.retention, (*path, "retention"), min=least)


def state_entries(bound: TableJoinBound, given: InputRate) -> int | None:
    """The table's rows, one per key; with as_of also its versions of the retention, and the held rows of the
    stream.
    """
    table = given.of_input(1)
    newest = entry_per_key(bound, table)
    if bound.version == "current":
        return newest
    wait = given.delay.us + bound.slack.us
    versions = table.rows_in(Duration(bound.retention.us + wait))
    return total(newest, versions, given.of_input(0).rows_in(Duration(wait)))


def stored_state(bound: TableJoinBound, context: StateContext) -> StoredState | None:
    """The meaning of the stored rows of both sides, with field names, by which stored rows are read again.
    None for a broadcast table.
    """
    if bound.broadcast is not None:
        return None
    kept = side_meanings(
        context,
        {"type": bound.type, "slack": bound.slack.us},
        bound.on,
        {
            "stored": [
                stored_row(relation, read, context.digests.fields[side])
                for side, relation, read in zip(context.inputs, context.relations, context.reads, strict=True)
            ],
            "version": bound.version,
            "retention": bound.retention.us if bound.version == "as_of" else None,
            **(context.clock(0) if bound.version == "as_of" else {}),
        },
    )
    return replace(kept, whole_rows=True)


def meanings(bound: TableJoinBound, digests: FieldDigests, sides: tuple[str, ...]) -> dict[str, str]:
    """Fields of the stream keep their meaning; the meaning of table fields includes join type, version and
    keys.
    """
    stream, table = (digests.fields[side] for side in sides)
    keys = [stream[pair.left] for pair in bound.on]
    made = {name: digest([bound.type, bound.version, keys, table[field]]) for field, name in bound.names}
    digests.parents.update({made[name]: frozenset([table[field], *keys]) for field, name in bound.names})
    return {**stream, **made}


def lineage(bound: TableJoinBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """The source columns of columns of either side; system fields are the stream row's."""
    return columns_of_sides(bound.names, names, *inputs)


OPERATOR: Final = Operator(
    name="table_join",
    parameters=TableJoinStep,
    summary="Rows of a stream with the matching row of a table, current or as of event time.",
    example="{op: table_join, input: orders, table: rates, on: {currency: code}, version: as_of}",
    check=check,
    fields_read=fields_read,
    computed=computes_nothing,
    row_wise=False,
    keeps_rows=False,
    static_inputs=static_inputs,
    computes_input=False,
    realtime=realtime,
    prefers_microbatch=no_reason,
    output_modes=output_modes,
    rows_out=one_row,
    drops_late_rows=drops_late_rows,
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
    meanings=meanings,
    lineage=lineage,
    script=script,
    script_settings=no_settings,
    row_identity=input_identity,
    deletes=deletes_like_input,
)
