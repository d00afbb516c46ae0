"""Casts (`docs/semantics/expressions.md#casts`).

A double is not written as text here: Java writes some with other digits.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import ROUND_HALF_UP, InvalidOperation
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.instants import datetime_of, instant_of, instant_text
from jobs.base.iso_times import read_date, read_instant, trimmed
from jobs.base.time_units import SECOND_US
from jobs.base.types import DOUBLE, Atomic, DataType, Decimal
from jobs.expressions.python_functions.numbers import EXACT, quantized
from jobs.expressions.python_functions.strings import decoded
from jobs.expressions.python_functions.times import in_range

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_EXACT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_REAL: Final = re.compile(
    r"[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:[iI]nfinity|[iI]nf)|[nN]a[nN]"
)
_AROUND: Final = "".join(map(chr, (*range(0x21), 0x7F)))
_DIGITS_OF_LONG: Final = 19
_TRUE: Final = ("true", "t", "yes", "y", "1")
_FALSE: Final = ("false", "f", "no", "n", "0")


def _bare(text: str) -> str:
    """Without what Spark takes off around integers and truth values: U+007F too."""
    return text.strip(_AROUND)


def _whole_text(text: str) -> int | None:
    bare = _bare(text)
    if not _INTEGER.fullmatch(bare) or len(bare.lstrip("+-").lstrip("0")) > _DIGITS_OF_LONG:
        return None
    return int(bare.lstrip("+-").lstrip("0") or 0) * (-1 if bare[0] == "-" else 1)


def _real_text(text: str) -> float | None:
    bare = trimmed(text)
    return float(bare) if _REAL.fullmatch(bare) else None


def _exact_text(text: str) -> Number | None:
    bare = trimmed(text)
    return Number(bare) if len(bare) <= 100 and _EXACT.fullmatch(bare) else None


def _truth(text: str) -> bool | None:
    bare = _bare(text).lower()
    return True if bare in _TRUE else False if bare in _FALSE else None


def _cut(value: Any) -> int | None:
    return int(value) if math.isfinite(value) else None


def _instant(text: str) -> datetime | None:
    found = read_instant(text)
    return None if found is None else datetime_of(found)


def _seconds(value: Any) -> datetime | None:
    """At these seconds, floored to microseconds."""
    if isinstance(value, float):
        return datetime_of(math.floor(value * SECOND_US)) if abs(value) < 1e12 else None
    micros = EXACT.multiply(value, SECOND_US) if isinstance(value, Number) else value * SECOND_US
    return datetime_of(math.floor(micros))


def _number(value: Any) -> Number | None:
    if isinstance(value, float):
        return Number(repr(value)) if math.isfinite(value) else None
    return Number(value)


_CASTS: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("string", "boolean"): _truth,
    ("string", "int"): _whole_text,
    ("string", "long"): _whole_text,
    ("string", "double"): _real_text,
    ("string", "decimal"): _exact_text,
    ("string", "bytes"): lambda text: text.encode(errors="surrogatepass"),
    ("string", "timestamp"): _instant,
    ("string", "date"): lambda text: read_date(trimmed(text)),
    ("boolean", "string"): lambda value: "true" if value else "false",
    ("boolean", "int"): int,
    ("boolean", "long"): int,
    ("int", "boolean"): bool,
    ("int", "long"): int,
    ("int", "double"): float,
    ("int", "decimal"): _number,
    ("int", "string"): str,
    ("int", "timestamp"): in_range(_seconds),
    ("long", "boolean"): bool,
    ("long", "int"): int,
    ("long", "double"): float,
    ("long", "decimal"): _number,
    ("long", "string"): str,
    ("long", "timestamp"): in_range(_seconds),
    ("double", "int"): _cut,
    ("double", "long"): _cut,
    ("double", "decimal"): _number,
    ("double", "timestamp"): in_range(_seconds),
    ("decimal", "int"): int,
    ("decimal", "long"): int,
    ("decimal", "double"): float,
    ("decimal", "decimal"): _number,
    ("decimal", "string"): lambda value: format(value, "f"),
    ("decimal", "timestamp"): in_range(_seconds),
    ("bytes", "string"): decoded,
    ("timestamp", "string"): lambda moment: instant_text(instant_of(moment)),
    ("timestamp", "date"): datetime.date,
    ("timestamp", "long"): lambda moment: instant_of(moment) // SECOND_US,
    ("timestamp", "double"): lambda moment: float(instant_of(moment)) / SECOND_US,
    ("date", "string"): date.isoformat,
    ("date", "timestamp"): lambda day: datetime.combine(day, time(), UTC),
}


def cast_of(source: DataType, to: DataType) -> Callable[[Any], Any] | None:
    """How a value of one type becomes one of another; None when it is not computed here."""
    return _CASTS.get((_kind(source), _kind(to)))


def _kind(data_type: DataType) -> str:
    return (
        "decimal"
        if isinstance(data_type, Decimal)
        else data_type.name
        if isinstance(data_type, Atomic)
        else ""
    )


def held(value: Any, to: DataType) -> Any:
    """A number as a value of the type, decimals rounded half up; null when it does not fit."""
    if isinstance(to, Decimal):
        return _fitted(value, to)
    if to == DOUBLE and value is not None:
        return float(value)
    bits = {"int": 32, "long": 64, "duration": 64}.get(_kind(to))
    return value if bits is None or value is None or -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None


def _fitted(value: Any, to: Decimal) -> Number | None:
    if value is None:
        return None
    try:
        found = quantized(Number(value), to.scale, ROUND_HALF_UP)
    except InvalidOperation:
        return None
    if not found:
        return found.copy_abs()  # a decimal has no -0 in Spark
    return found if found.adjusted() < to.precision - to.scale else None
