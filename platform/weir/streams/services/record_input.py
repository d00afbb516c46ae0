"""Parses records to write from the API's form, and reports the errors of each."""

import base64
import binascii
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.budget import OverBudget
from jobs.base.problems import Problem, problem
from jobs.formats.avro_from_json import NotWritableError
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.json_text import WrittenFloat, bounded_json, compact_json
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.records import Malformed
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget
from weir.streams.services.jsonl_records import TruncatedExportError, parse_line
from weir.streams.services.record_encoder import RecordEncoder, json_schema_ids
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import ServiceError


@dataclass(frozen=True)
class NewRecord:
    """A record to write; None is Kafka's null. `partition` None: chosen by the key,
    as Kafka's Java clients do. `timestamp_ms`: Kafka's; None: the time at which it is sent.
    """

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None
    timestamp_ms: int | None = None


# What librdkafka sends at once (`message.max.bytes`), without what it counts for a record's own fields: it
# would refuse a larger record when others of the request are on their way.
_MAX_RECORD_BYTES: Final = 1_000_000 - 36
_MAX_PARTITION: Final = 2**31 - 1
_NUMBER: Final = re.compile(r"[0-9]{1,10}")
_TOO_MUCH: Final = "can't be validated together with the others"
_NO_TEXT: Final = "has half a surrogate pair, which isn't valid text."
_FEWER: Final = "Send fewer, or smaller, records."


class InvalidRecordError(ValueError):
    """A record is not valid; `part` is the part of it that is invalid."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(message)
        self.part = part


def record_encoder(stream: Stream) -> RecordEncoder:
    """The encoder of a stream's format."""
    return RecordEncoder(stream.stream_contract, stream.topic, json_schema_ids(stream.workspace))


def build_record(given: dict[str, Any], encoder: RecordEncoder) -> NewRecord:
    """A record from the API's form.

    Args:
        given: its parts, of any type. The value is the first of ``value_json`` (a JSON text that
            is encoded in the stream's format), ``value_base64`` and ``value`` (an object as in
            ``value_json``, any other JSON value or text as it is); the key is the first of ``key_json`` (the
            values of its fields), ``key_base64`` and ``key`` (a text).
        encoder: of the stream.

    Raises:
        InvalidRecordError: a part of the wrong type, invalid base64 or JSON, or a value that does not match
            the schema.
    """
    return NewRecord(
        value=_value(given, encoder),
        key=_key(given, encoder),
        headers=_headers(given.get("headers")),
        partition=_partition(given.get("partition")),
    )


def build_line(line: str, encoder: RecordEncoder) -> NewRecord:
    """A record from a line of a file (`parse_line`).

    Args:
        line: of any content.
        encoder: of the stream.

    Raises:
        InvalidRecordError: see `build_record`.
        TruncatedExportError: the line says that the export, or this record of it, is incomplete.
    """
    return build_record(parse_line(line, structured=encoder.is_structured), encoder)


def _value(given: dict[str, Any], encoder: RecordEncoder) -> bytes | None:
    text = _text(given, "value_json")
    if text is not None:
        try:
            return _encoded("value_json", encoder.value, bounded_json(text, parse_float=WrittenFloat))
        except ValueError as error:
            if isinstance(error, InvalidRecordError):
                raise
            raise InvalidRecordError("value_json", f"value_json isn't valid JSON: {error}"[:300]) from error
    raw = _raw(given, "value_base64")
    value = given.get("value")
    if raw is not None or value is None:
        return raw
    if isinstance(value, dict) and encoder.is_structured:
        return _encoded("value", encoder.value, value)
    return _utf8("value", value if isinstance(value, str) else compact_json(value))


def _key(given: dict[str, Any], encoder: RecordEncoder) -> bytes | None:
    text = _text(given, "key_json")
    if text is not None:
        return _encoded("key_json", encoder.key, text)  # None: of a text key that is null
    raw = _raw(given, "key_base64")
    key = _text(given, "key")
    return raw if raw is not None or key is None else _utf8("key", key)


def _encoded(part: str, write: Callable[[Any], bytes | None], value: Any) -> bytes | None:
    try:
        return write(value)
    except NotWritableError as error:
        raise InvalidRecordError(part, f"doesn't match the schema: {error}") from error
    except ServiceError as error:
        raise InvalidRecordError(part, error.detail) from error
    except UnicodeEncodeError as error:
        raise InvalidRecordError(part, _NO_TEXT) from error
    except OverBudget as over:
        raise InvalidRecordError(part, f"{_TOO_MUCH}: {over}. {_FEWER}") from over


