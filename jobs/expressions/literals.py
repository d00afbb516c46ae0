"""Literals of the text as values."""

import re
from decimal import Decimal as Number
from typing import Final

from sqlglot import exp

from jobs.base.durations import Duration, DurationTextError, parse_duration
from jobs.base.instants import datetime_of
from jobs.base.iso_times import read_date, read_instant, trimmed
from jobs.base.types import BOOLEAN, DATE, DOUBLE, DURATION, LONG, LONG_RANGE, NULL, STRING, TIMESTAMP
from jobs.expressions.coercion import natural_decimal
from jobs.expressions.errors import ExpressionError
from jobs.expressions.nodes import Literal, Tree
from jobs.expressions.operators import Mismatch, whole_literal

_INTEGER: Final = re.compile(r"[0-9]+")
_EXACT: Final = re.compile(r"[0-9]*[.][0-9]*")
_MAX_NUMBER: Final = 60  # characters
_LONG: Final = exp.DType.BIGINT.into_expr()
_COUNTED: Final = re.compile(r"(-?[0-9]{1,12})\s*([A-Za-z]+)")
_UNITS: Final = {
    "microsecond": "us",
    "millisecond": "ms",
    "second": "s",
    "minute": "m",
    "hour": "h",
    "day": "d",
    "week": "w",
}


def plain_literal(node: exp.Expr) -> Tree:
    """A number, text, boolean or null.

    Raises:
        ExpressionError: a number that no type holds.
    """
    if isinstance(node, exp.Null):
        return Literal(None, NULL)
    if isinstance(node, exp.Boolean):
        return Literal(bool(node.this), BOOLEAN)
    if node.args.get("is_string"):
        return Literal(text_value(node), STRING)
    return _number(str(node.this))


def text_value(node: exp.Expr) -> str:
    """The value of a text literal.

    Raises:
        ExpressionError: it holds a character that is not valid Unicode.
    """
    value = str(node.this)
    if any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in value):
        raise ExpressionError(
            "EXPRESSION_INVALID",
            "The string contains an invalid character.",
            "Remove \\0 and lone surrogates.",
        )
    return value


def _number(text: str) -> Tree:
    if _INTEGER.fullmatch(text) and len(text) <= _MAX_NUMBER:
        return _whole(int(text))
    if _EXACT.fullmatch(text) and len(text) <= _MAX_NUMBER:
        number = Number(text)
        natural = natural_decimal(number)
        if natural is None:
            raise ExpressionError("EXPRESSION_INVALID", "The number has more than 38 digits.")
        return Literal(number, natural)
    try:
        value = float(text)
    except ValueError:
        raise ExpressionError("EXPRESSION_INVALID", f"{text!r} isn't a number.") from None
    if value in (float("inf"), float("-inf")):
        raise ExpressionError("EXPRESSION_INVALID", f"{text} is out of range for double.")
    return Literal(value, DOUBLE)


def _whole(value: int) -> Tree:
    literal = whole_literal(value)
    if isinstance(literal, Mismatch):
        raise ExpressionError("EXPRESSION_INVALID", literal.message)
    return literal


def signed_literal(number: exp.Expr) -> Tree | None:
    """A whole number behind a minus, which Spark reads together: the least int and the least long have no
    positive counterparts.

    Returns:
        None where the sign makes no difference: `number` is something else.
    """
    literal = number.this if isinstance(number, exp.Cast) else number
    if not isinstance(literal, exp.Literal) or literal.is_string:
        return None
    text = str(literal.this)
    if not _INTEGER.fullmatch(text) or len(text) > _MAX_NUMBER:
        return None
    if literal is number:
        return _whole(-int(text))
    is_least_long = -int(text) == LONG_RANGE[0] and number.args["to"] == _LONG
    return Literal(LONG_RANGE[0], LONG) if is_least_long else None


def interval_literal(node: exp.Interval) -> Literal:
    """``INTERVAL '5' SECONDS``, ``INTERVAL '5 seconds'`` or ``INTERVAL '1h30m'``.

    Raises:
        ExpressionError: neither an integer with one unit of fixed length, nor the text of a duration.
    """
    amount, unit = node.this, node.args.get("unit")
    text = str(amount.this).strip() if isinstance(amount, exp.Literal) else ""
    counted = _COUNTED.fullmatch(f"{text} {unit.name}" if isinstance(unit, exp.Expr) else text)
    word = counted[2].lower().removesuffix("s") if counted is not None else ""
    try:
        if counted is not None and word in _UNITS:
            return duration_literal(f"{counted[1]}{_UNITS[word]}")
        if unit is None:
            return duration_literal(text)
    except DurationTextError:
        pass
    raise ExpressionError(
        "EXPRESSION_INVALID",
        "An interval must be an integer with one unit of fixed length.",
        "Use INTERVAL '5' SECONDS or duration('1h30m'). For months and years, use add_months.",
    )


def duration_literal(text: str) -> Literal:
    """The literal of a duration's text.

    Raises:
        DurationTextError: it is none.
        ExpressionError: it is out of range.
    """
    span = parse_duration(text)
    if abs(span.us) >= 2**63:
        raise ExpressionError("EXPRESSION_INVALID", f"{text} is out of range for a duration.")
    return Literal(Duration(span.us), DURATION)


def instant_literal(text: str) -> Literal:
    """The literal of an ISO instant.

    Raises:
        ExpressionError: not of that form, or not an existing instant of the years 1 to 9999.
    """
    instant = read_instant(text)
    if instant is None:
        raise ExpressionError(
            "EXPRESSION_INVALID", f"{text!r} isn't an ISO timestamp.", "Example: 2026-01-01T10:00:00Z"
        )
    return Literal(datetime_of(instant), TIMESTAMP)


def day_literal(text: str) -> Literal:
    """The literal of an ISO day.

    Raises:
        ExpressionError: not ``YYYY-MM-DD`` or not an existing day.
    """
    day = read_date(trimmed(text))
    if day is None:
        raise ExpressionError("EXPRESSION_INVALID", f"{text!r} isn't an ISO date.", "Example: 2026-01-01")
    return Literal(day, DATE)
