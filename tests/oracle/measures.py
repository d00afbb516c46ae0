"""Measures over the rows of one group."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from tests.oracle.expression_functions import MEANINGS, Noted
from tests.oracle.expression_templates import form_of
from tests.oracle.values import Row, Undecided, compare_values, different, in_order, in_row_order

LONG = 2**63
DOUBLE_DIGITS = 2**53
GREATEST, LEAST = 10**300, Fraction(1, 10**300)
"""Between them a double holds a sum of squares with all its digits."""


def evaluate(text: str, row: Row) -> Any:
    """The value of an expression's text: a field, a known text, or a template with fields in its holes."""
    readable = row.readable()
    if text.strip("`") in readable:
        return readable[text.strip("`")]
    if text in MEANINGS:
        return MEANINGS[text](readable)
    found = form_of(text)
    assert found is not None, f"{text} has no meaning"
    form, names = found
    return form.of([readable[name] for name in names])


def fails(text: str, row: Row) -> bool:
    """True when an error inside the expression became null."""
    before = Noted.count
    evaluate(text, row)
    return Noted.count > before


def measure(text: str, rows: list[Row]) -> Any:
    """The value of a written measure, such as ``sum(x) where y > 0``, over the rows of a group."""
    name, arguments, where = parts_of(text)
    rows = in_row_order([row for row in rows if evaluate(where, row) is True] if where else rows)
    if name == "count" and not arguments:
        return len(rows)
    if name in RANKED:
        return _ranked_rows(name == "top_rows", rows, *arguments)
    columns = COLUMNS.get(name, 1)
    tuples = [tuple(evaluate(argument, row) for argument in arguments[:columns]) for row in rows]
    options = [_option(argument) for argument in arguments[columns:]]
    return FUNCTIONS[name](tuples, *options)


def measure_fails(text: str, row: Row) -> bool:
    """True when a measure's condition has an error, or its argument in a row that meets the condition."""
    name, arguments, where = parts_of(text)
    if where and (fails(where, row) or evaluate(where, row) is not True):
        return fails(where, row)
    columns = [_by(arguments[1])] if name in RANKED else arguments[: COLUMNS.get(name, 1)]
    return any(fails(column, row) for column in columns)


def parts_of(text: str) -> tuple[str, list[str], str]:
    """Name, arguments and condition of a written measure."""
    call, _, where = text.partition(" where ")
    found = re.fullmatch(r"(\w+)\((.*)\)", call.strip())
    assert found, text
    return found[1], _arguments(found[2]), where.strip()


