"""Functions of arrays and maps."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal as Number
from functools import cmp_to_key
from typing import Any, Final

from jobs.base.budget import afford, spend, watched
from jobs.base.types import DATE, DURATION, INT, LONG, LONG_RANGE, STRING, TIMESTAMP, Array, DataType, Decimal
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.python_functions.numbers import EXACT
from jobs.expressions.python_functions.python_function import (
    ARRAYS,
    MAPS,
    PART,
    PythonFunction,
    afford_parts,
    chained,
    identity,
    ordered,
)

_HOLDERS: Final = (*ARRAYS, *MAPS)
SUMMED_DIGITS: Final = 27
_ENTRY: Final = 5 * PART  # an entry of a map as a struct or a list of its own


def _at(values: Any, position: Any) -> Any:
    """element_at: from 1, from the end when negative; of a map by key."""
    if isinstance(values, dict):
        return values.get(position)
    if position == 0 or abs(position) > len(values):
        return None
    return values[position - 1 if position > 0 else position]


def _holds(values: list[Any], value: Any) -> bool | None:
    if any(other is not None and ordered(other, value) == 0 for other in watched(values)):
        return True
    return None if None in values else False


def _position(values: list[Any], value: Any) -> int:
    return next(
        (
            at
            for at, other in enumerate(watched(values), 1)
            if other is not None and ordered(other, value) == 0
        ),
        0,
    )


def _extreme(sign: int) -> Callable[[list[Any]], Any]:
    def found(values: list[Any]) -> Any:
        best = None
        for value in watched(values):
            if value is not None and (best is None or ordered(value, best) * sign > 0):
                best = value
        return best

    return found


def _sum(values: list[Any]) -> Any:
    """From left to right, null as soon as the sum leaves a long;
    other types are held to theirs by the call.
    """
    total: Any = 0.0 if any(isinstance(value, float) for value in values) else 0
    for value in values:
        if isinstance(value, Number):
            total = EXACT.add(total, value)
        elif value is not None:
            total += value
        if isinstance(total, int) and total not in LONG_RANGE:
            return None
    return total


def _is_summed_exactly(types: list[DataType]) -> bool:
    """False for decimals whose sum would have 38 digits: Spark cuts the last one off at each step."""
    (values,) = types
    element = values.element if isinstance(values, Array) else None
    return not isinstance(element, Decimal) or element.precision <= SUMMED_DIGITS


def _mean(values: list[Any]) -> float | None:
    given = [float(value) for value in values if value is not None]
    total = 0.0
    for value in given:
        total += value  # in order, as Spark; sum() would round better
    return total / len(given) if given else None


def _sorted(values: list[Any], ascending: bool = True) -> list[Any]:
    present = [value for value in values if value is not None]
    given = sorted(present, key=_sort_key(present[0]) if present else None, reverse=not ascending)
    return given + [None] * (len(values) - len(given))


def _sort_key(example: Any) -> Callable[[Any], Any] | None:
    """The key that sorts values of this one's type as `ordered` does; None: they sort so by themselves."""
    if isinstance(example, float):
        return lambda value: (value != value, value)
    return cmp_to_key(_compared) if isinstance(example, list | dict) else None


def _compared(left: Any, right: Any) -> int:
    spend(1)
    return ordered(left, right)


def _first_of_each(values: Iterable[Any]) -> list[Any]:
    found: dict[Any, Any] = {}
    for value in watched(values):
        found.setdefault(identity(value), value)
    return list(found.values())


def _in_both(left: list[Any], right: list[Any]) -> list[Any]:
    there = {identity(value) for value in right}
    return _first_of_each(value for value in left if identity(value) in there)


def _in_first(left: list[Any], right: list[Any]) -> list[Any]:
    there = {identity(value) for value in right}
    return _first_of_each(value for value in left if identity(value) not in there)


def _overlap(left: list[Any], right: list[Any]) -> bool | None:
    if {identity(value) for value in left if value is not None} & {
        identity(value) for value in right if value is not None
    }:
        return True
    return None if left and right and (None in left or None in right) else False


def _inserted(values: list[Any] | None, position: int, value: Any) -> list[Any] | None:
    if values is None:
        return None
    if position < 0:
        return _inserted(values[::-1], -position, value)[::-1]  # type: ignore[index]
    return [*values[: position - 1], *[None] * (position - 1 - len(values)), value, *values[position - 1 :]]


def _slice(values: list[Any], position: int, count: int) -> list[Any]:
    begin = position - 1 if position > 0 else len(values) + position
    return values[begin : begin + count] if begin >= 0 else []


def _joined(values: list[Any], between: str, instead: str | None = None) -> str:
    texts = [text for value in values if (text := instead if value is None else value) is not None]
    afford(sum(map(len, texts)) + len(between) * len(texts))
    return between.join(texts)


def _flat(values: list[Any]) -> list[Any] | None:
    if None in values:
        return None
    afford_parts(*values)
    return [value for inner in values for value in inner]


