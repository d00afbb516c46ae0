"""One function in Python, and what several need: the order of values, and what they cost."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.budget import afford, watched
from jobs.base.types import Array, DataType, Decimal, Map


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """One function in Python.

    Attributes:
        evaluate: of the arguments' values.
        takes: for each argument, the last again for more, the types (or classes of types) that it may have;
            empty: any. A function may have forms that are computed in jobs only.
        counts: how many arguments there may be; None: any number.
        strict: null where an argument is null, without being called.
        integer: an integer result beyond the type of the call is null.
        only: what else the types must be; None: nothing.
    """

    evaluate: Callable[..., Any]
    takes: tuple[tuple[DataType | type[DataType], ...], ...] = ()
    counts: tuple[int, ...] | None = (1,)
    strict: bool = True
    integer: bool = False
    only: Callable[[list[DataType]], bool] | None = None

    def fits(self, types: list[DataType]) -> bool:
        """True when this form is computed here."""
        if self.counts is not None and len(types) not in self.counts:
            return False
        if self.only is not None and not self.only(types):
            return False
        return not self.takes or all(
            _is_one_of(one, self.takes[min(index, len(self.takes) - 1)]) for index, one in enumerate(types)
        )


PART: Final = 50
"""How many characters an element of an array or map is counted as: some bytes of memory each."""


def afford_parts(*holders: Any) -> None:
    """Look whether the elements of all these arrays and maps together may be made once more.

    Raises:
        jobs.base.budget.OverBudget: they are too many.
    """
    afford(PART * sum(map(len, holders)))


def chained(*lists: list[Any]) -> list[Any]:
    """The elements of several arrays."""
    afford_parts(*lists)
    return [value for values in lists for value in values]


ARRAYS = (Array,)
MAPS = (Map,)
DECIMALS = (Decimal,)


def _is_one_of(given: DataType, allowed: tuple[DataType | type[DataType], ...]) -> bool:
    return any(isinstance(given, one) if isinstance(one, type) else given == one for one in allowed)


def _has_nan(left: float, right: Any) -> bool:
    return isinstance(right, float) and (math.isnan(left) or math.isnan(right))


def ordered(left: Any, right: Any) -> int:
    """Below 0, 0 or above 0; NaN equals itself and is above every number, as in Spark;
    arrays part by part, null lowest.
    """
    if left is None or right is None:
        return int(left is not None) - int(right is not None)
    if isinstance(left, float) and _has_nan(left, right):
        return int(math.isnan(left)) - int(math.isnan(right))
    # Texts sort by code points, which is the order of their bytes in UTF-8, too.
    if isinstance(left, dict):
        left, right = list(left.values()), list(right.values())
    if isinstance(left, list):
        return next(
            (sign for pair in watched(zip(left, right, strict=False)) if (sign := ordered(*pair))),
            len(left) - len(right),
        )
    return int(left > right) - int(left < right)


def identity(value: Any) -> Any:
    """What equal elements of plain types share, null included.

    Decimals, which have one scale, as texts: anybody can write any number of them with one hash.
    """
    if isinstance(value, Number):
        return format(value if value else abs(value), "f")
    return ("nan",) if isinstance(value, float) and math.isnan(value) else (type(value) is bool, value)
