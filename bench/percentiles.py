"""Percentiles of a few values, and how many values one asks for."""

import math
from collections.abc import Iterable, Mapping
from typing import Final

ASKED: Final = {"p50": 1, "p90": 10, "p95": 20, "p99": 100, "p99.9": 1_000}
"""Percentile → from how many values on it is another one than the greatest."""


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that so many are not above.

    Args:
        values: at least one, in any order.
        share: of them, such as 0.95.
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def shown(times: Mapping[str, float], names: Iterable[str], spec: str = ",.1f") -> str:
    """Cells of a table; a dash for a percentile that is but the greatest of so few values.

    Args:
        times: as `bench.results.summary` gives them, with their count.
        names: of the cells, percentiles or others.
        spec: format of a value.
    """
    return " | ".join(
        f"{times[name]:{spec}}" if times["count"] >= ASKED.get(name, 1) else "–" for name in names
    )
