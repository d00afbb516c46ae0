"""The bytes of a record from the values of its fields, by the contract of its stream."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from jobs.base.instants import Instant, instant_text
from jobs.base.time_units import MILLISECOND_US
from jobs.base.types import DOUBLE, TIMESTAMP, Array, DataType, Map, Struct
from jobs.document_text import rounded_number
from jobs.formats.avro_from_json import NotWritableError, avro_bytes
from jobs.formats.avro_records import parsed
from jobs.formats.contract import StreamContract
from jobs.formats.csv_line import CsvValue, split_line
from jobs.formats.csv_records import csv_columns
from jobs.formats.decoding import value_fields
from jobs.formats.framing import framed
from jobs.formats.record_formats import (
    AvroEncoding,
    CsvEncoding,
    DebeziumEncoding,
    JsonEncoding,
    TextEncoding,
)
from jobs.formats.record_key import key_fields
from jobs.formats.source_paths import SourcePath, path_text
from jobs.job_tests.times import TimeTextError, read_time

_DIFFER = "Several fields are read from {}, and their values differ there."
_FRAME_ID = 1  # of framed JSON, whose decoder does not look at it


class CannotWriteError(ValueError):
    """Values cannot be written in the stream's format; the message says why."""


def value_bytes(
    values: Mapping[str, Any], contract: StreamContract, start: Instant, event_time: Instant
) -> bytes:
    """A record's value.

    Args:
        values: by declared field; key fields are left out where they stand in the key. Times may be durations
            after `start`.
        contract: of the stream or table.
        start: of the test.
        event_time: of the record, for the formats that carry one themselves (Debezium).

    Raises:
        CannotWriteError: the format cannot hold them.
    """
    written = _written(values, contract, start)
    in_value = {name: value for name, value in written.items() if name not in contract.key}
    try:
        match contract.encoding:
            case DebeziumEncoding() as encoding:
                source = {"ts_ms": event_time // MILLISECOND_US}
                after = _nested(written, contract)
                event = {"op": "u", "before": None, "after": after, "source": source, **source}
                return _inner(event, encoding.inner)
            case CsvEncoding() as encoding:
                return _csv(in_value, contract, encoding)
            case TextEncoding():
                return _single_text(in_value, contract)
            case inner:
                return _inner(_nested(in_value, contract), inner)
    except NotWritableError as error:
        raise CannotWriteError(str(error)) from error


def key_bytes(values: Mapping[str, Any], contract: StreamContract, start: Instant) -> bytes | None:
    """A record's key; None where the contract has no key fields, or the text that is its key is null.

    Raises:
        CannotWriteError: the format cannot hold them.
    """
    if not contract.key:
        return None
    written = _written({name: values.get(name) for name in contract.key}, contract, start)
    fields = key_fields(contract)
    single = written[fields[0].name]
    nested = _members((field.path, written[field.name]) for field in fields)
    try:
        match contract.key_encoding:
            case TextEncoding():
                return None if single is None else _text(single).encode()
            case AvroEncoding() as avro:
                is_record = parsed(avro.avro_schema or "").kind == "record"
                return _inner(nested if is_record else single, avro)
            case encoding:
                return _inner(nested, encoding)
    except NotWritableError as error:
        raise CannotWriteError(str(error)) from error


def deletion_bytes(
    values: Mapping[str, Any], contract: StreamContract, start: Instant, event_time: Instant
) -> bytes | None:
    """The value of a record that deletes a table's row: none, or the change event of a deletion.

    Raises:
        CannotWriteError: change events in Avro are not written here.
    """
    if not isinstance(contract.encoding, DebeziumEncoding):
        return None
    source = {"ts_ms": event_time // MILLISECOND_US}
    before = _nested(_written(values, contract, start), contract)
    event = {"op": "d", "before": before, "after": None, "source": source, **source}
    try:
        return _inner(event, contract.encoding.inner)
    except NotWritableError as error:
        raise CannotWriteError(str(error)) from error


def _written(values: Mapping[str, Any], contract: StreamContract, start: Instant) -> dict[str, Any]:
    types = {field.name: field.type for field in contract.schema_of_rows}
    unknown = next((name for name in values if name not in types), None)
    if unknown is not None:
        raise CannotWriteError(f"The stream has no field {unknown[:80]!r}.")
    return {name: _absolute(value, types[name], start) for name, value in values.items()}


def _absolute(value: Any, declared: DataType, start: Instant) -> Any:
    """The value with its times written out, where they are durations after the start, and doubles as
    numbers.
    """
    match declared, value:
        case (Array(element=element), list()):
            return [_absolute(part, element, start) for part in value]
        case (Map(value=inner), dict()):
            return {name: _absolute(part, inner, start) for name, part in value.items()}
        case (Struct(members=members), dict()):
            types = {member.name: member.type for member in members}
            return {
                name: _absolute(part, types[name], start) if name in types else part
                for name, part in value.items()
            }
        case (_, str()) if declared == TIMESTAMP:
            try:
                return instant_text(read_time(value, start))
            except TimeTextError:
                return value  # a malformed record may be what is tested
        case (_, str()) if declared == DOUBLE:
            return rounded_number(value)
        case _:
            return value


def _nested(values: Mapping[str, Any], contract: StreamContract) -> dict[str, Any]:
    paths = {field.name: field.read_from for field in contract.fields}
    return _members((paths[name], value) for name, value in values.items())


def _members(values: Any) -> dict[str, Any]:
    """The object in which each value is at its path, with arrays as long as the paths ask.

    Raises:
        CannotWriteError: fields that are read from one place, or from a part of another's, differ there.
    """
    root: dict[str, Any] = {}
    for path, value in sorted(values, key=lambda one: len(one[0])):  # what holds others before these
        _put(root, path, deepcopy(value))
    return root


def _put(root: Any, path: SourcePath, value: Any) -> None:
    inner = root
    for segment, following in zip(path, (*path[1:], None), strict=True):
        made: Any = value if following is None else ([] if isinstance(following, int) else {})
        if isinstance(segment, int):
            inner.extend([None] * (segment + 1 - len(inner)))
            is_free = inner[segment] is None
        else:
            is_free = segment not in inner
        if is_free:
            inner[segment] = made
        elif inner[segment] != value if following is None else type(inner[segment]) is not type(made):
            raise CannotWriteError(_DIFFER.format(path_text(path)))
        inner = inner[segment]


def _inner(value: Any, encoding: JsonEncoding | AvroEncoding) -> bytes:
    if isinstance(encoding, AvroEncoding):
        schema = encoding.avro_schema or ""
        body = avro_bytes(value, schema)
        if encoding.framing == "none":
            return body
        number = next((number for number, text in encoding.writers.items() if text == schema), None)
        if number is None:
            raise CannotWriteError("The schema of its Avro records has no registered ID.")
        return framed(number, body)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return text if encoding.framing == "none" else framed(encoding.schema_id or _FRAME_ID, text)


def _csv(values: Mapping[str, Any], contract: StreamContract, encoding: CsvEncoding) -> bytes:
    columns = csv_columns(encoding, value_fields(contract))
    by_column = _nested(values, contract)
    return encoding.delimiter.join(
        _csv_cell(by_column.get(name), name, encoding) for name in columns
    ).encode()


def _csv_cell(value: Any, column: str, encoding: CsvEncoding) -> str:
    """A value as it stands in the line.

    Raises:
        CannotWriteError: the line would be read with another value.
    """
    cell = _csv_value(value, encoding)
    quote = encoding.quote
    raw = quote + cell.text.replace(quote, quote * 2) + quote if cell.quoted else cell.text
    if split_line(raw, encoding) != [cell]:
        said = "null" if value is None else repr(cell.text[:80])
        raise CannotWriteError(f"The CSV of this stream can't hold {said} in column {column}.")
    return raw


def _csv_value(value: Any, encoding: CsvEncoding) -> CsvValue:
    if value is None:
        return CsvValue(encoding.null_text, quoted=False)
    text = _text(value)
    signs = (encoding.delimiter, encoding.quote, "\n", "\r")
    is_trimmed = encoding.trim and text != text.strip(" \t")
    return CsvValue(
        text, quoted=text == encoding.null_text or is_trimmed or any(sign in text for sign in signs)
    )


def _single_text(values: Mapping[str, Any], contract: StreamContract) -> bytes:
    """The value that is one text."""
    field = value_fields(contract)[0]
    if values.get(field.name) is None:
        raise CannotWriteError(
            f"A text record holds no null: write {field.name} in values, '' where it is an empty text."
        )
    return _text(values[field.name]).encode()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
