"""Casts between single values (`docs/semantics/expressions.md#casts`)."""

import math
import re
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.oracle.values import as_json, moment

RANGES = {"int": 2**31, "long": 2**63}


def cast(value: Any, to: str) -> Any:
    """The value as the type of that text; null where it does not fit."""
    if value is None:
        return None
    if to in RANGES:
        return _integer(value, RANGES[to])
    if to.startswith("decimal"):
        return _decimal(value, to)
    return {"double": _double, "string": _text, "boolean": _boolean, "timestamp": _timestamp, "date": _date}[
        to
    ](value)


def _integer(value: Any, bound: int) -> int | None:
    match value:
        case bool():
            found = int(value)
        case str():
            if not re.fullmatch(r"[+-]?\d+", value.strip()):
                return None
            found = int(value)
        case float():
            if not math.isfinite(value):
                return None
            found = math.trunc(value)
        case _:
            found = int(value)
    return found if -bound <= found < bound else None


def _decimal(value: Any, to: str) -> Decimal | None:
    digits, scale = map(int, re.findall(r"\d+", to))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", value.strip()):
        return None
    exact = Decimal(
        repr(value) if isinstance(value, float) else str(value).strip() if isinstance(value, str) else value
    )
    found = exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    return found if abs(found) < Decimal(10) ** (digits - scale) else None


def _double(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value.strip())
        except ValueError:
            return None
    return float(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(as_json(value))


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        word = value.strip().lower()
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
        if not re.fullmatch(
            r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", value.strip()
        ):
            return None
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return moment(value * 1_000_000)


def _date(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None
