"""Pages of records: newest first, or from the beginning, an offset or a time; all or those that match a
filter. A cursor continues.

Each page is one scan, limited by matches, records, bytes and time. The response contains the scanned offsets
and the stop reason; its cursor continues at that offset even if nothing matched.
"""

import base64
import json
import time
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from confluent_kafka import Message, TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.formats.json_text import bounded_json
from weir.clusters.services.offsets import offsets, watermarks
from weir.streams.services.decoding import record_json
from weir.streams.services.record_filter import KeyAs, record_filter
from weir.streams.services.record_json import json_texts
from weir.streams.services.scan import Budget, OffsetRange, RecordFilter, Scan, StopReason, scan
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import NotFoundError, ServiceError

Origin = Literal["newest", "earliest", "offset", "time"]
_PIECE: Final = 2_000  # records per partition that are read at once when scanning backwards


@dataclass(frozen=True)
class BrowseQuery:
    """Which records to show.

    Attributes:
        origin: where to start; ``newest`` scans backwards, the others forwards.
        partition: the only one to read; None: all.
        offset: for origin ``offset``: the first offset in each of these partitions.
        time_ms: first Kafka timestamp, ms since the epoch: where origin ``time`` starts and
            ``newest`` ends; None: no bound.
        until_ms: upper bound of the Kafka timestamp, excluded; None: no bound.
        key: only records with this key.
        key_as: how `key` is written.
        where: only records that meet this condition of the job language.
        limit: maximum number of records of a page.
        cursor: `next` of the previous page; it replaces origin and offset, all other
            parameters must be the same again.
        budget: limits of one scan.
    """

    origin: Origin = "newest"
    partition: int | None = None
    offset: int = 0
    time_ms: int | None = None
    until_ms: int | None = None
    key: str | None = None
    key_as: KeyAs = "text"
    where: str | None = None
    limit: int = 50
    cursor: str | None = None
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True)
class Page:
    """The result of one scan; `next_offsets` is where the next one starts, empty at the end.
    `piece`: records read at once.
    """

    messages: list[Message]
    scan: dict[str, Any]
    next_offsets: dict[int, int]
    backwards: bool
    piece: int = _PIECE

    @property
    def next(self) -> str | None:
        """The cursor of the next page."""
        if not self.next_offsets:
            return None
        cursor = {"back": self.backwards, "at": self.next_offsets, "piece": self.piece}
        return base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode("ascii")


def browse(ref: TopicRef, query: BrowseQuery) -> dict[str, Any]:
    """A page in the API's form: ``records``, the ``scan`` that found them, and ``next`` (None at the end).

    Raises:
        ServiceError: no such partition, an invalid cursor, or an invalid condition.
        NotFoundError: the topic does not exist.
        UnreachableError: the cluster does not answer.
    """
    page = scan_page(ref, query)
    records = [record_json(message, ref.contract, ref.schema_of) for message in page.messages]
    return {"records": records, "scan": page.scan, "next": page.next}


