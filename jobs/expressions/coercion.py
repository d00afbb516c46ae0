"""Implicit widening and the numeric type rules (`docs/semantics/expressions.md#arithmetic`).

Only widening is implicit: int to long to double, int and long to decimal, decimal to a wider decimal and to
double, null to anything. Everything else needs a cast in the text. Literals are widened by value, so ``5``
beside a decimal counts as decimal(1,0).
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Context
from decimal import Decimal as Number
from typing import Final

from jobs.base.types import (
    DOUBLE,
    INT,
    INT_RANGE,
    LONG,
    LONG_RANGE,
    NULL,
    DataType,
    Decimal,
    is_numeric,
    looser_type,
    same_type,
)
from jobs.expressions.nodes import Cast, Literal, Tree

_INTEGER_DIGITS: Final = {INT: 10, LONG: 20}
_EXACT: Final = Context(prec=80)
_INTEGER_RANGES: Final[dict[DataType, range]] = {INT: INT_RANGE, LONG: LONG_RANGE}


def natural_decimal(value: Number) -> Decimal | None:
    """The smallest decimal type that holds a value as written, trailing zeros included;
    None beyond 38 digits.
    """
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return None
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    return Decimal(precision, scale) if precision <= 38 else None


def decimal_form(tree: Tree) -> Decimal | None:
    """The decimal type that a whole or decimal operand counts as; None for other types."""
    if isinstance(tree.type, Decimal):
        return tree.type
    if tree.type not in _INTEGER_DIGITS:
        return None
    if isinstance(tree, Literal) and isinstance(tree.value, int):
        return Decimal(len(str(abs(tree.value))), 0)
    return Decimal(_INTEGER_DIGITS[tree.type], 0)


def wider_decimal(left: Decimal, right: Decimal) -> Decimal | None:
    """The smallest decimal type that holds all values of both; None beyond 38 digits."""
    scale = max(left.scale, right.scale)
    precision = max(left.precision - left.scale, right.precision - right.scale) + scale
    return Decimal(precision, scale) if precision <= 38 else None


def common_type(trees: Sequence[Tree]) -> DataType | None:
    """The one type that all these values widen to; None when there is none, NULL when all are bare nulls."""
    known = [tree for tree in trees if tree.type != NULL]
    if not known:
        return NULL
    same = same_type(*(tree.type for tree in known))
    if same is not None:
        return same
    return _common_number(known) if all(is_numeric(tree.type) for tree in known) else None


def _common_number(numbers: Sequence[Tree]) -> DataType | None:
    types = [number.type for number in numbers]
    if DOUBLE in types:
        return DOUBLE
    if not any(isinstance(data_type, Decimal) for data_type in types):
        return LONG
    first, *others = [form for number in numbers if (form := decimal_form(number)) is not None]
    widest: Decimal | None = first
    for form in others:
        widest = wider_decimal(widest, form) if widest is not None else None
    return widest


def widen(tree: Tree, to: DataType) -> Tree | None:
    """The same value as type `to`, when that needs no more than implicit widening; None otherwise."""
    if tree.type == to:
        return tree
    if tree.type == NULL:
        return Literal(None, to)
    if type(to) is type(tree.type) and to == looser_type(tree.type):  # types without parts are equal or not
        return replace(tree, type=to)  # type: ignore[arg-type]  # all trees have a type
    if isinstance(tree, Literal) and is_numeric(tree.type) and is_numeric(to):
        return fold_number(tree, to)
    if not is_widening(tree.type, to):
        return None
    return Cast(tree, to, tree.nullable)


def is_widening(source: DataType, to: DataType) -> bool:
    """True when every value of `source` is a value of `to` (long and decimal to double round)."""
    if to == DOUBLE:
        return is_numeric(source)
    if to == LONG:
        return source == INT
    if not isinstance(to, Decimal):
        return False
    if isinstance(source, Decimal):
        return to.scale >= source.scale and to.precision - to.scale >= source.precision - source.scale
    return source in _INTEGER_DIGITS and to.precision - to.scale >= _INTEGER_DIGITS[source]


def fold_number(literal: Literal, to: DataType) -> Literal | None:
    """A number literal as another numeric type, when the value stays exactly the same
    (to double: rounded).
    """
    value = literal.value
    if value is None:
        return Literal(None, to)
    if not isinstance(value, int | Number):
        return None
    if to == DOUBLE:
        return Literal(float(value), DOUBLE)
    number = Number(value)
    if to in _INTEGER_RANGES:
        return Literal(int(number), to) if _is_integer_in(number, _INTEGER_RANGES[to]) else None
    natural = natural_decimal(number)
    if isinstance(to, Decimal) and natural is not None and is_widening(natural, to):
        return Literal(number.quantize(Number(1).scaleb(-to.scale), context=_EXACT), to)
    return None


def _is_integer_in(number: Number, allowed: range) -> bool:
    return number == int(number) and int(number) in allowed
