"""The measures of aggregates: one explicit table (`docs/semantics/aggregate.md#measures`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.types import (
    BOOLEAN,
    DOUBLE,
    DOUBLE_DIGITS,
    DURATION,
    INT,
    LONG,
    NULL,
    Array,
    Atomic,
    DataType,
    Decimal,
    Member,
    Struct,
    is_numeric,
    is_ordered,
)
from jobs.expressions import Expression

Types = tuple[DataType, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A literal option of a measure, given by position after the columns or by name, from `min` to `max`
    inclusive.

    Without a `default` (None) it is required; `many` allows a list; `integer` rejects fractions.
    """

    name: str
    min: float
    max: float
    default: float | None = None
    integer: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A row of the measure table.

    Attributes:
        name: as written in documents.
        columns: names of the measure's arguments.
        result: computes the result type from the types of the columns; None if they are not accepted.
        wants: which columns are accepted, in words.
        never_null: the result is never null; an empty group gives 0 or [].
        has_null_cases: whether a result of this type may be null although the group has values (overflow,
            n < 2, a limit).
        holds_values: the state holds the values themselves, so every row rewrites all of them.
        keeps_order: the state holds event time and identity of rows beside values, because row order decides
            which row counts, or ties.
        options: literal options.
        optional: the columns may be left out.
        ranked: rows are ranked ``by`` an expression, and a list of fields is kept of the top ones.
        approximate_above: name of the option that limits the number of distinct values for which the measure
            is exact; "" if it has no such limit.
        meaning: one line for the reference.
        example: as written in documents.
    """

    name: str
    columns: tuple[str, ...]
    result: Callable[[Types], DataType | None]
    wants: str
    meaning: str
    example: str
    never_null: bool = False
    has_null_cases: Callable[[DataType], bool] = lambda result: False  # noqa: ARG005
    holds_values: bool = False
    keeps_order: bool = False
    options: tuple[Option, ...] = ()
    optional: bool = False
    ranked: bool = False
    approximate_above: str = ""


@dataclass(frozen=True, slots=True)
class BoundMeasure:
    """A measure ready for the lowering: `options` holds every option of the table, lists as tuples.

    For a ranked measure the first argument ranks the rows and the others are the fields kept of them, in the
    order of the result's members.
    """

    name: str
    function: str
    arguments: tuple[Expression, ...]
    options: dict[str, Any]
    where: Expression | None
    type: DataType
    nullable: bool
    holds_values: bool

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The arguments and, if there is one, the condition that decides which rows count."""
        return self.arguments if self.where is None else (*self.arguments, self.where)


def _long(_: Types) -> DataType:
    return LONG


def _sum(types: Types) -> DataType | None:
    match types[0]:
        case Decimal(precision, scale):
            return Decimal(min(38, precision + 10), scale)
        case x if x in (INT, LONG):
            return LONG
        case x:
            return DOUBLE if x == DOUBLE else None


def _avg(types: Types) -> DataType | None:
    if isinstance(types[0], Decimal):
        return Decimal(min(38, types[0].precision + 4), min(38, types[0].scale + 4))
    return DOUBLE if is_numeric(types[0]) else None


def _doubles(types: Types) -> DataType | None:
    return DOUBLE if all(is_numeric(t) for t in types) else None


def ordered(data_type: DataType) -> DataType | None:
    """The type itself if rows can be ranked by its values (atomic, with an order), else None."""
    fits = (
        isinstance(data_type, Atomic | Decimal)
        and is_ordered(data_type)
        and data_type not in (DURATION, NULL)
    )
    return data_type if fits else None


def _ordered(types: Types) -> DataType | None:
    return types[0] if ordered(types[-1]) and _any_value(types) else None


def _any_value(types: Types) -> DataType | None:
    return None if types[0] in (DURATION, NULL) else types[0]


def _boolean(types: Types) -> DataType | None:
    return BOOLEAN if types[0] == BOOLEAN else None


def _condition_count(types: Types) -> DataType | None:
    return LONG if types[0] == BOOLEAN else None


def _atomic_count(types: Types) -> DataType | None:
    return LONG if isinstance(types[0], Atomic | Decimal) and types[0] not in (DURATION, NULL) else None


def _number(types: Types) -> DataType | None:
    return types[0] if is_numeric(types[0]) else None


def _number_as_double(types: Types) -> DataType | None:
    """Spark keeps doubles, from which a decimal of more digits does not come back: it would be another value,
    or one that its type doesn't hold, which ends the query.
    """
    wide = isinstance(types[0], Decimal) and types[0].precision > DOUBLE_DIGITS
    return None if wide else _number(types)


def _list(types: Types) -> DataType | None:
    return None if _any_value(types) is None else Array(types[0], nullable=False)


def _set(types: Types) -> DataType | None:
    return None if _ordered(types) is None else Array(types[0], nullable=False)


def _counted(types: Types) -> DataType | None:
    if _atomic_count(types) is None:
        return None
    return Array(
        Struct((Member("value", types[0], nullable=False), Member("count", LONG, nullable=False))),
        nullable=False,
    )


def _unranked(_: Types) -> DataType | None:
    return None


def _unless_double(result: DataType) -> bool:
    return result != DOUBLE


def _always(_: DataType) -> bool:
    return True


_NUMBERS: Final = "numbers"
_ORDERED: Final = "a sortable single-valued type (numbers, string, boolean, binary, timestamp, date)"
_ANY: Final = "a type that a field can have"
_P: Final = Option("p", 0.0, 1.0, many=True)
_K: Final = Option("k", 1, 1_000, integer=True)
_LIMIT: Final = Option("limit", 1, 1_000, default=100, integer=True)

