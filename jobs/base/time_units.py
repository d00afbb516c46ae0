"""Sizes of units of time, in whole microseconds."""

from collections.abc import Mapping
from typing import Final

MILLISECOND_US: Final = 1_000
SECOND_US: Final = 1_000 * MILLISECOND_US
MINUTE_US: Final = 60 * SECOND_US
HOUR_US: Final = 60 * MINUTE_US
DAY_US: Final = 24 * HOUR_US
WEEK_US: Final = 7 * DAY_US

UNIT_US: Final[Mapping[str, int]] = {
    "week": WEEK_US,
    "day": DAY_US,
    "hour": HOUR_US,
    "minute": MINUTE_US,
    "second": SECOND_US,
    "millisecond": MILLISECOND_US,
    "microsecond": 1,
}
"""By the names that expressions use, the largest first."""

SHORT_UNIT_US: Final[Mapping[str, int]] = {
    "w": WEEK_US,
    "d": DAY_US,
    "h": HOUR_US,
    "m": MINUTE_US,
    "s": SECOND_US,
    "ms": MILLISECOND_US,
    "us": 1,
}
"""By the names in durations and contracts, the largest first."""