def scan_page(ref: TopicRef, query: BrowseQuery, accepts: RecordFilter | None = None) -> Page:
    """A page as messages; see `browse`. `accepts` replaces the key and the condition of the query."""
    accepts = accepts or record_filter(ref, query.key, query.where, query.key_as)
    logs = {at[1]: both for at, both in watermarks(ref.profile, {ref.topic: ref.partitions}).items()}
    if query.partition is not None and query.partition not in logs:
        raise ServiceError("PARTITION_UNKNOWN", f"{ref.topic} has only partitions 0 to {len(logs) - 1}.")
    cursor = _read_cursor(query.cursor) if query.cursor else None
    backwards = cursor["back"] if cursor else query.origin == "newest"
    bounds = _bounds(ref, logs, query, backwards=backwards)
    chosen = cursor["at"] if cursor else {p: _start(bound, query) for p, bound in bounds.items()}
    begins = {p: min(max(at, bounds[p].start), bounds[p].end) for p, at in chosen.items() if p in bounds}
    if not backwards:
        return _forwards(ref, bounds, begins, query, accepts)
    piece = min(cursor["piece"] if cursor else _PIECE, max(1, query.budget.records // max(1, len(begins))))
    return _Backwards(ref, bounds, begins, query, accepts).run(
        min(piece, query.limit) if accepts is None else piece
    )


def get_record(ref: TopicRef, partition: int, offset: int) -> dict[str, Any]:
    """One record in full, with its raw bytes and its decoded parts as JSON texts.

    Raises:
        NotFoundError: no such partition, or the broker retains no record at that offset.
        UnreachableError: the cluster does not answer.
    """
    logs = watermarks(ref.profile, {ref.topic: ref.partitions})
    low, high = logs.get((ref.topic, partition), (0, 0))
    found = (
        scan(ref.profile, ref.topic, {partition: OffsetRange(offset, offset + 1, low, high)}, 1)
        if low <= offset < high
        else None
    )
    if found is None or not found.messages:
        raise NotFoundError(
            "RECORD_NOT_FOUND",
            f"Partition {partition} has no record at offset {offset}; its offsets are {low} to {high}.",
        )
    message = found.messages[0]
    shown = record_json(message, ref.contract, ref.schema_of, full=True)
    return {**shown, **json_texts(message, ref.contract, ref.schema_of)}


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
    found = offsets(
        ref.profile, {TopicPartition(ref.topic, p): OffsetSpec.for_timestamp(at_ms) for p in chosen}
    )
    return {p: found[ref.topic, p] if found[ref.topic, p] >= 0 else logs[p][1] for p in chosen}


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
    return Page(found.messages, _with_bounds(found.as_json(), bounds, query), next_offsets, backwards=False)


def _with_bounds(
    scanned: dict[str, Any], bounds: dict[int, OffsetRange], query: BrowseQuery
) -> dict[str, Any]:
    """Add the range of offsets that the whole query covers; one scan may be a part of it."""
    for row in scanned["partitions"]:
        bound = bounds[row["partition"]]
        start = max(bound.start, query.offset) if query.origin == "offset" else bound.start
        row["range_start"], row["range_end"] = min(start, bound.end), bound.end
    return scanned


class _Backwards:
    """Scans piece by piece towards the start. The page takes the newest matches of each piece; the
    cursor stays after the others.
    """

    def __init__(
        self,
        ref: TopicRef,
        bounds: dict[int, OffsetRange],
        begins: dict[int, int],
        query: BrowseQuery,
        accepts: RecordFilter | None,
    ) -> None:
        self._ref = ref
        self._bounds = bounds
        self._begins = begins
        self._query = query
        self._accepts = accepts
        self._at = dict(begins)
        self._total = Scan(
            {p: replace(bounds[p], end=at) for p, at in begins.items()}, positions=dict(begins)
        )
        self._deadline = time.monotonic() + query.budget.seconds

    def run(self, piece: int) -> Page:
        """Scan until there is a reason to stop; `piece` is how many records of each
        partition are read at once.
        """
        total = self._total
        while self._left() and total.stop_reason == "end":
            room = (self._query.budget.records - total.read) // len(self._at)
            if room < 1 and total.read:
                total.stop_reason = "records"
                break
            part = self._read(max(1, min(piece, room)))
            if part.stop_reason == "end":
                total.read, total.size = total.read + part.read, total.size + part.size
                self._add(part)
                total.stop_reason = self._reason()
            elif total.read:
                total.stop_reason = part.stop_reason  # the rest of the budget is too small for a piece
            elif piece > 1 and part.stop_reason != "timeout":
                piece = max(
                    1, piece // 8
                )  # too large for the budget; an incomplete piece cannot be sorted newest first
            else:
                total.stop_reason, piece = part.stop_reason, max(1, piece // 8)
            total.elapsed_ms += part.elapsed_ms
        if total.stop_reason == "end" and any(
            bound.start > bound.log_start for bound in self._bounds.values()
        ):
            total.stop_reason = "time"
        scanned = total.as_json()
        for row in scanned["partitions"]:
            row["from"], row["to"] = self._at[row["partition"]], self._begins[row["partition"]]
        return Page(
            total.messages,
            _with_bounds(scanned, self._bounds, self._query),
            self._at if self._left() else {},
            backwards=True,
            piece=piece,
        )

    def _left(self) -> bool:
        return any(top > self._bounds[p].start for p, top in self._at.items())

    def _read(self, piece: int) -> Scan:
        budget, total = self._query.budget, self._total
        left = Budget(
            max(1, budget.records - total.read),
            max(1, budget.size - total.size),
            self._deadline - time.monotonic(),
        )
        ranges = {
            p: replace(self._bounds[p], start=max(self._bounds[p].start, top - piece), end=top)
            for p, top in self._at.items()
        }
        return scan(
            self._ref.profile,
            self._ref.topic,
            ranges,
            piece * len(ranges) + 1,
            accepts=self._accepts,
            budget=left,
        )

    def _add(self, part: Scan) -> None:
        """Add the newest matches of a piece. Continue before the piece, or just after the newest match
        that did not fit on the page.
        """
        ordered = sorted(
            part.messages, key=lambda message: (message.timestamp()[1], message.offset() or 0), reverse=True
        )
        space = self._query.limit - len(self._total.messages)
        self._total.messages += ordered[:space]
        self._at = {p: span.start for p, span in part.ranges.items()}
        for message in ordered[space:]:
            p = message.partition()
            if p is not None:
                self._at[p] = max(self._at[p], (message.offset() or 0) + 1)

    def _reason(self) -> StopReason:
        budget, total = self._query.budget, self._total
        if len(total.messages) >= self._query.limit:
            return "limit"
        if total.size >= budget.size:
            return "bytes"
        return "records" if total.read >= budget.records else "end"


def _read_cursor(text: str) -> dict[str, Any]:
    try:
        cursor = bounded_json(base64.urlsafe_b64decode(text.encode("ascii")))
        at = {int(p): int(offset) for p, offset in cursor["at"].items()}
        return {"back": bool(cursor["back"]), "at": at, "piece": min(_PIECE, max(1, int(cursor["piece"])))}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.") from error
