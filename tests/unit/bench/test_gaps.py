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
        pytest.param(30, 33, 13.0, id="nothing came any more: since the last"),
    ],
)
def test_gaps_that_touch_a_span(arrivals: Arrivals, since: int, until: int, longest: float) -> None:
    assert arrivals.longest_s(since * SECOND, until * SECOND) == longest


def test_without_a_result_all_of_the_span() -> None:
    assert Arrivals().longest_s(30 * SECOND, 33 * SECOND) == 3.0
