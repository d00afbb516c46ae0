"""What scripts run for joins with tables: hold a key's entries, look rows up, and for as_of hold rows
back.

Rows and entries are opaque texts here; only times and positions matter. A script contains this text, so
it needs nothing of Weir's.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

SIDE, AT, PARTITION, OFFSET, TEXT = 1, 2, 3, 4, 5  # indexes of the columns: workers see no names
OUTPUT = "_row string, _entry string"
ENTRY = "at bigint, entry string"
VERSIONS = "ats array<bigint>, partitions array<int>, offsets array<bigint>, entries array<string>"
HELD = "ats array<bigint>, rows array<string>, timer bigint"

Entry = tuple[
    int, int, int, str | None
]  # time in µs, partition, offset, text or None where the key is deleted
Row = tuple[int, str]  # time in µs, text


def split(frames: Iterator[pd.DataFrame]) -> tuple[list[Entry], list[Row]]:
    """The entries of the table and the rows of the stream among what came for one key."""
    entries: list[Entry] = []
    rows: list[Row] = []
    for frame in frames:
        columns = (frame.iloc[:, index].tolist() for index in (SIDE, AT, PARTITION, OFFSET, TEXT))
        for side, at, partition, offset, text in zip(*columns, strict=True):
            if side == 0:
                entries.append((at, partition, offset, text))
            else:
                rows.append((at, text))
    return entries, rows


def joined(found: list[tuple[str, str | None]], inner: bool) -> Iterator[pd.DataFrame]:
    """Rows with the entries that they found; without one an inner join drops them."""
    kept = [pair for pair in found if pair[1] is not None] if inner else found
    if kept:
        yield pd.DataFrame(
            {"_row": [row for row, _ in kept], "_entry": [entry for _, entry in kept]}, dtype="object"
        )


class CurrentProcessor(StatefulProcessor):
    """Looks a key's rows up in the table as it is: of a batch first all entries are applied, then rows look
    up.

    State: the newest entry of the key. By event time a deletion is held too, as an older entry must not undo
        it.
    """

    def __init__(self, inner: bool, by_event_time: bool) -> None:
        self._inner = inner
        self._by_event_time = by_event_time

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._entry = handle.getValueState("entry", ENTRY)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """All entries and rows of the key in this batch."""
        entries, waiting = split(rows)
        stored = self._entry.get()
        at, entry = (stored[0], stored[1]) if stored else (None, None)
        for new_at, _, _, text in sorted(entries, key=lambda e: e[1:3]):
            if not self._by_event_time or at is None or new_at >= at:
                at, entry = new_at, text
        if entries:
            if entry is None and not self._by_event_time:
                self._entry.clear()
            else:
                self._entry.update((at, entry))
        yield from joined([(row, entry) for _, row in waiting], self._inner)

    def close(self) -> None:
        """Nothing is open."""


class AsOfProcessor(StatefulProcessor):
    """Looks a key's rows up in the table as it was at their time, once the watermark releases them.

    State: the key's versions by time, partition and offset, from the newest that is older than the retention
        on, which stays although it is a deletion, as an older entry must not undo it; held rows by time, with
        the one timer that stands, -1 for none.
    """

    def __init__(self, inner: bool, slack_us: int, retention_us: int) -> None:
        self._inner = inner
        self._slack = slack_us
        self._retention = retention_us

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._versions = handle.getValueState("versions", VERSIONS)
        self._held = handle.getValueState("held", HELD)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """All entries and rows of the key in this batch; late rows are gone already."""
        entries, arrived = split(rows)
        yield from self._advance(entries, arrived, timerValues.getCurrentWatermarkInMs(), fired=-1)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """The watermark passed the earliest held row."""
        yield from self._advance(
            [], [], timerValues.getCurrentWatermarkInMs(), fired=expiredTimerInfo.getExpiryTimeInMs()
        )

    def close(self) -> None:
        """Nothing is open."""

    def _advance(
        self, entries: list[Entry], arrived: list[Row], watermark_ms: int, fired: int
    ) -> Iterator[pd.DataFrame]:
        versions = self._read_versions()
        if entries:
            versions = sorted([*versions, *entries], key=lambda version: version[:3])
        held, timer = self._read_held()
        waiting = sorted([*held, *arrived])
        limit = max(watermark_ms, 0) * 1_000 - self._slack
        due = bisect_right(waiting, limit, key=lambda row: row[0])
        ats = [version[0] for version in versions]
        found = []
        for at, row in waiting[:due]:
            index = bisect_right(ats, at)
            found.append((row, versions[index - 1][3] if index else None))
        if entries:
            self._keep_versions(versions, limit)
        if due or arrived or fired != -1:
            self._keep_rows(waiting[due:], timer, fired)
        yield from joined(found, self._inner)

    def _read_versions(self) -> list[Entry]:
        stored = self._versions.get()
        return list(zip(*stored, strict=True)) if stored else []

    def _read_held(self) -> tuple[list[Row], int]:
        stored = self._held.get()
        return (list(zip(stored[0], stored[1], strict=True)), stored[2]) if stored else ([], -1)

    def _keep_versions(self, versions: list[Entry], limit: int) -> None:
        first = max(bisect_right(versions, limit - self._retention, key=lambda version: version[0]) - 1, 0)
        kept = versions[first:]
        self._versions.update(tuple(list(part) for part in zip(*kept, strict=True)))

    def _keep_rows(self, rows: list[Row], timer: int, fired: int) -> None:
        # Rows that are left are due later than the watermark. A timer at the watermark itself was seen to be
        # lost, so it is registered for the instant at which the row is due, never before.
        expiry = -(-(rows[0][0] + self._slack) // 1_000) if rows else -1
        if timer not in (-1, fired, expiry):
            self._handle.deleteTimer(timer)
        if expiry not in (-1, timer):
            self._handle.registerTimer(expiry)
        if rows:
            self._held.update(([at for at, _ in rows], [row for _, row in rows], expiry))
        else:
            self._held.clear()
