"""Comparisons, logic and functions of null."""

from collections.abc import Callable
from typing import Any, Final

from jobs.base.types import BOOLEAN
from jobs.expressions.python_functions.python_function import PythonFunction, ordered


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


LOGIC: Final[dict[str, PythonFunction]] = {
    "not": PythonFunction(lambda value: not value, ((BOOLEAN,),)),
    "<=>": PythonFunction(_same, counts=(2,), strict=False),
    "in": PythonFunction(_in, counts=None, strict=False),
    "between": PythonFunction(_between, counts=(3,), strict=False),
    "is_null": PythonFunction(lambda value: value is None, strict=False),
    "is_not_null": PythonFunction(lambda value: value is not None, strict=False),
    "coalesce": PythonFunction(_first, counts=None, strict=False),
    "nullif": PythonFunction(
        lambda left, right: None if left is None or _same(left, right) else left, counts=(2,), strict=False
    ),
    "greatest": PythonFunction(_extreme(1), counts=None, strict=False),
    "least": PythonFunction(_extreme(-1), counts=None, strict=False),
}
