"""History of end offsets, which converts a lag in records into a lag in time."""

from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from jobs.base.set_back_clock import latest_us
from weir.retention import LAG_HISTORY_MAX_SAMPLES

MIN_SAMPLE_INTERVAL_US: Final = 1_000_000  # samples closer than this are merged
MAX_UNCONFIRMED_US: Final = 10_000_000
"""A smaller end that comes so long after the known one was last seen is no old answer: ends are asked for
every two seconds, so the topic was created again, or its log has lost its newest records.
"""


@dataclass(frozen=True, slots=True)
class LagTime:
    """A lag in time. `lower_bound`: the history starts after the position was passed, so
    `seconds` is a lower bound.
    """

    seconds: float
    lower_bound: bool = False


@dataclass(slots=True)
class EndOffsetHistory:
    """End offsets of one partition over time, oldest first; neither time nor offset ever decreases.

    When it is full, every second sample of the older half goes: what is long past is known less exactly,
    and never forgotten.
    """

    at_us: "array[int]" = field(default_factory=lambda: array("q"))
    offsets: "array[int]" = field(default_factory=lambda: array("q"))
    max_samples: int = LAG_HISTORY_MAX_SAMPLES

    @property
    def end(self) -> int | None:
        """The greatest end offset; None before the first sample."""
        return self.offsets[-1] if self.offsets else None

    @property
    def seen_us(self) -> int:
        """When the end offset was last observed; 0 before the first sample."""
        return self.at_us[-1] if self.at_us else 0

    def observe(self, at_us: int, end: int) -> None:
        """Add a sample; one that is older is ignored, unless the known one is of a time to come, since the
        clock was set back; and one with a smaller end offset, too, unless the known one has not been seen for
        `MAX_UNCONFIRMED_US`: then what is known is of another log.

        The newest sample is moved, instead of adding one, while the end offset does not change or
        samples come too close. The *first* time of an end offset is kept, because that is when the last
        record before it arrived.
        """
        if at_us <= self.seen_us:
            self._forget_later_than(latest_us())
        if not self.offsets:
            self._append(at_us, end)
            return
        if at_us <= self.at_us[-1]:
            return
        if end < self.offsets[-1]:
            if at_us - self.at_us[-1] > MAX_UNCONFIRMED_US:
                del self.at_us[:], self.offsets[:]
                self._append(at_us, end)
            return
        is_unchanged = len(self.offsets) > 1 and self.offsets[-2] == end
        is_too_close = len(self.offsets) > 1 and at_us - self.at_us[-2] < MIN_SAMPLE_INTERVAL_US
        if is_unchanged or is_too_close:
            self.at_us[-1], self.offsets[-1] = at_us, end
            return
        self._append(at_us, end)

    def _forget_later_than(self, at_us: int) -> None:
        while self.at_us and self.at_us[-1] > at_us:
            self.at_us.pop()
            self.offsets.pop()

    def _append(self, at_us: int, end: int) -> None:
        if len(self.offsets) >= self.max_samples:
            # the first one stays: it says since when the log is known
            del self.at_us[1 : self.max_samples // 2 : 2]
            del self.offsets[1 : self.max_samples // 2 : 2]
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
        return LagTime(max(0.0, (now_us - self.reached_us(position)) / 1e6))

    def reached_us(self, position: int) -> float:
        """When the log ended at an offset, interpolated, µs; for one outside of the history, its nearest end.

        Args:
            position: an offset; there must be a sample.
        """
        if position >= self.offsets[-1]:
            return self.at_us[-1]
        if position < self.offsets[0]:
            return self.at_us[0]
        # The record at `position` arrived between the last sample at or before it and the first one after it.
        after = bisect_right(self.offsets, position)
        before = after - 1
        low, high = self.offsets[before], self.offsets[after]
        share = (position - low) / (high - low)
        return self.at_us[before] + share * (self.at_us[after] - self.at_us[before])

    def rate(self, now_us: int, window_us: int) -> float | None:
        """Records per second that arrived in a window before now; None while less than 2 s are known.

        Args:
            now_us: the current time.
            window_us: its length; a shorter history is taken whole.
        """
        if not self.offsets:
            return None
        newest = self.at_us[-1]
        after = bisect_right(self.at_us, now_us - window_us)
        start = max(0, after - 1)
        low: float = self.offsets[start]
        from_us = self.at_us[start]
        if after and start + 1 < len(self.at_us) and from_us < now_us - window_us:
            share = (now_us - window_us - from_us) / (self.at_us[start + 1] - from_us)
            low, from_us = low + share * (self.offsets[start + 1] - low), now_us - window_us
        span_us = newest - from_us
        return (self.offsets[-1] - low) * 1e6 / span_us if span_us >= 2_000_000 else None
