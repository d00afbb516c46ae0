"""Sources of a rendered script: records become typed rows with a watermark, as the contract says."""

from typing import Final

from jobs.base.instants import MAX_INSTANT
from jobs.base.schemas import Field
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import value_fields
from jobs.formats.event_time_sql import deletion_time_sql, event_time_sql, is_ahead_sql
from jobs.formats.json_tree import is_tree, json_tree
from jobs.formats.record_formats import DebeziumEncoding, JsonEncoding, TextEncoding
from jobs.formats.record_key import key_fields
from jobs.formats.source_paths import ReadField
from jobs.formats.text_values_sql import text_value_sql, variant_value_sql
from jobs.operators.script_step import NotRenderableError, block_filter_pushdown, rows_of, selected
from jobs.plan.model import SourceBound
from jobs.plan.script.formats import Values, read_changes, read_json, read_text

_COORDINATES: Final = ("_timestamp", "_partition", "_offset")
# The script's own columns, which no field of a contract is called.
_KEY, _WHOLE, _LISTED, _PARTS = "_key", "_whole", "_listed", "_parts"


def write_source(name: str, bound: SourceBound, *, static: bool) -> list[str]:
    """The statements that read a source and leave out malformed records.

    Args:
        name: the source's name in the document.
        bound: contract and the fields to parse.
        static: read the present records once, as a static input.

    Raises:
        NotRenderableError: plain Spark can't decode the records or their keys.
    """
    contract = bound.contract
    values = _values(contract, bound)
    keys = _keys(contract) if _reads_key(bound) else None
    return [
        f"# {contract.kind} {name}: records that are not of its form are left out",
        f"raw = read(spark, options, {name!r}{', static=True' if static else ''})",
        *values.lines,
        *selected(
            "fields",
            "fields",
            [*_value_columns(contract, values), *([] if keys is None else [f"key AS {_KEY}"]), *_COORDINATES],
        ),
        *([] if keys is None else _with_keys(keys)),
        *_required(bound),
        *_timed(contract),
        *_rows(name, bound, static=static),
    ]


def _reads_key(bound: SourceBound) -> bool:
    """Whether record keys are parsed: always for a table, for a stream only where one of its key fields is
    used.
    """
    contract = bound.contract
    return bool(contract.key) and (
        contract.kind == "table" or bool(set(contract.key) & set(bound.used_fields))
    )


def _value_columns(contract: StreamContract, values: Values) -> list[str]:
    columns = [
        *(f"{sql} AS {quoted(field)}" for field, sql in values.fields.items()),
        *(f"{sql} AS {column}" for column, sql in values.system.items()),
    ]
    if contract.kind == "table" and "_deleted" not in values.system:
        columns.append("value IS NULL AS _deleted")
    return columns


def _with_keys(keys: Values) -> list[str]:
    fields = [f"{sql} AS {quoted(field)}" for field, sql in keys.fields.items()]
    return [*keys.lines, *selected("fields", "fields", ["*", *fields])]


def _required(bound: SourceBound) -> list[str]:
    """The filter that drops records without a required field; a table's deletions have no fields and pass."""
    contract = bound.contract
    required = " AND ".join(
        f"{quoted(f.name)} IS NOT NULL"
        for f in contract.schema_of_rows
        if not f.nullable and f.name in bound.used_fields
    )
    if not required:
        return []
    return [
        f"fields = fields.where({(f'_deleted OR ({required})' if contract.kind == 'table' else required)!r})"
    ]


def _values(contract: StreamContract, bound: SourceBound) -> Values:
    fields = tuple(field for field in value_fields(contract) if field.name in bound.used_fields)
    table = contract.kind == "table"
    is_json = isinstance(contract.encoding, JsonEncoding | DebeziumEncoding)
    if is_json and not is_tree(value_fields(contract)):
        raise NotRenderableError("a script does not read fields from array elements, or one value twice.")
    match contract.encoding:
        case JsonEncoding(framing="none", json_schema=None, subject=None):
            return read_json(fields, table=table)
        case DebeziumEncoding(inner=JsonEncoding(framing="none", json_schema=None, subject=None)) as changes:
            return read_changes(changes, fields, table=table)
        case TextEncoding():
            return read_text(fields, table=table)
        case _:
            raise NotRenderableError(
                f"a script reads {contract.format} records not at all, or not with a JSON Schema "
                "or the framing of a schema registry: "
                "only plain JSON, change events in it, and texts."
            )


def _keys(contract: StreamContract) -> Values:
    """Key fields from the record's key: an object, with or without an embedded schema, a list, or the bare
    value of the only field.
    """
    fields, table = key_fields(contract), contract.kind == "table"
    match contract.key_encoding:
        case TextEncoding():
            (field,) = fields
            sql = text_value_sql(_KEY, field.type)
            return Values(
                [f"fields = fields.where({_whole_key([sql], [_KEY], table=table)!r})"], {field.name: sql}
            )
        case JsonEncoding(framing="none", json_schema=None, subject=None):
            return _json_keys(fields, table=table)
        case _:
            raise NotRenderableError(
                "keys in Avro, and with the framing of a schema registry, are read by the service only."
            )