def _arguments(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _option(text: str) -> Any:
    number = text.rpartition("=")[2].strip()
    if number.startswith("["):
        return [_option(part) for part in _arguments(number[1:-1])]
    return float(number) if "." in number else int(number)


def _given(tuples: list[tuple[Any, ...]]) -> list[Any]:
    return [values[0] for values in tuples if values[0] is not None]


def _sum(tuples: list[tuple[Any, ...]]) -> Any:
    values = _given(tuples)
    if not values:
        return None
    if isinstance(values[0], float):
        return _fsum(values)
    total = sum(values[1:], values[0])
    if (
        isinstance(total, int)
        and -LONG <= total < LONG
        and any(not -LONG <= part < LONG for part in _by_sign(values))
    ):
        raise Undecided
    return total if isinstance(total, Decimal) or -LONG <= total < LONG else None


def _by_sign(values: list[int]) -> tuple[int, int]:
    """What is above zero together, and what is below."""
    return sum(value for value in values if value > 0), sum(value for value in values if value < 0)


def _fsum(values: list[float]) -> float:
    try:
        total = math.fsum(values)
    except (OverflowError, ValueError):  # inf − inf, or beyond the greatest double on the way
        return sum(values)
    _require_digits(values, total)
    return total


def _require_digits(values: Sequence[float], total: float) -> None:
    """Doubles that nearly cancel out differ by order of addition by more than the tolerance (3.3)."""
    if not math.isfinite(total):
        return
    lost = sum(abs(Fraction(value)) for value in values) * len(values) / 2**53
    if lost > max(Fraction(1, 10**12), abs(Fraction(total)) / 10**9):
        raise Undecided


def _avg(tuples: list[tuple[Any, ...]]) -> Any:
    values = _given(tuples)
    if not values:
        return None
    if isinstance(values[0], Decimal):
        scale = -int(values[0].as_tuple().exponent)
        return (sum(values) / len(values)).quantize(Decimal(1).scaleb(-min(38, scale + 4)), ROUND_HALF_UP)
    if isinstance(values[0], float):
        return _fsum(values) / len(values)
    _require_digits(values, sum(values))
    return float(Fraction(sum(values), len(values)))


def _extreme(sign: int) -> Callable[[list[tuple[Any, ...]]], Any]:
    def best(tuples: list[tuple[Any, ...]]) -> Any:
        values = _given(tuples)
        return max(values, key=cmp_to_key(lambda a, b: sign * compare_values(a, b))) if values else None

    return best


def _min_by(tuples: list[tuple[Any, ...]]) -> Any:
    found = None
    for x, y in tuples:
        if y is not None and (
            found is None or compare_values(y, found[1]) < 0
        ):  # the earlier of equals stays
            found = (x, y)
    return found[0] if found else None


def _max_by(tuples: list[tuple[Any, ...]]) -> Any:
    found = None
    for x, y in tuples:
        if y is not None and (found is None or compare_values(y, found[1]) >= 0):  # the later of equals wins
            found = (x, y)
    return found[0] if found else None


def _spread(sample: bool, root: bool) -> Callable[[list[tuple[Any, ...]]], Any]:
    def spread(tuples: list[tuple[Any, ...]]) -> float | None:
        values = [float(value) for value in _given(tuples)]
        if len(values) < (2 if sample else 1):
            return None
        if not all(map(math.isfinite, values)):
            return math.nan
        variance = _squares(values) / (len(values) - sample)
        return math.sqrt(variance) if root else variance

    return spread


def _squares(values: Sequence[float]) -> float:
    """The sum of the squared distances from the mean.

    Raises:
        Undecided: a double does not hold it.
    """
    mean = sum(map(Fraction, values)) / len(values)
    exact = sum((Fraction(value) - mean) ** 2 for value in values)
    if exact > GREATEST or 0 < exact < LEAST:
        raise Undecided
    _require_spread(values, math.sqrt(exact))
    return float(exact)


def _require_spread(values: Sequence[float], deviation: float) -> None:
    """Means that are added up in another order differ in their last digits, which is more than the tolerance
    (3.3) where the values hardly vary: equal ones have a deviation of 1e-11 then.
    """
    if not math.isfinite(deviation):
        return
    lost = max(map(abs, values)) * len(values) / 2**53
    if lost > max(1e-12, deviation / 1e10):
        raise Undecided


def _corr(tuples: list[tuple[Any, ...]]) -> float | None:
    pairs = [(float(x), float(y)) for x, y in tuples if x is not None and y is not None]
    if len(pairs) < 2:
        return None
    sides = list(zip(*pairs, strict=True))
    # A mean of equal numbers may be off by a digit, and they would seem to vary.
    if any(len(different(list(side))) < 2 and math.isfinite(side[0]) for side in sides):
        return None
    if not all(math.isfinite(value) for side in sides for value in side):
        return math.nan
    sx, sy = map(_squares, sides)
    mx, my = (sum(map(Fraction, side)) / len(pairs) for side in sides)
    together = sum((Fraction(x) - mx) * (Fraction(y) - my) for x, y in pairs)
    return float(together / Fraction(math.sqrt(sx)) / Fraction(math.sqrt(sy)))


def _by(argument: str) -> str:
    return argument.removeprefix("by ").strip()


def names_in(fields: str) -> list[str]:
    """The names of a written list."""
    return [name.strip(" `") for name in fields.strip("[]").split(",")]


def _ranked_rows(top: bool, rows: list[Row], k: str, by: str, fields: str) -> list[dict[str, Any]]:
    """Of equals top takes the later row first, bottom the earlier; the rows come in row order."""
    ranked = [(evaluate(_by(by), row), row) for row in rows]
    ordered = sorted((pair for pair in ranked if pair[0] is not None), key=lambda pair: in_order(pair[0]))
    if top:
        ordered.reverse()  # the sort was stable: of equals the later is now first
    names = names_in(fields)
    return [{name: row.readable()[name] for name in names} for _, row in ordered[: int(k)]]


def _top_values(tuples: list[tuple[Any, ...]], k: int, items: int = 10_000) -> list[dict[str, Any]]:
    values = _given(tuples)
    counted = [
        (value, sum(compare_values(value, other) == 0 for other in values)) for value in different(values)
    ]
    return [
        {"value": value, "count": count} for value, count in sorted(counted, key=lambda pair: -pair[1])[:k]
    ]


def _percentile(tuples: list[tuple[Any, ...]], p: Any) -> Any:
    if isinstance(p, list):
        return [_percentile(tuples, one) for one in p] if _given(tuples) else None
    values = sorted((float(value) for value in _given(tuples)), key=in_order)
    if not values:
        return None
    h = p * (len(values) - 1)
    low = math.floor(h)
    lower, upper, part = values[low], values[min(low + 1, len(values) - 1)], h - low
    if part == 0 or lower == upper:
        return lower
    return lower + part * (upper - lower)


def _rank(tuples: list[tuple[Any, ...]], p: float, accuracy: int = 1_000) -> Any:
    values = sorted(_given(tuples), key=in_order)
    found = values[max(0, math.ceil(p * len(values)) - 1)] if values else None
    if type(found) is int and abs(found) > DOUBLE_DIGITS:
        return max(-LONG, min(int(float(found)), LONG - 1))
    return found


def _distinct(tuples: list[tuple[Any, ...]], limit: int = 10_000) -> int | None:
    count = len(different(_given(tuples)))
    return count if count <= limit else None


def _some(tuples: list[tuple[Any, ...]]) -> bool | None:
    return any(_given(tuples)) if _given(tuples) else None


def _every(tuples: list[tuple[Any, ...]]) -> bool | None:
    return all(_given(tuples)) if _given(tuples) else None


RANKED = ("top_rows", "bottom_rows")
COLUMNS = {"min_by": 2, "max_by": 2, "corr": 2}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "count": lambda tuples: len(_given(tuples)),
    "count_if": lambda tuples: sum(value is True for value in _given(tuples)),
    "sum": _sum,
    "avg": _avg,
    "min": _extreme(-1),
    "max": _extreme(1),
    "first": lambda tuples: (_given(tuples) or [None])[0],
    "last": lambda tuples: (_given(tuples) or [None])[-1],
    "min_by": _min_by,
    "max_by": _max_by,
    "stddev": _spread(sample=True, root=True),
    "variance": _spread(sample=True, root=False),
    "stddev_pop": _spread(sample=False, root=True),
    "var_pop": _spread(sample=False, root=False),
    "corr": _corr,
    "approx_distinct": lambda tuples, error=0.02: len(different(_given(tuples))),
    "distinct": _distinct,
    "top_values": _top_values,
    "percentile": _percentile,
    "approx_percentile": _rank,
    "collect_list": lambda tuples, limit=100: _given(tuples)[:limit],
    "collect_set": lambda tuples, limit=100: different(_given(tuples))[:limit],
    "any": _some,
    "all": _every,
}
