"""The bounds of instants and days, and spans in whole microseconds."""

from datetime import UTC, date, datetime, timedelta

import pytest

from jobs.base.instants import (
    EPOCH_DAY,
    MAX_DAY,
    MAX_INSTANT,
    MIN_DAY,
    MIN_INSTANT,
    datetime_of,
    instant_of,
    microseconds_of,
    nearest_instant,
)


def test_bounds_are_those_of_the_years_1_to_9999() -> None:
    assert instant_of(datetime.min.replace(tzinfo=UTC)) == MIN_INSTANT
    assert instant_of(datetime.max.replace(tzinfo=UTC)) == MAX_INSTANT - 1
    assert (date.min - EPOCH_DAY).days == MIN_DAY
    assert (date.max - EPOCH_DAY).days == MAX_DAY


@pytest.mark.parametrize("instant", [MIN_INSTANT - 1, MAX_INSTANT])
def test_an_instant_outside_has_no_datetime(instant: int) -> None:
    with pytest.raises(OverflowError):
        datetime_of(instant)


@pytest.mark.parametrize(
    ("microseconds", "instant"),
    [
        (MIN_INSTANT - 1, MIN_INSTANT),
        (MIN_INSTANT, MIN_INSTANT),
        (0, 0),
        (MAX_INSTANT - 1, MAX_INSTANT - 1),
        (MAX_INSTANT, MAX_INSTANT - 1),
        ((2**63 - 1) * 1_000, MAX_INSTANT - 1),
    ],
)
def test_the_nearest_instant_has_a_datetime(microseconds: int, instant: int) -> None:
    assert nearest_instant(microseconds) == instant
    assert instant_of(datetime_of(nearest_instant(microseconds))) == instant


@pytest.mark.parametrize(
    ("span", "microseconds"),
    [
        (timedelta(days=1, microseconds=1), 86_400_000_001),
        (timedelta(microseconds=-1), -1),
        (datetime_of(MAX_INSTANT - 1) - datetime_of(MIN_INSTANT), MAX_INSTANT - 1 - MIN_INSTANT),
    ],
)
def test_spans_are_exact(span: timedelta, microseconds: int) -> None:
    assert microseconds_of(span) == microseconds
