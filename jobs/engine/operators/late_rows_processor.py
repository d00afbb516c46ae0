"""Run by Python workers to find late rows: remember the watermark of the batch before, and let pass what it
has overtaken.

Workers get this module by value, so it needs nothing of Weir's.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

CLOSES_AT, ROW = 2, 3  # indexes of the columns: workers see no names
OUTPUT = "_row string, _late_watermark bigint"
STATE = "watermark bigint"


class LateProcessor(StatefulProcessor):
    """One share of a step's input. State: the closing watermark (ms) of the last batch in which it moved.

    What is refused in a batch is what the closing watermark of the batch before has overtaken. A timer fires
    in the first batch whose watermark moved, rows or none, so what is stored is always that of the batch
    before.
    """

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._state = handle.getValueState("watermark", STATE)

    def handleInitialState(self, key: Any, initialState: pd.DataFrame, timerValues: Any) -> None:
        """Every share knows of the watermark from the first batch on."""
        self._remember(timerValues.getCurrentWatermarkInMs())

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        """The rows whose last window closed at or before the watermark of the batch before."""
        stored = self._state.get()
        limit = stored[0] if stored else 0
        for frame in rows:
            late = frame[frame.iloc[:, CLOSES_AT] <= limit * 1_000]
            if len(late):
                yield pd.DataFrame({"_row": late.iloc[:, ROW], "_late_watermark": limit * 1_000})
        self._remember(timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[pd.DataFrame]:
        """The watermark moved; or it has only been reached, then the next timer waits for the next
        millisecond.
        """
        watermark = max(timerValues.getCurrentWatermarkInMs(), 0)
        if expiredTimerInfo.getExpiryTimeInMs() >= watermark:
            self._handle.registerTimer(watermark + 1)
        self._remember(watermark)
        yield from ()

    def close(self) -> None:
        """Nothing is open."""

    def _remember(self, watermark_ms: int) -> None:
        watermark = max(watermark_ms, 0)
        stored = self._state.get()
        if stored and stored[0] == watermark:
            return
        self._state.update((watermark,))
        self._handle.registerTimer(watermark)
