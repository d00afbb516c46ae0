"""The functions that `evaluation` computes, by their names in checked trees; others are refused there by name."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from jobs.base.types import Atomic, DataType


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One function in Python.

    Attributes:
        evaluate: of the arguments' values.
        strict: null where an argument is null, without being called.
        types: classes that every argument's type must be of; empty: any.
    """

    evaluate: Callable[..., Any]
    strict: bool = True
    types: tuple[type[DataType], ...] = ()


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


_ATOMIC: Final = (Atomic,)

CALLS: Final[dict[str, Evaluated]] = {
    "not": Evaluated(lambda value: not value),
    "<=>": Evaluated(_same, strict=False),
    "in": Evaluated(_in, strict=False),
    "between": Evaluated(_between, strict=False),
    "is_null": Evaluated(lambda value: value is None, strict=False),
    "is_not_null": Evaluated(lambda value: value is not None, strict=False),
    "coalesce": Evaluated(_first, strict=False),
    "nullif": Evaluated(lambda left, right: None if left is None or _same(left, right) else left, strict=False),
    "greatest": Evaluated(_extreme(1), strict=False),
    "least": Evaluated(_extreme(-1), strict=False),
    "negative": Evaluated(lambda value: -value),
    "is_nan": Evaluated(math.isnan),
    "||": Evaluated(lambda left, right: left + right),
    "concat": Evaluated(lambda *texts: "".join(texts)),
    "upper": Evaluated(str.upper),
    "lower": Evaluated(str.lower),
    "trim": Evaluated(lambda text: text.strip(" ")),
    "ltrim": Evaluated(lambda text: text.lstrip(" ")),
    "rtrim": Evaluated(lambda text: text.rstrip(" ")),
    "length": Evaluated(len),
    "substring": Evaluated(_substring),
    "left": Evaluated(_left),
    "right": Evaluated(_right),
    "contains": Evaluated(lambda text, part: part in text),
    "starts_with": Evaluated(str.startswith),
    "ends_with": Evaluated(str.endswith),
    "replace": Evaluated(lambda text, old, new: text.replace(old, new) if old else text),
    "reverse": Evaluated(lambda text: text[::-1]),
    "position": Evaluated(lambda part, text: text.find(part) + 1),
    "item": Evaluated(_item),
    "entry": Evaluated(lambda values, key: values.get(key)),
    "span": Evaluated(_span),
    "year": Evaluated(_moment("year"), types=_ATOMIC),
    "month": Evaluated(_moment("month"), types=_ATOMIC),
    "day": Evaluated(_moment("day"), types=_ATOMIC),
    "day_of_week": Evaluated(lambda moment: int(moment.isoweekday()), types=_ATOMIC),
    "hour": Evaluated(_moment("hour"), types=_ATOMIC),
    "minute": Evaluated(_moment("minute"), types=_ATOMIC),
    "second": Evaluated(_moment("second"), types=_ATOMIC),
}
