"""Decoding of record values in a rendered script: one reader per format."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.formats.debezium_records import ROW_OPS
from jobs.formats.json_tree import json_tree
from jobs.formats.json_wire import JsonWire
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.record_formats import DebeziumEncoding
from jobs.formats.source_paths import ReadField


@dataclass(frozen=True)
class Values:
    """How a script reads some fields of a record.

    Attributes:
        lines: statements that derive the variable ``fields`` from ``raw``, without records that don't match
            the format.
        fields: Spark SQL by field name.
        system: Spark SQL by column name, for what the format states besides fields: time of the change,
            deletion.
    """

    lines: list[str]
    fields: Mapping[str, str]
    system: Mapping[str, str] = field(default_factory=dict)


def read_json(fields: tuple[ReadField, ...], *, table: bool) -> Values:
    """Read JSON objects. Texts are parsed as variants and times as texts, because Spark would accept 7 as a
    text and a number of seconds as a time.
    """
    wire = JsonWire()
    tree = json_tree(fields, wire.type)
    members = tree.members.removesuffix(", ") or "_nothing: INT"
    record = tree.named("get(json.rows, 0)", "")
    lines = [
        *_objects(members, record, table=table),
        *_fitting({tree.of("record", f): f for f in fields}, wire),
    ]
    return Values(lines, {f.name: wire.value(tree.of("record", f), f.type) for f in fields})


def read_changes(encoding: DebeziumEncoding, fields: tuple[ReadField, ...], *, table: bool) -> Values:
    """Read Debezium change events, with or without an embedded schema: the row after each change."""
    wire = JsonWire(encoding.time_unit)
    tree = json_tree(fields, wire.type)
    members = tree.members.removesuffix(", ") or "_nothing: INT"
    row = "event.after"
    event = f"op: STRING, after: STRUCT<{members}>, source: STRUCT<ts_ms: BIGINT>, ts_ms: BIGINT"
    own = (
        "named_struct('op', record.op, 'after', record.after, 'source', record.source, 'ts_ms', record.ts_ms)"
    )
    is_row = f"event.op IN ({', '.join(map(repr, ROW_OPS))}) AND event.after IS NOT NULL"
    known = f"value IS NULL OR event.op = 'd' OR ({is_row})" if table else is_row
    renamed = []
    if tree.is_renamed:
        row = "row_after"
        named = tree.named("event.after", "")
        renamed = [f"fields = fields.withColumn('{row}', F.expr({named!r}))"]
    lines = [
        *_objects(f"{event}, payload: STRUCT<{event}>", "get(json.rows, 0)", table=table),
        f"fields = fields.withColumn('event', F.expr({f'if(record.op IS NULL, record.payload, {own})'!r}))",
        f"fields = fields.where({known!r})",
        *renamed,
        *_fitting({tree.of(row, f): f for f in fields}, wire),
    ]
    values = {f.name: wire.value(tree.of(row, f), f.type) for f in fields}
    system = {"_change_ms": "coalesce(event.source.ts_ms, event.ts_ms)"}
    if table:
        system["_deleted"] = "value IS NULL OR event.op = 'd'"
    return Values(lines, values, system)


def _objects(members: str, record: str, *, table: bool) -> list[str]:
    """Keep values that are exactly one JSON object; for a table also null values, its deletions."""
    whole = "f'value IS NULL OR ({WHOLE})'" if table else "WHOLE"
    wrapped = f"rows ARRAY<STRUCT<{members}>>, end INT, _unreadable STRING"
    return [
        f"parsed = raw.withColumn('json', F.from_json(F.expr(WRAPPED), {wrapped!r}, READING))",
        f"fields = parsed.where({whole}).withColumn('record', F.expr({record!r}))",
    ]


def _fitting(fields: Mapping[str, ReadField], wire: JsonWire) -> list[str]:
    fits = " AND ".join(
        test for test in (wire.fits(sql, f.type) for sql, f in fields.items()) if test != "true"
    )
    return [f"fields = fields.where({fits!r})"] if fits else []


def read_text(fields: tuple[ReadField, ...], *, table: bool) -> Values:
    """Read texts: the value is the one field."""
    valid = f"is_valid_utf8(value) AND octet_length(value) <= {MAX_BYTES}"
    whole = f"value IS NULL OR ({valid})" if table else valid
    return Values([f"fields = raw.where({whole!r})"], {f.name: "value" for f in fields})
