"""The records that a preview's sources give: from a topic, or typed."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from confluent_kafka import Message

from jobs.base.budget import OverBudget, spend
from jobs.base.iso_times import read_instant
from jobs.formats.avro_records import SchemaOf
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.heartbeats import heartbeat_time
from jobs.formats.records import Row
from jobs.play import PlayHeader, PlayRecord
from weir.clusters.services.message_headers import headers_of
from weir.schemas.services.contract_schemas import writer_schemas
from weir.streams.models import Stream
from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.decoding import page_budget, timestamp_us
from weir.streams.services.jsonl_records import TruncatedExportError, filled_lines
from weir.streams.services.record_filter import KeyAs
from weir.streams.services.record_input import InvalidRecordError, build_line, record_encoder
from weir.streams.services.row_sample import in_order
from weir.streams.services.sampling import newest_records
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.workspaces.errors import ServiceError

MAX_RECORDS: Final = 1_000  # of all sources of a preview
MAX_BYTES: Final = 400_000  # of their keys and values: what an ask has room for

Kind = Literal["newest", "time", "key", "lines", "sample"]
_TYPED: Final = ("lines", "sample")


@dataclass(frozen=True)
class SourceChoice:
    """What a source gives.

    Attributes:
        kind: the newest records, those from a time, the newest with a key, typed lines, or the lines that are
            stored with the stream.
        records: number of records.
        time_ms: first Kafka timestamp, ms since the epoch.
        key: of the records.
        key_as: how `key` is written (`record_filter`).
        lines: JSON lines: values, or records as an export of the stream writes them; those of the stored
            sample, too.
    """

    kind: Kind = "newest"
    records: int = 200
    time_ms: int | None = None
    key: str = ""
    key_as: KeyAs = "auto"
    lines: str = ""


@dataclass(frozen=True)
class Sample:
    """The records of one source, in order, and what a person should know about them.

    Attributes:
        records: in order.
        note: why there are fewer than asked for; empty where there aren't.
        around_us: Kafka timestamp around which the newest records were read, so that they meet those of the
            other sources; None: the newest ones of all.
        times: of each record the event time in µs, or the moment of a heartbeat; None where it has none. None
            altogether: not known, or they cost too much to be decoded here.
        typed: they were typed; a record's offset is that of its line.
    """

    records: tuple[PlayRecord, ...]
    note: str = ""
    around_us: int | None = None
    times: tuple[int | None, ...] | None = None
    typed: bool = False


def sample(stream: Stream, choice: SourceChoice, room: int, around_us: int | None = None) -> Sample:
    """The records that a source gives.

    Args:
        stream: what it reads.
        choice: which records.
        room: bytes that its keys and values may have.
        around_us: instead of the newest records, those around this Kafka timestamp.

    Raises:
        ServiceError: a line cannot be a record of the stream.
        NotFoundError: the topic does not exist.
        UnreachableError: the cluster does not answer.
        BusyError: the topic has large batches, and others read such topics.
    """
    if choice.kind == "lines":
        found = _typed(stream, choice.lines)
        empty = "No records were typed."
    elif choice.kind == "sample":
        found = _typed(stream, choice.lines)
        empty = f"The stream {stream.name} has no sample. Type records, and save them as its sample."
    else:
        found = [_played(message) for message in in_order(_messages(stream, choice, around_us))]
        empty = {
            "newest": f"The topic {stream.topic} has no records.",
            "time": f"The topic {stream.topic} has no records from that time on.",
            "key": "No record with that key was found among the newest records.",
        }[choice.kind]
    kept = _within(found, room, newest=choice.kind in ("newest", "key"))
    if not found:
        return Sample((), empty)
    left = len(found) - len(kept)
    note = (
        f"{left:,} of {len(found):,} records are left out: a preview reads {MAX_BYTES:,} bytes."
        if left
        else ""
    )
    return Sample(tuple(kept), note, around_us, typed=choice.kind in _TYPED)


def with_times(stream: Stream, read: Sample) -> Sample:
    """The sample with the event times of its records, unless they cost more than the budget around has left.

    Args:
        stream: it was read of.
        read: the sample.
    """
    contract = stream.stream_contract
    schemas = writer_schemas(stream.workspace)
    try:
        return replace(read, times=tuple(_moment(record, contract, schemas) for record in read.records))
    except OverBudget:
        return read


def _moment(record: PlayRecord, contract: StreamContract, schema_of: SchemaOf | None) -> int | None:
    headers = [(header.key, header.value) for header in record.headers]
    spend(0)
    found = decode(record.value, record.key, contract, record.timestamp_us, schema_of, headers=headers)
    if isinstance(found, Row):
        return found.event_time
    return heartbeat_time(headers, contract, record.timestamp_us)


def _messages(stream: Stream, choice: SourceChoice, around_us: int | None) -> list[Message]:
    ref = stream_ref(stream)
    if around_us is not None:
        return _around(ref, choice.records, around_us // 1_000)
    if choice.kind == "newest":
        return newest_records(ref, choice.records).messages
    query = (
        BrowseQuery(origin="time", time_ms=choice.time_ms or 0, limit=choice.records)
        if choice.kind == "time"
        else BrowseQuery(key=choice.key, key_as=choice.key_as, limit=choice.records)
    )
    return _ascending(scan_page(ref, query).messages)


def _around(ref: TopicRef, records: int, at_ms: int) -> list[Message]:
    """Half of the records up to a moment, half from then on."""
    half = max(1, records // 2)
    before = scan_page(ref, BrowseQuery(origin="newest", until_ms=at_ms, limit=half)).messages
    after = scan_page(ref, BrowseQuery(origin="time", time_ms=at_ms, limit=half)).messages
    return _ascending([*before, *after])


def _ascending(messages: Iterable[Message]) -> list[Message]:
    """Each partition in its own order: a page of the newest begins with the newest."""
    return sorted(messages, key=lambda message: (message.partition() or 0, message.offset() or 0))


def _played(message: Message) -> PlayRecord:
    key, value = message.key(), message.value()
    return PlayRecord(
        key=key if isinstance(key, bytes) else None,
        value=value if isinstance(value, bytes) else None,
        timestamp_us=timestamp_us(message),
        headers=tuple(PlayHeader(key=name, value=held) for name, held in headers_of(message)),
        partition=message.partition() or 0,
        offset=message.offset(),
    )


def _typed(stream: Stream, text: str) -> list[PlayRecord]:
    """Typed records arrive now, a millisecond apart, unless they say when they did."""
    encoder, now_us = record_encoder(stream), time.time_ns() // 1_000
    lines = filled_lines(text)
    if len(lines) > MAX_RECORDS:
        raise ServiceError("PREVIEW_TOO_LARGE", f"A preview reads at most {MAX_RECORDS:,} records.")
    found = []
    with page_budget():
        for at, (number, line) in enumerate(lines):
            try:
                record = build_line(line, encoder)
            except (InvalidRecordError, TruncatedExportError) as error:
                raise ServiceError("RECORD_INVALID", f"Line {number} {error}") from error
            found.append(
                PlayRecord(
                    key=record.key,
                    value=record.value,
                    timestamp_us=_said(line) or now_us + at * 1_000,
                    headers=tuple(PlayHeader(key=name, value=held) for name, held in record.headers),
                    partition=record.partition or 0,
                    offset=number - 1,
                )
            )
    return found


def _said(line: str) -> int | None:
    """The timestamp of a line of an export."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    said = parsed.get("timestamp") if isinstance(parsed, dict) and "value_base64" in parsed else None
    return read_instant(said) if isinstance(said, str) else None


def _within(records: list[PlayRecord], room: int, *, newest: bool) -> list[PlayRecord]:
    """As many records as have room: the last ones, or the first."""
    kept: list[PlayRecord] = []
    for record in reversed(records) if newest else records:
        room -= len(record.key or b"") + len(record.value or b"") + 40
        if room < 0:
            break
        kept.append(record)
    return kept[::-1] if newest else kept
