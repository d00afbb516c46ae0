"""Points of the finest resolution while their time lasts: the mean, the least and the greatest of the values
that were measured, in memory. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weir.lag.services.history_tables import FINEST_S, US

_SPAN_US: Final = FINEST_S * US


@dataclass(slots=True)
class _Measured:
    values: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0

    def add(self, value: float) -> None:
        self.least = value if not self.values else min(self.least, value)
        self.most = value if not self.values else max(self.most, value)
        self.values += 1
        self.total += value


@dataclass(slots=True)
class PointBuffer:
    """The point of one series whose time is now. It is written again with each value, so that a process
    that is killed takes seconds with it and a chart shows the present.
    """

    at_us: int = -1
    measured: dict[str, _Measured] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)

    def go_on(
        self, at_us: int, values: Mapping[str, tuple[float, float, float]], counted: Mapping[str, int]
    ) -> None:
        """Begin with the point that another process has stored, which this one will write again.

        Args:
            at_us: of the point.
            values: mean, least and greatest by name, of what was measured; the mean counts as one value.
            counted: counts by name.
        """
        self.at_us, self.counted = at_us, dict(counted)
        self.measured = {name: _Measured(1, *one) for name, one in values.items()}

    def add(self, now_us: int, measures: Mapping[str, float | None], counts: Mapping[str, int]) -> None:
        """Add what was measured now; a value of the next ten seconds begins the next point.

        Args:
            now_us: the current time.
            measures: values by name; None: not known.
            counts: since the last call.
        """
        at_us = now_us - now_us % _SPAN_US
        if at_us != self.at_us:
            self.at_us, self.measured, self.counted = at_us, {}, {}
        for name, value in measures.items():
            if value is not None:
                self.measured.setdefault(name, _Measured()).add(value)
        for name, count in counts.items():
            self.counted[name] = self.counted.get(name, 0) + count

    def columns(self) -> dict[str, Any]:
        """Columns of the point; what was not measured is missing."""
        found: dict[str, Any] = {"resolution_s": FINEST_S, "at_us": self.at_us, **self.counted}
        for name, measured in self.measured.items():
            found[name] = measured.total / measured.values
            found[f"{name}_min"], found[f"{name}_max"] = measured.least, measured.most
        return found
