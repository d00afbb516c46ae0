"""What scripts run for sliding windows: hold rows until the watermark releases them, then say which
rows each window has.

Rows are opaque texts here; only their times matter. A script contains this text, so it needs nothing of
Weir's.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

CLOSES_AT, ROW = 1, 2  # indexes of the columns: workers see no names
OUTPUT = "_rows array<string>, _times array<bigint>, _firsts array<int>, _counts array<int>"
STATE = "times array<bigint>, rows array<string>, edge bigint, timer bigint"


class SlidingProcessor(StatefulProcessor):
    """One group's rows. Emits at most once a batch: the rows that its windows need, and per window its time,
    first row and count.

    State is one value: rows by time, held ones and those that windows to come still reach back to; the
    watermark at the last release; the one timer that stands, -1 for none.
    """

    def __init__(self, size_us: int, slack_us: int) -> None:
        self._size = size_us
        self._slack = slack_us

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._state = handle.getValueState("rows", STATE)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """All rows of the group in this batch; late ones are gone already."""
        arrived: list[tuple[int, str]] = []
        for frame in rows:
            times = (frame.iloc[:, CLOSES_AT] - self._slack).tolist()
            arrived += zip(times, frame.iloc[:, ROW].tolist(), strict=True)
        yield from self._advance(arrived, timerValues.getCurrentWatermarkInMs(), fired=-1)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """The watermark passed the earliest held row, or the last row that a window could reach back to."""
        yield from self._advance(
            [], timerValues.getCurrentWatermarkInMs(), fired=expiredTimerInfo.getExpiryTimeInMs()
        )

    def close(self) -> None:
        """Nothing is open."""

    def _advance(
        self, arrived: Iterable[tuple[int, str]], watermark_ms: int, fired: int
    ) -> Iterator[pd.DataFrame]:
        stored = self._state.get()
        times, rows, edge, timer = stored if stored else ([], [], 0, -1)
        merged = sorted([*zip(times, rows, strict=True), *arrived])
        times, rows = [at for at, _ in merged], [row for _, row in merged]
        limit = max(watermark_ms, 0) * 1_000 - self._slack
        released, due = bisect_right(times, edge), bisect_right(times, limit)
        if due > released:
            yield self._windows(times, rows, released, due)
        kept = bisect_right(times, limit - self._size)
        self._keep(times[kept:], rows[kept:], max(edge, limit), due - kept, timer, fired)

    def _windows(self, times: list[int], rows: list[str], released: int, due: int) -> pd.DataFrame:
        ends = [at for at in range(released, due) if at + 1 == len(times) or times[at] != times[at + 1]]
        firsts = [bisect_right(times, times[end] - self._size) for end in ends]
        base = firsts[0]
        return pd.DataFrame(
            {
                "_rows": [rows[base:due]],
                "_times": [[times[end] for end in ends]],
                "_firsts": [[first - base for first in firsts]],
                "_counts": [[end + 1 - first for end, first in zip(ends, firsts, strict=True)]],
            }
        )

    def _keep(
        self, times: list[int], rows: list[str], edge: int, held_from: int, timer: int, fired: int
    ) -> None:
        if not times:
            self._state.clear()
            if timer not in (-1, fired):
                self._handle.deleteTimer(timer)
            return
        wanted = times[held_from] if held_from < len(times) else times[-1] + self._size
        # A row is due once the watermark has reached it. A timer a millisecond earlier is in time whether
        # Spark lets it fire when it is reached or when it is passed; should it fire too early, the next one
        # stands at the moment itself.
        due_ms = -(-(wanted + self._slack) // 1_000)
        expiry = due_ms if fired == due_ms - 1 else due_ms - 1
        if expiry != timer:
            if timer not in (-1, fired):
                self._handle.deleteTimer(timer)
            self._handle.registerTimer(expiry)
        self._state.update((times, rows, edge, expiry))
