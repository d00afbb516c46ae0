"""The longest time without a result, of those that touch a span."""

import pytest

from bench.gaps import Arrivals

SECOND = 1_000_000


@pytest.fixture
def arrivals() -> Arrivals:
    found = Arrivals()
    for second in (0, 1, 5, 6, 7, 7, 20):
        found.row({}, second * SECOND)
    return found


@pytest.mark.parametrize(
    ("since", "until", "longest"),
    [
        pytest.param(0, 20, 13.0, id="of all"),
        pytest.param(0, 6, 4.0, id="inside"),
        pytest.param(6, 7, 13.0, id="that begins at the end of the span"),
        pytest.param(2, 3, 4.0, id="around the span"),
        pytest.param(30, 33, 3.0, id="nothing came: all of the span"),
    ],
)
def test_gaps_that_touch_a_span(arrivals: Arrivals, since: int, until: int, longest: float) -> None:
    assert arrivals.longest_s(since * SECOND, until * SECOND) == longest
