"""Shares and growths over the last minutes, and what stands still."""

import pytest

from weir.alerts.models import StandingMark
from weir.alerts.services.standing import Standing
from weir.alerts.services.windows import Windows

S = 1_000_000
SPAN = 300 * S


def test_a_share_is_unknown_until_its_span_is_known() -> None:
    windows = Windows()
    for second in range(0, 300, 2):
        assert windows.share("k", second, 10 * second, second * S, SPAN) is None
    found = windows.share("k", 400, 4_000, 300 * S, SPAN)
    assert found is not None
    assert (found.part, found.whole) == (400, 4_000)


def test_over_usual() -> None:
    windows = Windows()
    windows.share("k", 10, 1_000, 0, SPAN)
    found = windows.share("k", 60, 1_500, SPAN, SPAN)
    assert found is not None
    assert found.over_usual(0.01, 20) == pytest.approx(10)  # 10 % after 1 %
    assert found.over_usual(0.01, 51) == 0
    assert found.over_usual(0.05, 20) == pytest.approx(2)


def test_counters_of_a_new_generation_begin_again() -> None:
    windows = Windows()
    windows.share("k", 10, 1_000, 0, SPAN)
    assert windows.share("k", 0, 5, SPAN, SPAN) is None
    assert windows.share("k", 0, 5, SPAN + SPAN, SPAN) is not None


def test_a_clock_that_was_set_back_begins_anew() -> None:
    windows = Windows()
    windows.share("k", 10, 1_000, 3_600 * S, SPAN)
    assert windows.share("k", 20, 1_100, 0, SPAN) is None
    found = windows.share("k", 50, 1_200, SPAN, SPAN)
    assert found is not None
    assert (found.part, found.whole) == (30, 100), "of the last 5 min, not of an hour"


def test_growth_that_pauses_once_is_none() -> None:
    windows = Windows()
    values = [0, 10, 20, 20, 40, 50, 60, 70, 80]
    found = [windows.least_growth("k", value, at * 60 * S, 60 * S, 5) for at, value in enumerate(values)]
    assert found == [None, None, None, None, None, 0, 0, 0, 10]


def test_old_samples_are_forgotten() -> None:
    windows = Windows()
    for second in range(0, 10_000, 10):
        windows.share("k", second, second, second * S, SPAN)
        windows.forget_before((second - 600) * S)
    assert len(windows._series["k"].times) < 70
    windows.forget_before(20_000 * S)
    assert not windows._series


@pytest.mark.django_db
def test_standing_survives_a_restart_and_ends_with_a_move() -> None:
    standing = Standing()
    for second in (0, 20, 40):
        assert standing.seconds("k", "7", second * S) == second
        standing.store()
    assert StandingMark.objects.get().value == "7"
    again = Standing()
    again.keep("k")  # right after the start nothing is known yet
    again.store()
    assert again.seconds("k", "7", 100 * S) == 100
    again.store()
    assert again.seconds("k", "8", 102 * S) == 0
    again.store()
    assert not StandingMark.objects.exists()


@pytest.mark.django_db
def test_what_is_gone_is_forgotten() -> None:
    standing = Standing()
    for second in (0, 40):
        standing.seconds("k", "7", second * S)
        standing.store()
    standing.store()
    assert not StandingMark.objects.exists()
