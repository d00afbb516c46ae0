"""Counters and gauges over the last minutes, in memory. Pure: values and times in, shares and growths out."""

import itertools
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import Final

SAMPLE_US: Final = 10_000_000  # values that come sooner replace the newest sample


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole in the last minutes, and of all before.

    Attributes:
        part: counted in the last minutes.
        whole: of so many.
        part_before: counted before them.
        whole_before: of so many.
    """

    part: float
    whole: float
    part_before: float
    whole_before: float

    @property
    def share(self) -> float | None:
        """0 to 1; None: nothing was counted."""
        return self.part / self.whole if self.whole else None

    def over_usual(self, least_share: float, least_part: float) -> float | None:
        """The share over the one before, which counts as `least_share` at least; 0 for few."""
        if not self.whole:
            return None
        usual = self.part_before / self.whole_before if self.whole_before else 0.0
        return 0.0 if self.part < least_part else (self.part / self.whole) / max(usual, least_share)


@dataclass(slots=True)
class _Series:
    times: deque[int] = field(default_factory=deque)
    values: deque[tuple[float, float]] = field(default_factory=deque)

    def add(self, at_us: int, value: tuple[float, float]) -> None:
        if self.times and at_us < self.times[-1]:  # the clock was set back: what was is at no time of it
            self.times.clear()
            self.values.clear()
        # The newest sample slides until it is `SAMPLE_US` away from the one before it.
        if len(self.times) > 1 and self.times[-1] - self.times[-2] < SAMPLE_US:
            self.times.pop()
            self.values.pop()
        self.times.append(at_us)
        self.values.append(value)

    def at(self, at_us: int) -> tuple[float, float] | None:
        """The last value that was known then; None: it began later."""
        index = bisect_right(self.times, at_us)
        return self.values[index - 1] if index else None


class Windows:
    """Series by key."""

    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def share(
        self, key: str, part: float | None, whole: float | None, now_us: int, span_us: int
    ) -> Share | None:
        """What two counters have counted in the last span; None until it is known for so long.

        Counters that went back (a new generation) begin again.
        """
        if part is None or whole is None:
            return None
        series = self._series.setdefault(key, _Series())
        if series.values and (whole < series.values[-1][1] or part < series.values[-1][0]):
            series = self._series[key] = _Series()
        series.add(now_us, (part, whole))
        before = series.at(now_us - span_us)
        if before is None:
            return None
        return Share(part - before[0], whole - before[1], *before)

    def least_growth(
        self, key: str, value: float | None, now_us: int, span_us: int, spans: int
    ) -> float | None:
        """The least growth of a gauge among the last spans; None until it is known for so long."""
        if value is None:
            return None
        series = self._series.setdefault(key, _Series())
        series.add(now_us, (value, 0.0))
        points = [series.at(now_us - index * span_us) for index in range(spans + 1)]
        known = [point[0] for point in points if point is not None]
        if len(known) <= spans:
            return None
        return min(newer - older for newer, older in itertools.pairwise(known))

    def forget_before(self, at_us: int) -> None:
        """Drop samples that are older, and series without newer ones."""
        for key, series in list(self._series.items()):
            while len(series.times) > 1 and series.times[1] < at_us:
                series.times.popleft()
                series.values.popleft()
            if series.times[-1] < at_us:
                del self._series[key]
