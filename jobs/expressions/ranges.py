"""Range checks in Spark SQL that mention their argument once.

A condition such as ``if(x < limit, x, null)`` doubles its text at every nesting. Shifting towards the end of
the integer range and back lets ``try_add`` overflow to null instead.
"""

from jobs.base.instants import MAX_DAY, MAX_INSTANT, MIN_DAY, MIN_INSTANT
from jobs.base.types import INT_RANGE, LONG_RANGE


def micros_in_range(micros: str) -> str:
    """SQL of the timestamp at these microseconds (a BIGINT's SQL); null outside the years 1 to 9999."""
    up, down = LONG_RANGE[-1] - (MAX_INSTANT - 1), MIN_INSTANT - LONG_RANGE[0]
    return f"timestamp_micros({_between(micros, up, down, 'L')})"


def day_in_range(days: str) -> str:
    """SQL of the date these many days after 1970-01-01 (an INT's SQL); null outside the years 1 to 9999."""
    up, down = INT_RANGE[-1] - MAX_DAY, MIN_DAY - INT_RANGE[0]
    return f"date_from_unix_date({_between(days, up, down, '')})"


def _between(number: str, up: int, down: int, suffix: str) -> str:
    low = f"try_subtract(try_add({number}, {up}{suffix}), {up}{suffix})"
    return f"try_add(try_subtract({low}, {down}{suffix}), {down}{suffix})"