def _sequence(first: Any, last: Any, step: Any = None) -> list[Any] | None:
    if step is not None and not isinstance(first, int):
        step = timedelta(microseconds=step)
    one = 1 if isinstance(first, int) else timedelta(days=1)
    step = step if step is not None else one if last >= first else -one
    way = int((last - first) // step)  # whole steps: a quotient of doubles may be one too great
    return [first + step * at for at in range(way + 1)] if 0 <= way < MAX_SEQUENCE else None


def _map_of(keys: list[Any], values: list[Any]) -> dict[str, Any] | None:
    return dict(zip(keys, values, strict=True)) if len(keys) == len(values) and None not in keys else None


def _map_of_entries(entries: list[Any]) -> dict[str, Any] | None:
    pairs = [None if entry is None else tuple(entry.values()) for entry in entries]
    return (
        None
        if any(pair is None or pair[0] is None for pair in pairs)
        else {pair[0]: pair[1] for pair in pairs if pair is not None}
    )


def _str_to_map(text: str, between: str = ",", after_key: str = ":") -> dict[str, Any]:
    afford(_ENTRY * (text.count(between) + 1))
    pairs = [pair.split(after_key, 1) for pair in watched(text.split(between))]
    return {pair[0]: pair[1] if len(pair) == 2 else None for pair in pairs}


def _entries(values: dict[str, Any]) -> list[dict[str, Any]]:
    afford(_ENTRY * len(values))
    return [{"key": key, "value": value} for key, value in values.items()]


def _merged(*maps: dict[str, Any]) -> dict[str, Any]:
    afford_parts(*maps)
    return {key: value for one in maps for key, value in one.items()}


def _of(evaluate: Callable[..., Any], *counts: int, strict: bool = True) -> tuple[PythonFunction, ...]:
    return (PythonFunction(evaluate, counts=counts or (1,), strict=strict),)


def _list_or_null(evaluate: Callable[[list[Any], Any], Any]) -> tuple[PythonFunction, ...]:
    """Null only where the array is."""
    return (
        PythonFunction(
            lambda values, value: None if values is None else evaluate(values, value),
            counts=(2,),
            strict=False,
        ),
    )


ARRAYS_AND_MAPS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "item": _of(lambda values, index: values[index] if 0 <= index < len(values) else None, 2),
    "get": _of(lambda values, index: values[index] if 0 <= index < len(values) else None, 2),
    "entry": _of(lambda values, key: values.get(key), 2),
    "element_at": _of(_at, 2),
    "try_element_at": _of(_at, 2),
    "size": (PythonFunction(len, (_HOLDERS,)),),
    "array_contains": _of(_holds, 2),
    "array_position": _of(_position, 2),
    "array_min": _of(_extreme(-1)),
    "array_max": _of(_extreme(1)),
    "array_sum": (PythonFunction(_sum, only=_is_summed_exactly),),
    "array_avg": _of(_mean),
    "array_sort": _of(_sorted, 1, 2),
    "array_distinct": _of(_first_of_each),
    "array_union": _of(lambda left, right: _first_of_each(chained(left, right)), 2),
    "array_intersect": _of(_in_both, 2),
    "array_except": _of(_in_first, 2),
    "arrays_overlap": _of(_overlap, 2),
    "array_concat": (PythonFunction(chained, counts=None),),
    "array_append": _list_or_null(lambda values, value: [*values, value]),
    "array_prepend": _list_or_null(lambda values, value: [value, *values]),
    "array_insert": _of(_inserted, 3, strict=False),
    "array_remove": _of(
        lambda values, value: [
            other for other in watched(values) if other is None or ordered(other, value) != 0
        ],
        2,
    ),
    "array_compact": _of(lambda values: [value for value in values if value is not None]),
    "array_reverse": _of(lambda values: values[::-1]),
    "array_repeat": _of(lambda value, count: [value] * count, 2, strict=False),
    "array_join": _of(_joined, 2, 3),
    "slice": _of(_slice, 3),
    "flatten": _of(_flat),
    "sequence": (
        PythonFunction(_sequence, ((INT, LONG),), (2, 3)),
        PythonFunction(_sequence, ((DATE,),), (2,)),
        PythonFunction(_sequence, ((TIMESTAMP,), (TIMESTAMP,), (DURATION,)), (3,)),
    ),
    "array": (PythonFunction(lambda *values: list(values), counts=None, strict=False),),
    "map": (
        PythonFunction(
            lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)), counts=None, strict=False
        ),
    ),
    "named_struct": (
        PythonFunction(
            lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)), counts=None, strict=False
        ),
    ),
    "map_keys": _of(list),
    "map_values": _of(lambda values: list(values.values())),
    "map_entries": _of(_entries),
    "map_contains_key": (PythonFunction(lambda values, key: key in values, (MAPS, (STRING,)), (2,)),),
    "map_concat": (PythonFunction(_merged, counts=None),),
    "map_from_arrays": _of(_map_of, 2),
    "map_from_entries": _of(_map_of_entries),
    "str_to_map": _of(_str_to_map, 1, 3),
}
