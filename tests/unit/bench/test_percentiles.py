"""A percentile is one of the values, and with few of them the greatest."""

import pytest

from bench.percentiles import ASKED, percentile


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [
        ([5.0, 1.0, 3.0, 2.0, 4.0], 0.95, 5.0),
        ([2.0, 1.0], 0.5, 1.0),
        ([1.0, 2.0], 0.95, 2.0),
        ([float(each) for each in range(1, 21)], 0.95, 19.0),
    ],
)
def test_so_many_are_not_above_it(values: list[float], share: float, found: float) -> None:
    assert percentile(values, share) == found


@pytest.mark.parametrize("name", ASKED)
def test_from_so_many_values_on_it_is_not_the_greatest(name: str) -> None:
    share = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}[name]
    enough = [float(each) for each in range(1, max(ASKED[name], 2) + 1)]
    assert percentile(enough, share) < enough[-1]
    if name != "p50":
        assert percentile(enough[:-1], share) == enough[-2]
