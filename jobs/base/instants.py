"""Instants: whole microseconds since 1970-01-01T00:00:00Z (`docs/semantics/time.md#instants`), and their one text form."""

from datetime import UTC, date, datetime, timedelta
from typing import Final, NewType

Instant = NewType("Instant", int)

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MAX_INSTANT: Final = Instant(253_402_300_800_000_000)  # year 10000, exclusive


def instant_of(moment: datetime) -> Instant:
    """The instant of an aware datetime, exact to the microsecond."""
    return Instant((moment - EPOCH) // timedelta(microseconds=1))


def datetime_of(instant: Instant) -> datetime:
    """The aware UTC datetime of an instant between the years 1 and 9999."""
    return EPOCH + timedelta(microseconds=instant)


def instant_text(instant: Instant) -> str:
    """``2026-01-01T00:00:00.000000Z``: always six digits, always Z."""
    return datetime_of(instant).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def date_text(day: date) -> str:
    """``2026-01-01``."""
    return day.isoformat()
