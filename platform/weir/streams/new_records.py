"""Records that somebody wants to write, from the API's form, and what is wrong with each of them."""

import base64
import binascii
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import Problem, problem
from jobs.formats.avro_from_json import NotWritableError
from jobs.formats.decoding import decode
from jobs.formats.json_text import bounded_json
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.records import Malformed
from weir.streams.models import Stream
from weir.streams.places import Place, place_of
from weir.streams.record_lines import TruncatedExportError
from weir.streams.record_writers import RecordWriters, json_schema_ids
from weir.workspaces.errors import ServiceError


@dataclass(frozen=True)
class NewRecord:
    """A record to write; None is Kafka's null. `partition` None: by the key, as Kafka's own clients choose."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None


OfLine = Callable[[str, bool], dict[str, Any]]


class UnfitError(ValueError):
    """A record cannot be made; `part` is what of it, the message says why."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(message)
        self.part = part


def writers_of(stream: Stream) -> RecordWriters:
    """How JSON becomes records of a stream."""
    return RecordWriters(stream.stream_contract, stream.topic, json_schema_ids(stream.workspace))


def new_record(given: dict[str, Any], writers: RecordWriters) -> NewRecord:
    """A record from the API's form.

    Args:
        given: checked by the API's serializer. Of the value the first of ``value_json`` (a JSON text that is written in the stream's
            format), ``value_base64`` and ``value`` (an object like ``value_json``, any other JSON value or text as it is) counts; of
            the key ``key_json`` (the values of its fields), ``key_base64`` and ``key`` (a text).
        writers: of the stream.

    Raises:
        UnfitError: base64 or JSON that is none, or what does not fit a schema.
    """
    return NewRecord(
        value=_value(given, writers),
        key=_key(given, writers),
        headers=tuple((header["name"], _header(header)) for header in given.get("headers") or ()),
        partition=given.get("partition"),
    )


def _value(given: dict[str, Any], writers: RecordWriters) -> bytes | None:
    text = given.get("value_json")
    if text is not None:
        try:
            return _written("value_json", writers.value, bounded_json(text))
        except ValueError as error:
            if isinstance(error, UnfitError):
                raise
            raise UnfitError("value_json", f"value_json isn't valid JSON: {error}"[:300]) from error
    raw = _raw(given, "value_base64")
    value = given.get("value")
    if raw is not None or value is None:
        return raw
    if isinstance(value, dict) and writers.is_structured:
        return _written("value", writers.value, value)
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()


def _key(given: dict[str, Any], writers: RecordWriters) -> bytes | None:
    text = given.get("key_json")
    if text is not None:
        return _written("key_json", writers.key, text)
    raw = _raw(given, "key_base64")
    key = given.get("key")
    return raw if raw is not None or key is None else str(key).encode()


def _written(part: str, write: Any, value: Any) -> bytes:
    try:
        return bytes(write(value))
    except NotWritableError as error:
        raise UnfitError(part, f"doesn't match the schema: {error}") from error
    except ServiceError as error:
        raise UnfitError(part, error.detail) from error


def _header(header: dict[str, Any]) -> bytes | None:
    raw = _raw(header, "value_base64", "headers")
    value = header.get("value")
    return raw if raw is not None or value is None else str(value).encode()


def _raw(given: dict[str, Any], name: str, part: str = "") -> bytes | None:
    text = given.get(name)
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnfitError(part or name, f"{name} isn't valid base64.") from error


def read_records(stream: Stream, given: list[dict[str, Any]], of_line: OfLine, first: int = 1) -> tuple[list[NewRecord], list[Problem]]:
    """Records to write, and what is wrong with those that do not fit the contract.

    Args:
        stream: to which.
        given: each checked by the API's serializer; one with a ``line`` is what the line means.
        of_line: a line as the API's form of a record, checked; it is told whether the server writes objects. Raises UnfitError or
            TruncatedExportError.
        first: the number of the first of them, for words.

    Returns:
        All that could be made, and a problem for each record that could not, or that does not fit.
    """
    writers, place, now_us = writers_of(stream), place_of(stream), time.time_ns() // 1000
    records: list[NewRecord] = []
    faults: list[Problem] = []
    for at, one in enumerate(given):
        try:
            record = new_record(of_line(one["line"], writers.is_structured) if "line" in one else one, writers)
        except (UnfitError, TruncatedExportError) as error:
            part = error.part if isinstance(error, UnfitError) else "line"
            faults.append(problem("PARAMETER_RANGE", ("records", str(at), part), f"Record {first + at}: {error}"))
            continue
        fault = _fault(stream, place, record, now_us)
        if fault is None:
            records.append(record)
        else:
            faults.append(problem("PARAMETER_RANGE", ("records", str(at), fault[0]), f"Record {first + at} {fault[1]}"))
    return records, faults


def _fault(stream: Stream, place: Place, record: NewRecord, now_us: int) -> tuple[str, str] | None:
    if record.partition is not None and record.partition >= stream.partitions:
        return "partition", f"has an invalid partition: {stream.topic} has partitions 0 to {stream.partitions - 1}."
    if len(record.key or b"") > MAX_BYTES:
        return "key", f"has a key larger than {MAX_BYTES} bytes."
    found = decode(record.value, record.key, stream.stream_contract, now_us, place.schema_of, headers=record.headers)
    return ("value", f"is malformed ({found.reason}): {found.detail}") if isinstance(found, Malformed) else None