def _utf8(part: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRecordError(part, _NO_TEXT) from error


def _headers(given: Any) -> tuple[tuple[str, bytes | None], ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(header, dict) for header in given):
        raise InvalidRecordError("headers", "headers must be a list of objects.")
    return tuple((_header_name(header), _header(header)) for header in given)


def _header_name(header: dict[str, Any]) -> str:
    name = _text(header, "name", "headers")
    if name is None:
        raise InvalidRecordError("headers", "headers must have names.")
    _utf8("headers", name)
    return name


def _header(header: dict[str, Any]) -> bytes | None:
    raw = _raw(header, "value_base64", "headers")
    value = _text(header, "value", "headers")
    return raw if raw is not None or value is None else _utf8("headers", value)


def _partition(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, str) and _NUMBER.fullmatch(given):  # of a file that was made from a table
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= _MAX_PARTITION:
        raise InvalidRecordError("partition", "partition isn't the number of one.")
    return given


def _text(given: dict[str, Any], name: str, part: str = "") -> str | None:
    """A part that is a text; a number is taken as it is written."""
    text = given.get(name)
    if text is None:
        return None
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise InvalidRecordError(part or name, f"{name} isn't a text.")
    return str(text)


def _raw(given: dict[str, Any], name: str, part: str = "") -> bytes | None:
    text = _text(given, name, part)
    try:
        return None if text is None else base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRecordError(part or name, f"{name} isn't valid base64.") from error


def parse_records(
    stream: Stream, given: list[dict[str, Any]], first_number: int = 1
) -> tuple[list[NewRecord], list[Problem]]:
    """Parse records to write, and validate them against the contract.

    Args:
        stream: their stream.
        given: the parts of each; one with a ``line`` is parsed from that line.
        first_number: the number of the first record, for messages.

    Returns:
        The valid records, and a problem for each of the others.
    """
    encoder, ref, now_us = record_encoder(stream), stream_ref(stream), time.time_ns() // 1000
    contract = stream.stream_contract  # once: a contract with many writers takes long to validate
    records: list[NewRecord] = []
    errors: list[Problem] = []
    with page_budget():
        for at, one in enumerate(given):
            try:
                record = build_line(one["line"], encoder) if "line" in one else build_record(one, encoder)
            except (InvalidRecordError, TruncatedExportError) as error:
                part = error.part if isinstance(error, InvalidRecordError) else "line"
                message = f"Record {first_number + at}: {error}"
                errors.append(problem("PARAMETER_RANGE", ("records", str(at), part), message))
                continue
            found = _error(stream, contract, ref, record, now_us)
            if found is None:
                records.append(record)
            else:
                message = f"Record {first_number + at} {found[1]}"
                errors.append(problem("PARAMETER_RANGE", ("records", str(at), found[0]), message))
    return records, errors


def _size(record: NewRecord) -> int:
    """Bytes of key, value and headers as Kafka writes them."""
    parts = (part for name, value in record.headers for part in (name.encode(), value))
    headers = sum(len(part or b"") + _size_of_length(part) for part in parts)
    return len(record.key or b"") + len(record.value or b"") + headers


def _size_of_length(part: bytes | None) -> int:
    """A header's lengths are varints of seven bits a byte, with a bit for the sign; null's is one byte."""
    return (len(part or b"").bit_length() + 7) // 7


def _error(
    stream: Stream, contract: StreamContract, ref: TopicRef, record: NewRecord, now_us: int
) -> tuple[str, str] | None:
    if record.partition is not None and record.partition >= stream.partitions:
        return (
            "partition",
            f"has an invalid partition: {stream.topic} has partitions 0 to {stream.partitions - 1}.",
        )
    if len(record.key or b"") > MAX_BYTES:
        return "key", f"has a key larger than {MAX_BYTES} bytes."
    if (size := _size(record)) > _MAX_RECORD_BYTES:
        return (
            "value",
            f"is too large: key, value and headers have {size} bytes; the limit is {_MAX_RECORD_BYTES}.",
        )
    try:
        found = decode(record.value, record.key, contract, now_us, ref.schema_of, headers=record.headers)
    except OverBudget as over:
        return "value", f"{_TOO_MUCH}: {over}. {_FEWER}"
    return (
        ("value", f"is malformed ({found.reason}): {found.detail}") if isinstance(found, Malformed) else None
    )
