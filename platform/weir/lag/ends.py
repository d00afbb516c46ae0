"""When an end offset was reached: the history that turns a lag in records into a lag in time."""

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import Final

SPACING_US: Final = 1_000_000  # samples closer than this are one sample
KEPT: Final = 3_600  # samples per partition: an hour when something is seen every second


@dataclass(frozen=True, slots=True)
class LagTime:
    """A lag in seconds. `lower_bound`: the history begins after the position was passed, so the lag may be greater."""

    seconds: float
    lower_bound: bool = False


@dataclass(slots=True)
class EndHistory:
    """End offsets of one partition over time, oldest first; both columns never fall."""

    at_us: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT))
    offsets: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT))

    @property
    def end(self) -> int | None:
        """The greatest end offset seen, or None before the first sample."""
        return self.offsets[-1] if self.offsets else None

    @property
    def seen_us(self) -> int:
        """When the end was last seen; 0 before the first sample."""
        return self.at_us[-1] if self.at_us else 0

    def observe(self, at_us: int, end: int) -> None:
        """Remember that the partition ended at `end` at that instant; what runs backwards is left out.

        The newest sample is moved instead of a new one added while the end stands still or samples come too close, except
        that the *first* instant of an end offset is kept: it is when the last record before it arrived.
        """
        if not self.offsets:
            self._append(at_us, end)
            return
        if end < self.offsets[-1] or at_us <= self.at_us[-1]:
            return
        stands_still = len(self.offsets) > 1 and self.offsets[-2] == end
        crowded = len(self.offsets) > 1 and at_us - self.at_us[-2] < SPACING_US
        if stands_still or crowded:
            self.at_us[-1], self.offsets[-1] = at_us, end
            return
        self._append(at_us, end)

    def _append(self, at_us: int, end: int) -> None:
        self.at_us.append(at_us)
        self.offsets.append(end)

    def lag(self, position: int, now_us: int) -> LagTime | None:
        """How long ago the log ended where a reader stands now.

        Args:
            position: the reader's next offset.
            now_us: the present.

        Returns:
            0 s when the reader is at the end; None without any sample.
        """
        if not self.offsets:
            return None
        if position >= self.offsets[-1]:
            return LagTime(0.0)
        if position < self.offsets[0]:
            return LagTime(max(0, now_us - self.at_us[0]) / 1e6, lower_bound=True)
        # The last sample at or before the position, and the first one after it: the record at `position` arrived between.
        after = bisect_right(self.offsets, position)
        before = after - 1
        low, high = self.offsets[before], self.offsets[after]
        share = (position - low) / (high - low)
        reached_us = self.at_us[before] + share * (self.at_us[after] - self.at_us[before])
        return LagTime(max(0.0, (now_us - reached_us) / 1e6))
