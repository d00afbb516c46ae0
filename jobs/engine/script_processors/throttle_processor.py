"""What scripts run for throttle: hold a key's rows until the watermark releases them, then let one per
interval pass.

Rows are opaque texts here; only times and order keys matter. A script contains this text, and what it
imports of Weir's.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from jobs.engine.script_processors.row_rank import rank_of

AT, ORDER_KEY, ROW = 1, 2, 3  # indexes of the columns: workers see no names
OUTPUT = "_row string"
STATE = "ats array<bigint>, keys array<string>, rows array<string>, start bigint, newest string, timer bigint"
NO_INTERVAL = -(2**63)  # before every instant

Row = tuple[int, str, str]  # time in µs, order key, text


class ThrottleProcessor(StatefulProcessor):
    """One key's rows.

    State is one value: held rows; where the open interval began; of `last` its newest row so far ("" for
    none); the one timer that stands, -1 for none.
    """

    def __init__(self, every_us: int, slack_us: int, last: bool) -> None:
        self._every = every_us
        self._slack = slack_us
        self._last = last

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._state = handle.getValueState("throttle", STATE)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """All rows of the key in this batch; late ones are gone already."""
        arrived: list[Row] = []
        for frame in rows:
            columns = (frame.iloc[:, index].tolist() for index in (AT, ORDER_KEY, ROW))
            arrived += zip(*columns, strict=True)
        yield from self._advance(arrived, timerValues.getCurrentWatermarkInMs(), fired=-1)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """The watermark passed the earliest held row, or the open interval."""
        fired = expiredTimerInfo.getExpiryTimeInMs()
        yield from self._advance([], timerValues.getCurrentWatermarkInMs(), fired)

    def close(self) -> None:
        """Nothing is open."""

    def _advance(self, arrived: list[Row], watermark_ms: int, fired: int) -> Iterator[pd.DataFrame]:
        ats, keys, rows, start, newest, timer = self._state.get() or ([], [], [], NO_INTERVAL, "", -1)
        waiting = [*zip(ats, keys, rows, strict=True), *arrived]
        waiting.sort(key=lambda row: (row[0], rank_of(row[1])))
        limit = max(watermark_ms, 0) * 1_000 - self._slack
        released = [row for row in waiting if row[0] <= limit]
        passed, start, newest = self._let_pass(released, limit, start, newest)
        self._keep(waiting[len(released) :], start, newest, timer, fired)
        if passed:
            yield pd.DataFrame({"_row": passed}, dtype="object")

    def _let_pass(
        self, released: list[Row], limit: int, start: int, newest: str
    ) -> tuple[list[str], int, str]:
        """What passes of these rows, and the interval that is open behind them: its start and newest row."""
        passed: list[str] = []
        for at, _, row in released:
            if start == NO_INTERVAL or at - start >= self._every:
                passed += self._held_back(start, newest) if self._last else [row]
                start = at
            newest = row if self._last else ""
        if start != NO_INTERVAL and start + self._every <= limit:
            passed += self._held_back(start, newest)
            start, newest = NO_INTERVAL, ""
        return passed, start, newest

    def _held_back(self, start: int, newest: str) -> list[str]:
        """What passes when an interval is over: of `last` its newest row."""
        return [newest] if self._last and start != NO_INTERVAL else []

    def _keep(self, waiting: list[Row], start: int, newest: str, timer: int, fired: int) -> None:
        due = [waiting[0][0]] if waiting else []
        due += [start + self._every] if start != NO_INTERVAL else []
        # What is left is due later than the watermark. A timer at the watermark itself was seen to be lost,
        # so it is registered for the instant at which the first of it is due, never before.
        expiry = -(-(min(due) + self._slack) // 1_000) if due else -1
        self._move_timer(timer, fired, expiry)
        if due:
            ats, keys, rows = ([row[part] for row in waiting] for part in range(3))
            self._state.update((ats, keys, rows, start, newest, expiry))
        else:
            self._state.clear()

    def _move_timer(self, timer: int, fired: int, expiry: int) -> None:
        """The one timer that stands is the one for `expiry`; the one that fired is gone already."""
        if timer not in (-1, fired, expiry):
            self._handle.deleteTimer(timer)
        if expiry not in (-1, timer) or (expiry == fired and expiry != -1):
            self._handle.registerTimer(expiry)
