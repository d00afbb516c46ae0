"""How fast a run reads, over a window of the clock.

One batch says nothing about a rate: twenty records that took 10 ms to handle are not 2,000 records a second
of a topic that gets ten.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from jobs.base.set_back_clock import latest_us

WINDOW_US: Final = 60_000_000
MIN_SPAN_US: Final = 5_000_000
"""A rate over less is a matter of when the engine happened to report."""


@dataclass(slots=True)
class ReadRate:
    """Records that a run has passed, at the times of its reports of the last minute."""

    total: int = 0
    samples: deque[tuple[int, int]] = field(default_factory=deque)  # (time in µs, total until then)

    def add(self, at_us: int, records: int) -> None:
        """Add what was read since the report before.

        Args:
            at_us: of the report; an older one than the newest counts as if it came with that, unless the
                clock was set back: then the rate begins anew.
            records: passed since the last report of the same partitions.
        """
        if self.samples and at_us < self.samples[-1][0] and self.samples[-1][0] > latest_us():
            self.samples.clear()
        self.total += records
        newest = self.samples[-1][0] if self.samples else at_us
        if self.samples and at_us <= newest:
            self.samples[-1] = (newest, self.total)
            return
        self.samples.append((at_us, self.total))
        # one sample at or before the window's start stays, so that the window is covered
        while len(self.samples) > 1 and self.samples[1][0] <= at_us - WINDOW_US:
            self.samples.popleft()

    def add_earlier(self, from_us: int, at_us: int, records: int) -> None:
        """Add what was read from an instant on, before it was followed.

        Args:
            from_us: when reading began; what came before the first sample is spread over the time since then.
            at_us: of the report that told it.
            records: read by then and not added yet.
        """
        if not self.samples or from_us >= self.samples[0][0]:
            self.add(at_us, records)
        else:
            self.samples.appendleft((from_us, self.samples[0][1] - records))

    def per_second(self, now_us: int) -> float | None:
        """Records per second over the last minute, or since reading began if that is later.

        Args:
            now_us: the current time; a run that reports nothing because it reads nothing slows down to 0.

        Returns:
            None while less than five seconds are known.
        """
        if not self.samples:
            return None
        from_us, before = self._start(now_us - WINDOW_US)
        if now_us - from_us < MIN_SPAN_US:
            return None
        return (self.total - before) * 1e6 / (now_us - from_us)

    def _start(self, window_from_us: int) -> tuple[int, int]:
        """The newest sample that is not inside the window, at the window's start; the first one otherwise."""
        found = self.samples[0]
        for sample in self.samples:
            if sample[0] > window_from_us:
                break
            found = (window_from_us, sample[1])
        return found
