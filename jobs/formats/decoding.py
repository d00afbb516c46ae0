"""The one decoder: a record as a row of its stream or table, or why it is malformed
(`docs/semantics/records-and-formats.md`).

What the browser shows, what a validator quarantines and what a job reads come from here;
`jobs.engine.formats` does the same in Spark, and the tables ``tests/golden/*_records.json`` hold both
together.
"""

from typing import Any

from jobs.formats.avro_records import SchemaOf, read_avro
from jobs.formats.contract import StreamContract
from jobs.formats.csv_records import read_csv
from jobs.formats.debezium_records import Change, read_change
from jobs.formats.event_time import event_time
from jobs.formats.heartbeats import Headers, read_heartbeat
from jobs.formats.json_records import read_json
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.record_key import read_key
from jobs.formats.records import Malformed, Row, Skipped
from jobs.formats.source_paths import ReadField
from jobs.formats.text_records import read_text

DecodeResult = Row | Malformed | Skipped


def decode(
    value: bytes | None,
    key: bytes | None,
    contract: StreamContract,
    timestamp_us: int,
    schema_of: SchemaOf | None = None,
    *,
    headers: Headers = (),
) -> DecodeResult:
    """What a record is.

    Args:
        value: the record's bytes; None for a Kafka tombstone.
        key: its key's bytes; None when it has none.
        contract: of the stream or table.
        timestamp_us: Kafka's timestamp of the record, in microseconds.
        schema_of: schemas of writers by id, beside those that the contract names.
        headers: of the record, in their order.
    """
    beat = read_heartbeat(headers, contract, timestamp_us)
    if beat is not None:
        return beat
    change = _change(value, contract, schema_of)
    if not isinstance(change, Change):
        return change
    if change.deleted and contract.kind == "stream":
        return Skipped("A deletion.")
    values = change.values
    if contract.key:
        of_key = read_key(key, contract, schema_of)
        if isinstance(of_key, Malformed):
            return of_key
        values = {**values, **of_key}
    if change.deleted:
        values = _row_of(values, contract)
    elif (missing := _missing_field(values, contract)) is not None:
        return missing
    moment = event_time(values, contract, timestamp_us, change.at_ms, deleted=change.deleted)
    if isinstance(moment, Malformed):
        return moment
    return Row({field.name: values[field.name] for field in contract.schema_of_rows}, moment, change.deleted)


def _row_of(values: dict[str, Any], contract: StreamContract) -> dict[str, Any]:
    return {field.name: values.get(field.name) for field in contract.schema_of_rows}


def _missing_field(values: dict[str, Any], contract: StreamContract) -> Malformed | None:
    """FIELD_MISSING for the first field that is required and null."""
    for field in contract.read_fields:
        if not field.nullable and values[field.name] is None:
            where = "" if field.is_member else f"; it is read from {field.at}"
            return Malformed("FIELD_MISSING", f"{field.name} is required{where}.", field.name)
    return None


def _change(
    value: bytes | None, contract: StreamContract, schema_of: SchemaOf | None
) -> Change | Malformed | Skipped:
    if value is None:
        return _tombstone(contract)
    if len(value) > MAX_BYTES:
        return too_large(len(value))
    encoding, fields = contract.encoding, value_fields(contract)
    if isinstance(encoding, DebeziumEncoding):
        return read_change(value, encoding, fields, schema_of)
    values = _values(value, encoding, fields, schema_of)
    return values if isinstance(values, Malformed) else Change(values, False, None)


def too_large(size: int) -> Malformed:
    """TOO_LARGE, for a value of this many bytes."""
    return Malformed("TOO_LARGE", f"The record has {size} bytes; the limit is {MAX_BYTES}.")


def _tombstone(contract: StreamContract) -> Change | Malformed | Skipped:
    """What a record without a value is."""
    if contract.kind == "table":
        return Change({}, True, None)
    if isinstance(contract.encoding, DebeziumEncoding):
        return Skipped("Tombstone (after a delete).")
    return Malformed("VALUE_NULL", "The record has no value.")


def _values(
    value: bytes,
    encoding: JsonEncoding | AvroEncoding | CsvEncoding | TextEncoding,
    fields: tuple[ReadField, ...],
    schema_of: SchemaOf | None,
) -> dict[str, Any] | Malformed:
    """The fields of a value that is a row itself, not a change event."""
    match encoding:
        case JsonEncoding() as json:
            return read_json(value, json, fields)
        case AvroEncoding() as avro:
            found: dict[str, Any] | Malformed = read_avro(value, avro, fields, schema_of)
            return found
        case CsvEncoding() as csv:
            return read_csv(value, csv, fields)
        case TextEncoding():
            return read_text(value, fields)


def value_fields(contract: StreamContract) -> tuple[ReadField, ...]:
    """The fields that a record's value holds: all, less those read from its key."""
    return tuple(field for field in contract.read_fields if field.name not in contract.key)
