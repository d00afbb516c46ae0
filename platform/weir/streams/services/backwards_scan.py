"""Scans a topic from its newest records towards its beginning, although Kafka reads only forwards."""

import time
from dataclasses import replace
from heapq import merge
from typing import Any

from confluent_kafka import Message

from weir.streams.services.browse_page import BrowseQuery, Page, with_bounds
from weir.streams.services.scan import (
    MAX_KEPT_BYTES,
    Budget,
    OffsetRange,
    RecordFilter,
    Scan,
    StopReason,
    scan,
    size_of,
)
from weir.streams.services.topic_ref import TopicRef


class BackwardsScan:
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
            else:
                piece = self._take(self._read(max(1, min(piece, room))), piece)
        if total.stop_reason == "end" and any(
            bound.start > bound.log_start for bound in self._bounds.values()
        ):
            total.stop_reason = "time"
        return Page(
            total.messages,
            self._as_json(),
            self._at if self._left() else {},
            backwards=True,
            piece=piece,
        )

    def _take(self, part: Scan, piece: int) -> int:
        """Add what was read of a piece; returns how many records of each partition the next one may have."""
        total = self._total
        total.elapsed_ms += part.elapsed_ms
        if part.stop_reason == "end":
            total.read, total.size = total.read + part.read, total.size + part.size
            self._add(part)
            total.stop_reason = self._reason()
            return piece
        if total.read:
            total.stop_reason = part.stop_reason  # the rest of the budget is too small for a piece
            return piece
        if piece <= 1 or part.stop_reason == "timeout":
            total.stop_reason = part.stop_reason
            if part.stop_reason != "timeout":
                self._add_whole_partitions(part)
        # It was too large for the budget; an incomplete piece cannot be sorted newest first.
        return max(1, piece // 8)

    def _as_json(self) -> dict[str, Any]:
        """All pieces as one scan in the API's form."""
        scanned = self._total.as_json()
        for row in scanned["partitions"]:
            row["from"], row["to"] = self._at[row["partition"]], self._begins[row["partition"]]
        return with_bounds(scanned, self._bounds, self._query)

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
        ordered = _newest_first(part.messages)
        space = self._query.limit - len(self._total.messages)
        self._total.messages += ordered[:space]
        self._at = {p: span.start for p, span in part.ranges.items()}
        for message in ordered[space:]:
            p = message.partition()
            if p is not None:
                self._at[p] = max(self._at[p], (message.offset() or 0) + 1)

    def _add_whole_partitions(self, part: Scan) -> None:
        """Of one record of each partition the budget had room for some: without them, the cursor would never
        come further. Those of the other partitions come on the next page, even newer ones.
        """
        at = dict(self._at)
        self._total.read += part.read
        self._total.size += part.size
        self._add(part)
        for p, span in part.ranges.items():
            if part.positions[p] < span.end:
                self._at[p] = at[p]

    def _reason(self) -> StopReason:
        budget, total = self._query.budget, self._total
        if len(total.messages) >= self._query.limit:
            return "limit"
        if total.size >= budget.size or sum(map(size_of, total.messages)) >= MAX_KEPT_BYTES:
            return "bytes"
        return "records" if total.read >= budget.records else "end"


def _newest_first(messages: list[Message]) -> list[Message]:
    """Partitions merged by timestamp, each in its own order whatever its timestamps: what a page leaves out
    of a partition lies before what it shows, and of a key the last record comes first.
    """
    by_partition: dict[int | None, list[Message]] = {}
    for message in reversed(messages):
        by_partition.setdefault(message.partition(), []).append(message)
    heads = by_partition.values()
    return list(
        merge(*heads, key=lambda message: (message.timestamp()[1], message.offset() or 0), reverse=True)
    )
