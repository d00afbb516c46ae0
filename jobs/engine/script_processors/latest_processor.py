"""What scripts run for latest with a time to live: the newest row of a key, until the watermark is far
enough past it.

Rows are opaque texts here. Of the newest row only its time, its order key and its key are kept: what it holds
has been written when it came. A script contains this text, and what it imports of Weir's.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from jobs.engine.script_processors.row_rank import Rank, rank_of

AT, ORDER_KEY, ROW, KEY, GONE = 1, 2, 3, 4, 5  # indexes of the columns: workers see no names
OUTPUT = "_row string, _deleted boolean"
NEWEST = "at bigint, order_key string, key string, timer bigint"


class LatestProcessor(StatefulProcessor):
    """Gives a key's row out when it is the newest, and takes the key away in time.

    State: time, order key (a JSON array), key and the timer that stands, of the newest row.
    """

    def __init__(self, by_order_key: bool, ttl_us: int) -> None:
        """With `by_order_key` the order key alone decides which row is newer; otherwise the time does first.
        `ttl_us` holds the slack.
        """
        self._by_order_key = by_order_key
        self._ttl = ttl_us

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._newest = handle.getValueState("newest", NEWEST)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """All rows of the key in this batch; no row is late."""
        stored = self._newest.get()
        best = self._rank(stored[0], stored[1]) if stored else None
        found: tuple[Any, ...] | None = None
        for frame in rows:
            for row in zip(
                *(frame.iloc[:, index].tolist() for index in (AT, ORDER_KEY, ROW, KEY, GONE)), strict=True
            ):
                one = self._rank(row[0], row[1])
                if best is None or one > best:
                    best, found = one, row
        if found is not None:
            yield self._take(found, stored[3] if stored else -1, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """The watermark is far enough past the newest row."""
        stored = self._newest.get()
        if stored and stored[3] == expiredTimerInfo.getExpiryTimeInMs():
            self._newest.clear()
            yield _written(stored[2], gone=True)

    def close(self) -> None:
        """Nothing is open."""

    def _rank(self, at: int, order_key: str) -> Rank:
        order = rank_of(order_key)
        return order if self._by_order_key else (at, order)

    def _take(self, row: tuple[Any, ...], timer: int, watermark_ms: int) -> pd.DataFrame:
        at, order_key, text, key, gone = row
        expiry = -(-(at + self._ttl) // 1_000)
        over = expiry <= watermark_ms
        if timer not in (-1, expiry):
            self._handle.deleteTimer(timer)
        if over:  # a timer at the watermark itself was seen to be lost
            self._newest.clear()
            return _written(key, gone=True)
        if expiry != timer:
            self._handle.registerTimer(expiry)
        self._newest.update((at, order_key, key, expiry))
        return _written(text, gone=bool(gone))


def _written(row: str, *, gone: bool) -> pd.DataFrame:
    return pd.DataFrame({"_row": [row], "_deleted": [gone]})
