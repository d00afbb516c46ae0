"""Casts between single values (`docs/semantics/expressions.md#casts`)."""

import math
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from tests.oracle.values import EPOCH, MICRO, Undecided, as_json, moment

SECOND = timedelta(seconds=1)
RANGES = {"int": 2**31, "long": 2**63}
AROUND = "".join(map(chr, range(0x21)))  # blanks and control characters
EXACT = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
MOST_CHARACTERS = 100  # of a text that is a decimal
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
ISO = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


def cast(value: Any, to: str) -> Any:
    """The value as the type of that text; null where it does not fit."""
    if value is None:
        return None
    if isinstance(value, str) and to not in ("string", "bytes"):
        value = value.strip(AROUND + "\x7f" if to in (*RANGES, "boolean") else AROUND)
    if to in RANGES:
        return _integer(value, RANGES[to])
    if to.startswith("decimal"):
        return _decimal(value, to)
    return OTHERS[to](value)


def _integer(value: Any, bound: int) -> int | None:
    match value:
        case bool():
            found = int(value)
        case str():
            if not re.fullmatch(r"[+-]?[0-9]+", value):
                return None
            found = int(value)
        case float():
            if not math.isfinite(value):
                return None
            found = math.trunc(value)
        case datetime():
            found = (value - EPOCH) // SECOND
        case _:
            found = int(value)
    return found if -bound <= found < bound else None


def _decimal(value: Any, to: str) -> Decimal | None:
    digits, scale = map(int, re.findall(r"\d+", to))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and not (len(value) <= MOST_CHARACTERS and re.fullmatch(EXACT, value)):
        return None
    exact = Decimal(repr(value) if isinstance(value, float) else value)
    found = exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(prec=1_200))
    return found if abs(found) < Decimal(10) ** (digits - scale) else None


def _double(value: Any) -> float | None:
    if isinstance(value, str):
        words = r"[+-]?[iI]nf(inity)?|[nN]a[nN]"
        return float(value) if re.fullmatch(f"{NUMBER}|{words}", value) else None
    if isinstance(value, datetime):
        return (value - EPOCH) // MICRO / 1_000_000
    return float(value)


_AS_JAVA_WRITES = frozenset(
    sign * number for sign in (1, -1) for number in (2.0**63, 1e300, sys.float_info.max)
)
"""Doubles beyond whole numbers of which it is known that Java writes no digit more than they need."""


def _text(value: Any) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            if math.isfinite(value) and abs(value) >= 2**53 and value not in _AS_JAVA_WRITES:
                raise Undecided("Java 17 writes some doubles with a digit more than they need.")
            return java_text(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return None
        case _:
            return str(as_json(value))


def java_text(value: float) -> str:
    """A double as Java prints it: at least one digit behind the point, and beyond 10^-3 and 10^7 an exponent.

    Of numbers that one digit tells, the nearest of two digits is taken.
    """
    if not math.isfinite(value) or value == 0 or 1e-3 <= abs(value) < 1e7:
        return str(as_json(value))
    shortest = f"{Decimal(repr(value)).normalize():e}"
    digits, _, exponent = (shortest if "." in shortest else f"{value:.1e}").partition("e")
    return f"{digits}E{int(exponent)}"


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        word = value.lower()
        return (
            True
            if word in ("true", "t", "yes", "y", "1")
            else False
            if word in ("false", "f", "no", "n", "0")
            else None
        )
    return bool(value)


def _timestamp(value: Any) -> datetime | None:
    if isinstance(value, str):
        if not re.fullmatch(ISO, value):
            return None
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
        offset = found.utcoffset() or timedelta()
        if abs(offset) > timedelta(hours=18) or re.search(r"[T ]24:", value):
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return moment(value * 1_000_000)


def _date(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


OTHERS: dict[str, Callable[[Any], Any]] = {
    "double": _double,
    "string": _text,
    "bytes": str.encode,
    "boolean": _boolean,
    "timestamp": _timestamp,
    "date": _date,
}