def _json_keys(fields: tuple[ReadField, ...], *, table: bool) -> Values:
    tree = json_tree(fields, lambda _: "VARIANT")
    members, own = tree.members.removesuffix(", "), tree.own_members.removesuffix(", ")
    named = f"array({', '.join(tree.of(_WHOLE, field) for field in fields)})"
    element, own_element = f"STRUCT<{members}>", f"STRUCT<{own}>"
    if not {"schema", "payload"} & {field.path[0] for field in fields}:
        element = f"STRUCT<{members}, schema: STRING, payload: STRUCT<{members}>>"
        own_element = f"STRUCT<{own}, schema: STRING, payload: STRUCT<{own}>>"
        wrapped = f"array({', '.join(tree.of(f'{_WHOLE}.payload', field) for field in fields)})"
        is_wrapped = f"{_WHOLE}.schema IS NOT NULL AND {_WHOLE}.payload IS NOT NULL"
        named = f"if({is_wrapped}, {wrapped}, {named})"
    renamed = (
        [f"fields = fields.withColumn({_WHOLE!r}, F.expr({f'CAST({_WHOLE} AS {own_element})'!r}))"]
        if tree.is_renamed
        else []
    )
    bare = f"concat('[', {_KEY}, ']')" if len(fields) == 1 else "NULL"
    listed = f"if(startswith(trim({_KEY}), '['), {_KEY}, {bare})"
    parts = [f"get({_PARTS}, {i})" for i in range(len(fields))]
    read = {
        field.name: variant_value_sql(part, field.type) for part, field in zip(parts, fields, strict=True)
    }
    lines = [
        "# a key is an object, a list, or the bare value of one field",
        f"wrapped = F.from_json(F.expr({_WRAPPED_KEY!r}), {f'whole {element}'!r}, READING)",
        f"fields = fields.withColumn({_WHOLE!r}, wrapped['whole'])",
        *renamed,
        f"listed = F.from_json(F.expr({_in_parts(listed)!r}), 'parts ARRAY<VARIANT>', READING)",
        f"fields = fields.withColumn({_LISTED!r}, listed['parts'])",
        f"fields = fields.withColumn({_PARTS!r}, F.expr({_chosen(named)!r}))",
        f"fields = fields.where({_whole_key(list(read.values()), parts, table=table)!r})",
    ]
    return Values(lines, read)


_WRAPPED_KEY: Final = f"concat('{{\"whole\":', if(startswith(trim({_KEY}), '{{'), {_KEY}, NULL), '}}')"


def _in_parts(listed: str) -> str:
    return f"concat('{{\"parts\":', {listed}, '}}')"


def _chosen(named: str) -> str:
    return f"if(startswith(trim({_KEY}), '{{'), {named}, {_LISTED})"


def _whole_key(values: list[str], parts: list[str], *, table: bool) -> str:
    """The condition on parsed keys: a table's is complete; a stream's may lack parts but none has another
    type.
    """
    valid = f"is_valid_utf8({_KEY})"
    if parts != [_KEY]:
        valid += f" AND size({_PARTS}) = {len(parts)}"
    if table:
        return " AND ".join([valid, *(f"{value} IS NOT NULL" for value in values)])
    if parts == [_KEY]:
        return f"{_KEY} IS NULL OR ({valid} AND {values[0]} IS NOT NULL)"
    valid += f" AND (NOT startswith(trim({_KEY}), '{{') OR {_WHOLE} IS NOT NULL)"  # a broken object is none
    fits = [
        f"(coalesce(schema_of_variant({part}), 'VOID') = 'VOID' OR {value} IS NOT NULL)"
        for part, value in zip(parts, values, strict=True)
    ]
    return f"{_KEY} IS NULL OR ({valid} AND {' AND '.join(fits)})"


def _timed(contract: StreamContract) -> list[str]:
    """Add the event time, and drop records whose time is out of range or too far ahead of their Kafka
    timestamp (`docs/semantics/time.md#event-time-of-a-record`).
    """
    micros = event_time_sql(contract)
    if contract.kind == "table":
        micros = f"if(_deleted, {deletion_time_sql(contract)}, {micros})"
    inside = f"_micros > 0 AND _micros < {MAX_INSTANT}L"
    if contract.max_ahead is not None:
        inside += f" AND NOT {is_ahead_sql('_micros', '_timestamp', contract.max_ahead)}"
    return [
        f"timed = fields.withColumn('_micros', F.expr({micros!r})).where({inside!r})",
        "timed = timed.selectExpr('*', 'timestamp_micros(_micros) AS _time')",
    ]


def _rows(name: str, bound: SourceBound, *, static: bool) -> list[str]:
    contract = bound.contract
    read = set(bound.used_fields) | (set(contract.key) if _reads_key(bound) else set())
    declared = [_declared(field, read) for field in contract.schema_of_rows]
    system = ["_time", "_timestamp", f"{string_sql(name)} AS _source", "_partition", "_offset"]
    if contract.kind == "table":
        system += ["_deleted", *(f"{quoted(key)} AS _id{i}" for i, key in enumerate(contract.key))]
    mark = []
    if contract.delay is not None and not static:
        # Spark would push filters below the watermark, which must see every row of the source.
        mark = [
            f"timed = timed.withWatermark('_time', '{contract.delay_duration.us} microseconds')",
            block_filter_pushdown("timed", name, "the watermark"),
        ]
    return [*mark, *selected(rows_of(name, static=static), "timed", [*declared, *system])]


def _declared(field: Field, read: set[str]) -> str:
    """The column of a declared field: null where nothing reads it."""
    return (
        quoted(field.name)
        if field.name in read
        else f"CAST(NULL AS {schema_sql(field.type)}) AS {quoted(field.name)}"
    )
