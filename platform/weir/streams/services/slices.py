"""Slices of a stream: records that follow each other, at several instants of the last hours. Orders of
records and rates are seen over hours, without reading hours.
"""

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Message, TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.base.budget import OverBudget
from jobs.formats.records import Row
from weir.clusters.services.offsets import offsets, watermarks
from weir.streams.services.decoding import decoded, page_budget, timestamp_us
from weir.streams.services.row_sample import SampledRecord
from weir.streams.services.scan import Budget, OffsetRange, scan
from weir.streams.services.topic_ref import TopicRef

HOURS: Final = 6
SLICES: Final = 8
MAX_SECONDS: Final = 6.0  # of all scans together
_SCAN_BYTES: Final = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows of one partition, in its order and without deletions."""

    partition: int
    rows: tuple[SampledRecord, ...]


def read_slices(ref: TopicRef, records: int, now_ms: int | None = None) -> list[Slice]:
    """Slices of all partitions over the last `HOURS`, oldest first, and the newest records.

    Args:
        ref: a stream's topic.
        records: to read at most, of all slices together.
        now_ms: the present, ms since 1970; None: the clock's.

    Raises:
        NotFoundError: the topic doesn't exist.
        UnreachableError: the cluster doesn't answer.
        BusyError: the topic has large batches, and others read such topics.
    """
    present = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    asked = watermarks(ref.profile, {ref.topic: ref.partitions}, committed=True)
    logs = {at[1]: both for at, both in asked.items()}
    each = max(2, records // (SLICES * max(1, len(logs))))
    deadline = time.monotonic() + MAX_SECONDS
    read: dict[int, int] = {}  # next offset by partition: slices of a slow stream would overlap
    found: list[Slice] = []
    with page_budget():
        for number in range(SLICES):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            ranges = _ranges(ref, logs, each, number, present)
            ranges = {
                partition: OffsetRange(max(span.start, read.get(partition, 0)), span.end, *logs[partition])
                for partition, span in ranges.items()
            }
            wanted = {partition: span for partition, span in ranges.items() if span.start < span.end}
            read |= {partition: span.end for partition, span in wanted.items()}
            scanned = scan(
                ref.profile,
                ref.topic,
                wanted,
                each * len(wanted) + 1,
                budget=Budget(each * len(wanted) + 1, _SCAN_BYTES, left),
            )
            found += _decoded(ref, scanned.messages)
    return found


def _ranges(
    ref: TopicRef, logs: dict[int, tuple[int, int]], each: int, number: int, present_ms: int
) -> dict[int, OffsetRange]:
    """The offsets of a slice in each partition; the last slice has the newest records."""
    if number == SLICES - 1:
        return {p: OffsetRange(max(low, high - each), high, low, high) for p, (low, high) in logs.items()}
    since = present_ms - (SLICES - 1 - number) * HOURS * 3_600_000 // (SLICES - 1)
    starts = offsets(
        ref.profile, {TopicPartition(ref.topic, p): OffsetSpec.for_timestamp(since) for p in logs}
    )
    return {
        p: OffsetRange(start, min(start + each, high), low, high)
        for p, (low, high) in logs.items()
        if (start := starts[ref.topic, p]) >= 0
    }


def _decoded(ref: TopicRef, messages: list[Message]) -> list[Slice]:
    assert ref.contract is not None
    rows: dict[int, list[SampledRecord]] = defaultdict(list)
    try:
        for message in messages:
            found = decoded(message, ref.contract, ref.schema_of)
            if isinstance(found, Row) and not found.deleted:
                place = (message.partition() or 0, message.offset() or 0)
                rows[place[0]].append(SampledRecord(found, *place, timestamp_us(message)))
    except OverBudget:
        pass  # what was decoded until then is a shorter slice
    return [
        Slice(partition, tuple(sorted(of_partition, key=lambda record: record.offset)))
        for partition, of_partition in sorted(rows.items())
    ]
