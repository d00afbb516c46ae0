"""Functions with a lambda: each is given as a function of the values of its variables."""

from collections.abc import Callable
from itertools import zip_longest
from typing import Any, Final

Applied = Callable[..., Any]


def _holds(values: list[Any], test: Applied, *, when: bool) -> bool | None:
    """exists (when True) and forall (when False), of three-valued logic."""
    found = [test(value) for value in values]
    return when if when in found else None if None in found else not when


def _reduced(values: list[Any], start: Any, merge: Applied) -> Any:
    for value in values:
        start = merge(start, value)
    return start


def _transformed(values: list[Any], value: Applied) -> list[Any]:
    return [value(*given) for given in zip(values, range(len(values)), strict=True)]


def _kept(values: list[Any], test: Applied) -> list[Any]:
    return [given[0] for given in zip(values, range(len(values)), strict=True) if test(*given) is True]


def _keyed(values: dict[str, Any], key: Applied) -> dict[str, Any] | None:
    keys = [key(*entry) for entry in values.items()]
    return None if None in keys else dict(zip(keys, values.values(), strict=True))


LAMBDAS: Final[dict[str, Callable[..., Any]]] = {
    "transform": _transformed,
    "filter": _kept,
    "exists": lambda values, test: _holds(values, test, when=True),
    "forall": lambda values, test: _holds(values, test, when=False),
    "zip_with": lambda left, right, value: [value(*pair) for pair in zip_longest(left, right)],
    "map_filter": lambda values, test: {
        key: value for key, value in values.items() if test(key, value) is True
    },
    "transform_values": lambda values, value: {key: value(key, given) for key, given in values.items()},
    "transform_keys": _keyed,
    "reduce": _reduced,
}
"""By name: of the arguments before the lambda, which are not null but for the start of reduce, and of the
lambda, which leaves out variables that it has not."""
