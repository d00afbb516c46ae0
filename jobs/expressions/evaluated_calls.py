"""The functions that `evaluation` computes, by their names in checked trees; others are refused there by name."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from jobs.base.types import BOOLEAN, DATE, DOUBLE, INT, STRING, TIMESTAMP, DataType


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One function in Python.

    Attributes:
        evaluate: of the arguments' values.
        takes: types that arguments may have; None: any. A function may have forms that are computed in jobs only.
        counts: how many arguments there may be; None: any number.
        strict: null where an argument is null, without being called.
    """

    evaluate: Callable[..., Any]
    takes: tuple[DataType, ...] | None = None
    counts: tuple[int, ...] | None = (1,)
    strict: bool = True

    def fits(self, types: list[DataType]) -> bool:
        """True when this form is computed here."""
        return (self.counts is None or len(types) in self.counts) and (self.takes is None or all(one in self.takes for one in types))


def ordered(left: Any, right: Any) -> int:
    """Below 0, 0 or above 0; NaN equals itself and is above every number, as in Spark."""
    if isinstance(left, float) and isinstance(right, float) and (math.isnan(left) or math.isnan(right)):
        return int(math.isnan(left)) - int(math.isnan(right))
    if isinstance(left, str):
        # By bytes: code points above the basic plane sort as UTF-8 does.
        left, right = left.encode(), right.encode()
    return int(left > right) - int(left < right)


def _in(value: Any, *others: Any) -> bool | None:
    if value is None:
        return None
    if any(other is not None and ordered(value, other) == 0 for other in others):
        return True
    return None if None in others else False


def _between(value: Any, low: Any, high: Any) -> bool | None:
    sides = (
        None if value is None or low is None else ordered(value, low) >= 0,
        None if value is None or high is None else ordered(value, high) <= 0,
    )
    return False if False in sides else None if None in sides else True


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    return ordered(left, right) == 0


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _extreme(sign: int) -> Callable[..., Any]:
    def found(*values: Any) -> Any:
        given = [value for value in values if value is not None]
        best = given[0] if given else None
        for value in given[1:]:
            best = value if ordered(value, best) * sign > 0 else best
        return best

    return found


def _substring(text: str, place: int, length: int | None = None) -> str:
    """From 1, from the end when negative; a place before the start still counts towards the length."""
    begin = place - 1 if place > 0 else len(text) + place if place < 0 else 0
    end = len(text) if length is None else begin + length
    return text[max(0, begin) : max(0, end)]


def _left(text: str, count: int) -> str:
    return text[:count] if count > 0 else ""


def _right(text: str, count: int) -> str:
    return text[-count:] if count > 0 else ""


def _item(values: list[Any], place: int) -> Any:
    return values[place] if 0 <= place < len(values) else None


def _moment(part: str) -> Callable[[date], int]:
    return lambda moment: int(getattr(moment, part))


def _span(left: datetime, right: datetime) -> int:
    return (left - right) // timedelta(microseconds=1)


_TEXTS: Final = (STRING, INT)
_TIMES: Final = (TIMESTAMP, DATE)


def _text(evaluate: Callable[..., Any], *counts: int) -> Evaluated:
    return Evaluated(evaluate, _TEXTS, counts or (1,))


def _part(evaluate: Callable[[Any], int], *, dates: bool = True) -> Evaluated:
    return Evaluated(evaluate, _TIMES if dates else (TIMESTAMP,))


CALLS: Final[dict[str, Evaluated]] = {
    "not": Evaluated(lambda value: not value, (BOOLEAN,)),
    "<=>": Evaluated(_same, counts=(2,), strict=False),
    "in": Evaluated(_in, counts=None, strict=False),
    "between": Evaluated(_between, counts=(3,), strict=False),
    "is_null": Evaluated(lambda value: value is None, strict=False),
    "is_not_null": Evaluated(lambda value: value is not None, strict=False),
    "coalesce": Evaluated(_first, counts=None, strict=False),
    "nullif": Evaluated(lambda left, right: None if left is None or _same(left, right) else left, counts=(2,), strict=False),
    "greatest": Evaluated(_extreme(1), counts=None, strict=False),
    "least": Evaluated(_extreme(-1), counts=None, strict=False),
    "negative": Evaluated(lambda value: -value, (DOUBLE,)),
    "is_nan": Evaluated(math.isnan, (DOUBLE,)),
    "||": _text(lambda left, right: left + right, 2),
    "concat": Evaluated(lambda *texts: "".join(texts), (STRING,), None),
    "upper": _text(str.upper),
    "lower": _text(str.lower),
    "trim": _text(lambda text: text.strip(" ")),
    "ltrim": _text(lambda text: text.lstrip(" ")),
    "rtrim": _text(lambda text: text.rstrip(" ")),
    "length": _text(len),
    "substring": _text(_substring, 2, 3),
    "left": _text(_left, 2),
    "right": _text(_right, 2),
    "contains": _text(lambda text, part: part in text, 2),
    "starts_with": _text(str.startswith, 2),
    "ends_with": _text(str.endswith, 2),
    "replace": _text(lambda text, old, new: text.replace(old, new) if old else text, 3),
    "reverse": _text(lambda text: text[::-1]),
    "position": _text(lambda part, text: text.find(part) + 1, 2),
    "item": Evaluated(_item, counts=(2,)),
    "entry": Evaluated(lambda values, key: values.get(key), counts=(2,)),
    "span": Evaluated(_span, counts=(2,)),
    "year": _part(_moment("year")),
    "month": _part(_moment("month")),
    "day": _part(_moment("day")),
    "day_of_week": _part(lambda moment: int(moment.isoweekday())),
    "hour": _part(_moment("hour"), dates=False),
    "minute": _part(_moment("minute"), dates=False),
    "second": _part(_moment("second"), dates=False),
}
