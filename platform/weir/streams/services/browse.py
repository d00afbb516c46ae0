"""Pages of records: newest first, or from the beginning, an offset or a time; all or those that match a
filter. A cursor continues.

Each page is one scan, limited by matches, records, bytes and time. The response contains the scanned offsets
and the stop reason; its cursor continues at that offset even if nothing matched.
"""

from dataclasses import replace
from typing import Any

from confluent_kafka import Message, TopicPartition

from weir.clusters.services.offsets import at_or_after, offsets, watermarks
from weir.streams.services.backwards_scan import BackwardsScan
from weir.streams.services.browse_page import BrowseQuery, Cursor, Page, read_cursor, with_bounds
from weir.streams.services.decoding import page_budget, record_json
from weir.streams.services.record_filter import record_filter
from weir.streams.services.record_json import json_texts
from weir.streams.services.scan import OffsetRange, RecordFilter, scan
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import NotFoundError, ServiceError, UnreachableError


def browse(ref: TopicRef, query: BrowseQuery) -> dict[str, Any]:
    """A page in the API's form: ``records``, the ``scan`` that found them, and ``next`` (None at the end).

    Raises:
        ServiceError: no such partition, an invalid cursor, or an invalid condition.
        NotFoundError: the topic does not exist.
        UnreachableError: the cluster does not answer.
    """
    page = scan_page(ref, query)
    with page_budget():
        records = [record_json(message, ref.contract, ref.schema_of) for message in page.messages]
    return {"records": records, "scan": page.scan, "next": page.next}


def scan_page(ref: TopicRef, query: BrowseQuery, accepts: RecordFilter | None = None) -> Page:
    """A page as messages; see `browse`. `accepts` replaces the key and the condition of the query."""
    accepts = accepts or record_filter(ref, query.key, query.where, query.key_as)
    if query.partition is not None and query.partition >= ref.partitions:
        raise ServiceError("PARTITION_UNKNOWN", f"{ref.topic} has only partitions 0 to {ref.partitions - 1}.")
    asked = watermarks(ref.profile, {ref.topic: ref.partitions}, query.partition, committed=True)
    logs = {at[1]: both for at, both in asked.items()}
    cursor = read_cursor(query.cursor) if query.cursor else Cursor(backwards=query.origin == "newest")
    bounds = _bounds(ref, logs, query, backwards=cursor.backwards)
    begins = _begins(cursor, bounds, query)
    if not cursor.backwards:
        return _forwards(ref, bounds, begins, query, accepts)
    piece = min(cursor.piece, max(1, query.budget.records // max(1, len(begins))))
    return BackwardsScan(ref, bounds, begins, query, accepts).run(
        min(piece, query.limit) if accepts is None else piece
    )


def get_record(ref: TopicRef, partition: int, offset: int) -> dict[str, Any]:
    """One record in full, with its raw bytes and its decoded parts as JSON texts.

    Raises:
        NotFoundError: no such partition, or the broker retains no record at that offset.
        UnreachableError: the cluster does not answer, or not in time.
    """
    if partition >= ref.partitions:
        raise NotFoundError("RECORD_NOT_FOUND", f"{ref.topic} has only partitions 0 to {ref.partitions - 1}.")
    asked = watermarks(ref.profile, {ref.topic: ref.partitions}, partition, committed=True)
    low, high = asked[ref.topic, partition]
    found = _scan_record(ref, partition, OffsetRange(offset, offset + 1, low, high))
    if found is None:
        raise NotFoundError(
            "RECORD_NOT_FOUND",
            f"Partition {partition} has no record at offset {offset}; its offsets are {low} to {high}.",
        )
    shown = record_json(found, ref.contract, ref.schema_of, full=True)
    return {**shown, **json_texts(found, ref.contract, ref.schema_of)}


def _scan_record(ref: TopicRef, partition: int, at: OffsetRange) -> Message | None:
    """The record of a range of one; None when the broker retains none there.

    Raises:
        UnreachableError: it did not come in time, twice: a large batch is waited for longer once it was seen.
    """
    if not at.log_start <= at.start < at.log_end:
        return None
    for _ in range(2):
        found = scan(ref.profile, ref.topic, {partition: at}, 1)
        if found.messages:
            return found.messages[0]
        if found.stop_reason != "timeout":
            return None
    raise UnreachableError(
        "RECORD_NOT_READ",
        f"The record at offset {at.start} of partition {partition} couldn't be read in time: its batch is "
        "large, or the broker is busy. Try again.",
    )


def _bounds(
    ref: TopicRef, logs: dict[int, tuple[int, int]], query: BrowseQuery, *, backwards: bool
) -> dict[int, OffsetRange]:
    """The offsets that the query covers, by its partition and times."""
    chosen = [query.partition] if query.partition is not None else sorted(logs)
    lows = _at_time(ref, logs, chosen, query.time_ms) if backwards or query.origin == "time" else {}
    highs = _at_time(ref, logs, chosen, query.until_ms)
    found = {}
    for p in chosen:
        low, high = logs[p]
        start, end = max(low, lows.get(p, low)), min(high, highs.get(p, high))
        found[p] = OffsetRange(min(start, end), end, low, high)
    return found


def _at_time(
    ref: TopicRef, logs: dict[int, tuple[int, int]], chosen: list[int], at_ms: int | None
) -> dict[int, int]:
    """First offset at or after an instant in each partition; its end where nothing is that new."""
    if at_ms is None:
        return {}
    found = offsets(ref.profile, {TopicPartition(ref.topic, p): at_or_after(at_ms) for p in chosen})
    return {p: found[ref.topic, p] if found[ref.topic, p] >= 0 else logs[p][1] for p in chosen}


def _begins(cursor: Cursor, bounds: dict[int, OffsetRange], query: BrowseQuery) -> dict[int, int]:
    """Where the scan starts in each partition, within its bounds."""
    chosen = cursor.at if cursor.at is not None else {p: _start(span, query) for p, span in bounds.items()}
    return {p: min(max(at, bounds[p].start), bounds[p].end) for p, at in chosen.items() if p in bounds}


def _start(bound: OffsetRange, query: BrowseQuery) -> int:
    return {"newest": bound.end, "offset": query.offset}.get(query.origin, bound.start)


def _forwards(
    ref: TopicRef,
    bounds: dict[int, OffsetRange],
    begins: dict[int, int],
    query: BrowseQuery,
    accepts: RecordFilter | None,
) -> Page:
    ranges = {p: replace(bounds[p], start=at) for p, at in begins.items()}
    found = scan(ref.profile, ref.topic, ranges, query.limit, accepts=accepts, budget=query.budget)
    next_offsets = found.positions if any(at < bounds[p].end for p, at in found.positions.items()) else {}
    if not next_offsets and any(bound.end < bound.log_end for bound in bounds.values()):
        found.stop_reason = "time"
    return Page(found.messages, with_bounds(found.as_json(), bounds, query), next_offsets, backwards=False)
