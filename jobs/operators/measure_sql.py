"""Measures as Spark SQL aggregates: one explicit table by the names of `jobs.operators.measures`.

See `docs/semantics/aggregate.md#measures`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.types import BYTES, DOUBLE, Array, Decimal, Struct
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.operators.measures import BoundMeasure

Options = dict[str, Any]

_FINER: Final = 4
"""Times the accuracy of a percentile that Spark is asked for: it rounds its own bound up by a rank on either
side.
"""


_EXACT_DIGITS: Final = 12  # with four more, a decimal of so many is not averaged as a double


def measure_sql(measure: BoundMeasure, order: tuple[str, ...], only: tuple[str, ...] = ()) -> str:
    """Spark SQL of one measure over a group.

    Args:
        measure: checked and typed.
        order: columns that define the row order ≺, which decides ties.
        only: Spark SQL of further conditions that a row must meet to count.
    """
    arguments = [argument.sql for argument in measure.arguments]
    conditions = [*only, *([f"({measure.where.sql})"] if measure.where else [])]
    return _MEASURES[measure.function](measure, arguments, conditions, order)


def _filtered(aggregate: str, conditions: list[str]) -> str:
    return f"{aggregate} FILTER (WHERE {' AND '.join(conditions)})" if conditions else aggregate


def _row(order: tuple[str, ...], *first: str) -> str:
    return f"struct({', '.join((*first, *map(quoted, order)))})"


def _count(_: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]) -> str:
    return _filtered(f"count({arguments[0] if arguments else '1'})", conditions)


def _plain(function: str) -> Callable[..., str]:
    def lower(
        measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
    ) -> str:
        return _filtered(f"{function}({', '.join(arguments)})", conditions)

    return lower


def _over_doubles(function: str) -> Callable[..., str]:
    def lower(
        measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
    ) -> str:
        return _filtered(
            f"{function}({', '.join(f'cast({sql} AS DOUBLE)' for sql in arguments)})", conditions
        )

    return lower


def _edge(function: str) -> Callable[..., str]:
    def lower(
        measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
    ) -> str:
        x = arguments[0]
        return _filtered(f"{function}({x}, {_row(order)})", [*conditions, f"({x}) IS NOT NULL"])

    return lower


def _extreme(function: str) -> Callable[..., str]:
    def lower(
        measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
    ) -> str:
        x, y = arguments
        return _filtered(f"{function}({x}, {_row(order, y)})", [*conditions, f"({y}) IS NOT NULL"])

    return lower


def _approx_distinct(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    return _filtered(f"approx_count_distinct({arguments[0]}, {measure.options['error']}D)", conditions)


def _distinct(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    size = f"cast(size({_filtered(f'collect_set({arguments[0]})', conditions)}) AS BIGINT)"
    return f"nullif(least({size}, {measure.options['limit'] + 1}L), {measure.options['limit'] + 1}L)"


def _percentile(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    p = measure.options["p"]
    wanted = f"array({', '.join(f'{part}D' for part in p)})" if isinstance(measure.type, Array) else f"{p}D"
    return _filtered(f"percentile(cast({arguments[0]} AS DOUBLE), {wanted})", conditions)


def _approx_percentile(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    accuracy, x = measure.options["accuracy"] * _FINER, arguments[0]
    if measure.type == DOUBLE:
        x = _moved(x, _DOWN)
    found = _filtered(f"approx_percentile({x}, {measure.options['p']}D, {accuracy})", conditions)
    if measure.type == DOUBLE:
        return _moved(found, _UP)
    # Spark converts decimals back from doubles, with whatever digits the double has, and skips a cast to the
    # type that they already have; hence the cast to a string first.
    return (
        f"cast(cast({found} AS STRING) AS {schema_sql(measure.type)})"
        if isinstance(measure.type, Decimal)
        else found
    )


_NAN, _INFINITY, _MAX, _BELOW_MAX = (
    "double('NaN')", "double('Infinity')", "1.7976931348623157E308D", "1.7976931348623155E308D",
)  # fmt: skip
_DOWN: Final = {_NAN: _INFINITY, _INFINITY: _MAX, _MAX: _BELOW_MAX}
_UP: Final = {_INFINITY: _NAN, _MAX: _INFINITY}
"""Spark's summary of values finds NaN neither below nor above another, so that it lands anywhere among them.
The greatest doubles make room at the top: only the last finite one becomes the one next to it.
"""


def _moved(x: str, moves: Mapping[str, str]) -> str:
    cases = " ".join(f"WHEN {given} THEN {taken}" for given, taken in moves.items())
    return f"(CASE {x} {cases} ELSE {x} END)"


def _collect_list(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    x = arguments[0]
    chosen = _filtered(
        f"min_by({x}, {_row(order)}, {measure.options['limit']})", [*conditions, f"({x}) IS NOT NULL"]
    )
    return f"coalesce({chosen}, cast(array() AS {schema_sql(measure.type)}))"


def _collect_set(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    values = _filtered(f"collect_set({arguments[0]})", conditions)
    return f"slice(array_sort({values}), 1, {measure.options['limit']})"


def _top_values(
    measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
) -> str:
    """Binary values are counted as hexadecimal text, which sorts in the same order. Adding zero to a double
    turns -0.0 into 0.0.
    """
    x, value = arguments[0], "e.item"
    if measure.arguments[0].type == BYTES:
        x, value = f"hex({x})", "unhex(e.item)"
    elif measure.arguments[0].type == DOUBLE:
        x = f"({x} + 0D)"
    items = measure.options["items"]
    counted = _filtered(f"approx_top_k({x}, {items}, {items})", [*conditions, f"({x}) IS NOT NULL"])
    more = "WHEN a.count > b.count THEN -1 WHEN a.count < b.count THEN 1"
    less = "WHEN a.item < b.item THEN -1 WHEN a.item > b.item THEN 1"
    best = f"slice(array_sort({counted}, (a, b) -> CASE {more} {less} ELSE 0 END), 1, {measure.options['k']})"
    made = f"transform({best}, e -> named_struct('value', {value}, 'count', e.count))"
    return f"coalesce({made}, cast(array() AS {schema_sql(measure.type)}))"


def _ranked(function: str) -> Callable[..., str]:
    def lower(
        measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]
    ) -> str:
        by, *fields = arguments
        members = (
            measure.type.element.members
            if isinstance(measure.type, Array) and isinstance(measure.type.element, Struct)
            else ()
        )
        row = ", ".join(
            f"{string_sql(member.name)}, {sql}" for member, sql in zip(members, fields, strict=True)
        )
        chosen = f"{function}(named_struct({row}), {_row(order, by)}, {measure.options['k']})"
        rows = _filtered(chosen, [*conditions, f"({by}) IS NOT NULL"])
        return f"coalesce({rows}, cast(array() AS {schema_sql(measure.type)}))"

    return lower


def _avg(measure: BoundMeasure, arguments: list[str], conditions: list[str], order: tuple[str, ...]) -> str:
    (x,), taken = arguments, measure.arguments[0].type
    if measure.type == DOUBLE:
        return _filtered(f"try_avg(cast({x} AS DOUBLE))", conditions)
    if not (isinstance(taken, Decimal) and averages_wider(taken)):
        return _filtered(f"try_avg({x})", conditions)
    exact = _filtered(f"try_avg(cast({x} AS DECIMAL({_EXACT_DIGITS},{taken.scale})))", conditions)
    return f"cast({exact} AS {schema_sql(measure.type)})"


def averages_wider(taken: Decimal) -> bool:
    """Whether decimals are averaged as ones of more digits: Spark would add up those of few as doubles."""
    return taken.precision < _EXACT_DIGITS


_MEASURES: Final[dict[str, Callable[[BoundMeasure, list[str], list[str], tuple[str, ...]], str]]] = {
    "count": _count,
    "count_if": _plain("count_if"),
    "sum": _plain("try_sum"),
    "avg": _avg,
    "min": _plain("min"),
    "max": _plain("max"),
    "first": _edge("min_by"),
    "last": _edge("max_by"),
    "min_by": _extreme("min_by"),
    "max_by": _extreme("max_by"),
    "stddev": _over_doubles("stddev"),
    "variance": _over_doubles("variance"),
    "stddev_pop": _over_doubles("stddev_pop"),
    "var_pop": _over_doubles("var_pop"),
    "corr": _over_doubles("corr"),
    "approx_distinct": _approx_distinct,
    "distinct": _distinct,
    "percentile": _percentile,
    "approx_percentile": _approx_percentile,
    "collect_list": _collect_list,
    "collect_set": _collect_set,
    "top_values": _top_values,
    "top_rows": _ranked("max_by"),
    "bottom_rows": _ranked("min_by"),
    "any": _plain("bool_or"),
    "all": _plain("bool_and"),
}

MEASURE_NAMES: Final = frozenset(_MEASURES)
