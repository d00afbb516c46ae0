"""Range checks in Spark SQL that mention their argument once.

A condition such as ``if(x < limit, x, null)`` doubles its text at every nesting. Shifting towards the end of the integer range and
back lets ``try_add`` overflow to null instead.
"""

from typing import Final

_LONG_MAX: Final = 2**63 - 1
_INT_MAX: Final = 2**31 - 1
_FIRST_MICROS: Final = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z
_LAST_MICROS: Final = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z
_FIRST_DAY: Final = -719_162
_LAST_DAY: Final = 2_932_896


def micros_in_range(micros: str) -> str:
    """SQL of the timestamp at these microseconds (a BIGINT's SQL); null outside the years 1 to 9999."""
    up, down = _LONG_MAX - _LAST_MICROS, _FIRST_MICROS + _LONG_MAX + 1
    return f"timestamp_micros({_between(micros, up, down, 'L')})"


def day_in_range(days: str) -> str:
    """SQL of the date these many days after 1970-01-01 (an INT's SQL); null outside the years 1 to 9999."""
    up, down = _INT_MAX - _LAST_DAY, _FIRST_DAY + _INT_MAX + 1
    return f"date_from_unix_date({_between(days, up, down, '')})"


def _between(number: str, up: int, down: int, suffix: str) -> str:
    low = f"try_subtract(try_add({number}, {up}{suffix}), {up}{suffix})"
    return f"try_add(try_subtract({low}, {down}{suffix}), {down}{suffix})"