_ROWS: Final = (
    Measure(
        "count",
        ("x",),
        _long,
        _ANY,
        "number of rows; with x: rows where x is not null",
        "count()",
        never_null=True,
        optional=True,
    ),
    Measure(
        "count_if",
        ("condition",),
        _condition_count,
        "a condition",
        "number of rows where the condition is true",
        "count_if(price > 10)",
        never_null=True,
    ),
    Measure(
        "sum", ("x",), _sum, _NUMBERS, "total; null on overflow", "sum(amount)", has_null_cases=_unless_double
    ),
    Measure(
        "avg", ("x",), _avg, _NUMBERS, "total divided by count", "avg(price)", has_null_cases=_unless_double
    ),
    Measure("min", ("x",), _ordered, _ORDERED, "smallest value", "min(price)"),
    Measure("max", ("x",), _ordered, _ORDERED, "largest value", "max(price)"),
    Measure(
        "first",
        ("x",),
        _any_value,
        _ANY,
        "x of the earliest row whose x is not null",
        "first(price)",
        keeps_order=True,
    ),
    Measure(
        "last",
        ("x",),
        _any_value,
        _ANY,
        "x of the latest row whose x is not null",
        "last(price)",
        keeps_order=True,
    ),
    Measure(
        "min_by",
        ("x", "y"),
        _ordered,
        "y: " + _ORDERED,
        "x of the row with the smallest y, the earliest on ties",
        "min_by(symbol, price)",
        keeps_order=True,
    ),
    Measure(
        "max_by",
        ("x", "y"),
        _ordered,
        "y: " + _ORDERED,
        "x of the row with the largest y, the latest on ties",
        "max_by(symbol, price)",
        keeps_order=True,
    ),
    Measure(
        "stddev",
        ("x",),
        _doubles,
        _NUMBERS,
        "sample standard deviation; null for fewer than 2 values",
        "stddev(price)",
        has_null_cases=_always,
    ),
    Measure(
        "variance",
        ("x",),
        _doubles,
        _NUMBERS,
        "sample variance; null for fewer than 2 values",
        "variance(price)",
        has_null_cases=_always,
    ),
    Measure(
        "stddev_pop",
        ("x",),
        _doubles,
        _NUMBERS,
        "standard deviation of the whole population",
        "stddev_pop(price)",
    ),
    Measure("var_pop", ("x",), _doubles, _NUMBERS, "variance of the whole population", "var_pop(price)"),
    Measure(
        "corr",
        ("x", "y"),
        _doubles,
        _NUMBERS,
        "Pearson correlation; null for fewer than 2 pairs or zero variance",
        "corr(price, size)",
        has_null_cases=_always,
    ),
    Measure(
        "approx_distinct",
        ("x",),
        _atomic_count,
        "an atomic type",
        "approximate number of distinct values",
        "approx_distinct(user, error = 0.02)",
        never_null=True,
        options=(Option("error", 0.01, 0.2, default=0.02),),
    ),
    Measure(
        "distinct",
        ("x",),
        _atomic_count,
        "an atomic type",
        "exact number of distinct values; null above the limit",
        "distinct(user, limit = 10000)",
        has_null_cases=_always,
        holds_values=True,
        options=(Option("limit", 1, 100_000, default=10_000, integer=True),),
    ),
    Measure(
        "percentile",
        ("x",),
        _doubles,
        _NUMBERS,
        "exact percentile, interpolated between neighbors",
        "percentile(price, 0.5)",
        holds_values=True,
        options=(_P,),
    ),
    Measure(
        "approx_percentile",
        ("x",),
        _number_as_double,
        "numbers, of decimals those of at most 15 digits",
        "a value of the group close to that percentile",
        "approx_percentile(price, 0.95, accuracy = 1000)",
        holds_values=True,
        options=(Option("p", 0.0, 1.0), Option("accuracy", 1, 100_000, default=1_000, integer=True)),
    ),
    Measure(
        "collect_list",
        ("x",),
        _list,
        _ANY,
        "the first values in row order",
        "collect_list(word, limit = 10)",
        never_null=True,
        holds_values=True,
        options=(_LIMIT,),
        keeps_order=True,
    ),
    Measure(
        "collect_set",
        ("x",),
        _set,
        _ORDERED,
        "distinct values, ascending",
        "collect_set(word)",
        never_null=True,
        holds_values=True,
        options=(_LIMIT,),
    ),
    Measure(
        "top_values",
        ("x",),
        _counted,
        "an atomic type",
        "the k most frequent values with their counts, ties by value; exact up to `items` distinct values",
        "top_values(page, 10)",
        never_null=True,
        holds_values=True,
        options=(_K, Option("items", 1, 100_000, default=10_000, integer=True)),
        approximate_above="items",
    ),
    Measure(
        "top_rows",
        (),
        _unranked,
        "by: " + _ORDERED,
        "these fields of the k rows with the largest value, largest first; on ties the later row first",
        "top_rows(10, by n, [page, n])",
        never_null=True,
        holds_values=True,
        options=(_K,),
        ranked=True,
        keeps_order=True,
    ),
    Measure(
        "bottom_rows",
        (),
        _unranked,
        "by: " + _ORDERED,
        "these fields of the k rows with the smallest value, smallest first; on ties the earlier row first",
        "bottom_rows(3, by price, [symbol, price])",
        never_null=True,
        holds_values=True,
        options=(_K,),
        ranked=True,
        keeps_order=True,
    ),
    Measure("any", ("condition",), _boolean, "a condition", "true when any value is true", "any(price > 10)"),
    Measure(
        "all", ("condition",), _boolean, "a condition", "true when every value is true", "all(price > 10)"
    ),
)

MEASURES: Final[dict[str, Measure]] = {measure.name: measure for measure in _ROWS}
