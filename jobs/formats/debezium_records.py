"""A change event of Debezium as the row that it leaves, or as a deletion."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from jobs.base.instants import instant_of
from jobs.base.time_units import MILLISECOND_US
from jobs.base.types import LONG_RANGE
from jobs.formats.avro_records import SchemaOf
from jobs.formats.debezium_avro import avro_event, row_fields
from jobs.formats.framing import json_body
from jobs.formats.json_records import typed_fields
from jobs.formats.json_text import NumberText, parse_json
from jobs.formats.member_limit import too_many_members
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding, JsonEncoding
from jobs.formats.records import Malformed, Skipped
from jobs.formats.source_paths import ReadField

ROW_OPS: Final = ("c", "u", "r")
LEFT_OUT_OPS: Final = ("m", "t")


@dataclass(frozen=True, slots=True)
class Change:
    """What a change event says.

    Attributes:
        values: of the row after the change; empty for a deletion.
        deleted: the row is gone.
        at_ms: when the change was made in the source, or else seen by the connector; None when neither is
            said.
    """

    values: dict[str, Any]
    deleted: bool
    at_ms: int | None


def read_change(
    value: bytes, encoding: DebeziumEncoding, fields: tuple[ReadField, ...], schema_of: SchemaOf | None = None
) -> Change | Malformed | Skipped:
    """The change in an event.

    Args:
        value: the event's bytes.
        encoding: of the event.
        fields: of the row.
        schema_of: as for `read_avro`.

    Returns:
        `Skipped` for messages and truncations, or TOO_LARGE, NOT_CHANGE, FIELD_TYPE; of JSON also NOT_FRAMED,
        NOT_JSON, TOO_DEEP, NOT_OBJECT; of Avro NOT_FRAMED, SCHEMA_UNKNOWN, SCHEMA_MISMATCH, NOT_AVRO.
    """
    event = (
        avro_event(value, encoding.inner, schema_of)
        if isinstance(encoding.inner, AvroEncoding)
        else json_event(value, encoding.inner)
    )
    if isinstance(event, Malformed):
        return event
    op = change_op(event)
    if isinstance(op, Malformed):
        return op
    if op in LEFT_OUT_OPS:
        return Skipped("A message or truncation event.")
    if op == "d":
        return Change({}, True, _at_ms(event))
    after = changed_row(event)
    if isinstance(after, Malformed):
        return after
    values = (
        row_fields(after, fields, encoding.time_unit)
        if isinstance(encoding.inner, AvroEncoding)
        else _json_row(value, encoding.inner, after, fields, encoding.time_unit)
    )
    return values if isinstance(values, Malformed) else Change(values, False, _at_ms(event))


def change_op(event: dict[str, Any]) -> str | Malformed:
    """What an event does, or NOT_CHANGE."""
    op = event.get("op")
    if op not in (*ROW_OPS, *LEFT_OUT_OPS, "d"):
        return Malformed("NOT_CHANGE", "Not a change event: `op` isn't c, u, r, d, t or m.", "op")
    return str(op)


def changed_row(event: dict[str, Any]) -> dict[str, Any] | Malformed:
    """The row after the change of an event that has one, or NOT_CHANGE."""
    after = event.get("after")
    if not isinstance(after, dict):
        return Malformed("NOT_CHANGE", "The change event has no row in `after`.", "after")
    return after


def _json_row(
    value: bytes, encoding: JsonEncoding, after: dict[str, Any], fields: tuple[ReadField, ...], time_unit: str
) -> dict[str, Any] | Malformed:
    body = json_body(value, encoding)
    large = body if isinstance(body, Malformed) else too_many_members(body, fields, is_change=True)
    return typed_fields(after, fields, time_unit) if large is None else large


def json_event(value: bytes, encoding: JsonEncoding) -> dict[str, Any] | Malformed:
    """The event itself: converters put it into `payload` when they write its schema beside it."""
    body = json_body(value, encoding)
    if isinstance(body, Malformed):
        return body
    parsed = parse_json(body)
    if isinstance(parsed, Malformed) or parsed.get("op") is not None:
        return parsed
    payload = parsed.get("payload")
    return payload if isinstance(payload, dict) else {}


def _at_ms(event: dict[str, Any]) -> int | None:
    source = event.get("source")
    places = (source.get("ts_ms") if isinstance(source, dict) else None, event.get("ts_ms"))
    for found in places:
        if (
            isinstance(found, NumberText)
            and found.whole
            and len(found.text) <= 20
            and int(found.text) in LONG_RANGE
        ):
            return int(found.text)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        if isinstance(found, datetime):
            return instant_of(found) // MILLISECOND_US
    return None
