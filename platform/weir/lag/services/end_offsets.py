"""History of end offsets, which converts a lag in records into a lag in time."""

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from weir.retention import LAG_HISTORY_MAX_SAMPLES

MIN_SAMPLE_INTERVAL_US: Final = 1_000_000  # samples closer than this are merged


@dataclass(frozen=True, slots=True)
class LagTime:
    """A lag in time. `lower_bound`: the history starts after the position was passed, so
    `seconds` is a lower bound.
    """

    seconds: float
    lower_bound: bool = False


@dataclass(slots=True)
class EndOffsetHistory:
    """End offsets of one partition over time, oldest first; neither time nor offset ever decreases."""

    at_us: deque[int] = field(default_factory=lambda: deque(maxlen=LAG_HISTORY_MAX_SAMPLES))
    offsets: deque[int] = field(default_factory=lambda: deque(maxlen=LAG_HISTORY_MAX_SAMPLES))

    @property
    def end(self) -> int | None:
        """The greatest end offset; None before the first sample."""
        return self.offsets[-1] if self.offsets else None

    @property
    def seen_us(self) -> int:
        """When the end offset was last observed; 0 before the first sample."""
        return self.at_us[-1] if self.at_us else 0

    def observe(self, at_us: int, end: int) -> None:
        """Add a sample; one that is older or has a smaller end offset is ignored.

        The newest sample is moved, instead of adding one, while the end offset does not change or
        samples come too close. The *first* time of an end offset is kept, because that is when the last
        record before it arrived.
        """
        if not self.offsets:
            self._append(at_us, end)
            return
        if end < self.offsets[-1] or at_us <= self.at_us[-1]:
            return
        is_unchanged = len(self.offsets) > 1 and self.offsets[-2] == end
        is_too_close = len(self.offsets) > 1 and at_us - self.at_us[-2] < MIN_SAMPLE_INTERVAL_US
        if is_unchanged or is_too_close:
            self.at_us[-1], self.offsets[-1] = at_us, end
            return
        self._append(at_us, end)

    def _append(self, at_us: int, end: int) -> None:
        self.at_us.append(at_us)
        self.offsets.append(end)

    def lag(self, position: int, now_us: int) -> LagTime | None:
        """Lag in time of a reader at an offset: how long ago the log ended there.

        Args:
            position: the reader's next offset.
            now_us: the current time.

        Returns:
            0 s if the reader is at the end; None without samples.
        """
        if not self.offsets:
            return None
        if position >= self.offsets[-1]:
            return LagTime(0.0)
        if position < self.offsets[0]:
            return LagTime(max(0, now_us - self.at_us[0]) / 1e6, lower_bound=True)
        # The record at `position` arrived between the last sample at or before it and the first one after it.
        after = bisect_right(self.offsets, position)
        before = after - 1
        low, high = self.offsets[before], self.offsets[after]
        share = (position - low) / (high - low)
        reached_us = self.at_us[before] + share * (self.at_us[after] - self.at_us[before])
        return LagTime(max(0.0, (now_us - reached_us) / 1e6))
