"""Result types of decimal arithmetic (`docs/semantics/expressions.md#decimals`)."""

from collections.abc import Callable
from typing import Final

from jobs.base.types import MAX_PRECISION, DataType, Decimal

_MIN_SCALE: Final = 6
_NEGATED_DIGITS: Final = 34  # that Spark keeps where it negates a decimal; it rounds the others off, or fails


_QUOTIENT_DIGITS: Final = 38
QUOTIENT_LIMIT: Final = 9e38
"""Spark fails the query at a remainder of which the quotient has more than 39 digits before the point."""


def has_long_quotient(left: DataType, right: DataType) -> bool:
    """True for decimals of which a quotient may reach `QUOTIENT_LIMIT`."""
    return (
        isinstance(left, Decimal)
        and isinstance(right, Decimal)
        and left.precision - left.scale + right.scale > _QUOTIENT_DIGITS
    )


def is_wide(data_type: DataType) -> bool:
    """True for a decimal that Spark's own minus and abs may round, or on which they may fail the query."""
    return isinstance(data_type, Decimal) and data_type.precision > _NEGATED_DIGITS


def _bounded(precision: int, scale: int) -> Decimal:
    """Cut to 38 digits: whole digits are kept, the scale gives way down to six."""
    if precision <= MAX_PRECISION:
        return Decimal(precision, scale)
    return Decimal(MAX_PRECISION, max(MAX_PRECISION - (precision - scale), min(scale, _MIN_SCALE)))


def _sum(a: Decimal, b: Decimal) -> Decimal:
    scale = max(a.scale, b.scale)
    return _bounded(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def _product(a: Decimal, b: Decimal) -> Decimal:
    return _bounded(a.precision + b.precision + 1, a.scale + b.scale)


def _quotient(a: Decimal, b: Decimal) -> Decimal:
    scale = max(_MIN_SCALE, a.scale + b.precision + 1)
    return _bounded(a.precision - a.scale + b.scale + scale, scale)


def _remainder(a: Decimal, b: Decimal) -> Decimal:
    scale = max(a.scale, b.scale)
    return _bounded(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


DECIMAL_RESULT: Final[dict[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "+": _sum,
    "-": _sum,
    "*": _product,
    "/": _quotient,
    "%": _remainder,
}
