"""Instants: whole microseconds since 1970-01-01T00:00:00Z (`docs/semantics/time.md#instants`), and the text
form in which they are written.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Final, NewType

Instant = NewType("Instant", int)

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_DAY: Final = EPOCH.date()
MIN_INSTANT: Final = Instant(-62_135_596_800_000_000)  # 0001-01-01T00:00:00Z
MAX_INSTANT: Final = Instant(253_402_300_800_000_000)  # year 10000, exclusive
MIN_DAY: Final = -719_162  # 0001-01-01, in days since 1970-01-01
MAX_DAY: Final = 2_932_896  # 9999-12-31


def instant_of(moment: datetime) -> Instant:
    """The instant of an aware datetime, exact to the microsecond."""
    return Instant(microseconds_of(moment - EPOCH))


def microseconds_of(span: timedelta) -> int:
    """A timedelta in whole microseconds; exact, unlike its `total_seconds`."""
    return span // timedelta(microseconds=1)


def datetime_of(instant: int) -> datetime:
    """The aware UTC datetime of an instant.

    Raises:
        OverflowError: the instant is outside the years 1 to 9999.
    """
    return EPOCH + timedelta(microseconds=instant)


def nearest_instant(microseconds: int) -> Instant:
    """The instant so many microseconds after 1970, or the nearest one that a datetime can hold: the timestamp
    of a Kafka record is whatever number its producer wrote.
    """
    return Instant(min(max(microseconds, MIN_INSTANT), MAX_INSTANT - 1))


def instant_text(instant: Instant) -> str:
    """``2026-01-01T00:00:00.000000Z``: always six digits, always Z."""
    return datetime_of(instant).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def date_text(day: date) -> str:
    """``2026-01-01``."""
    return day.isoformat()
