"""Casts of the text: the target type's name, literals folded, the rule looked up."""

from collections.abc import Callable
from decimal import Decimal as Number
from typing import Final

from sqlglot import exp

from jobs.base.types import (
    BOOLEAN,
    BYTES,
    DATE,
    DIGITS,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
    is_numeric,
    type_text,
)
from jobs.expressions.casts import cast_rule, cast_targets
from jobs.expressions.coercion import fold_number
from jobs.expressions.errors import ExpressionError
from jobs.expressions.literals import day_literal, instant_literal
from jobs.expressions.nodes import Cast, Literal, Tree
from jobs.expressions.parse import span_of

_TYPES: Final[dict[exp.DType, DataType]] = {
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.INT: INT,
    exp.DType.BIGINT: LONG,
    exp.DType.DOUBLE: DOUBLE,
    exp.DType.TEXT: STRING,
    exp.DType.BINARY: BYTES,
    exp.DType.TIMESTAMPTZ: TIMESTAMP,
    exp.DType.DATE: DATE,
}


def bind_cast(argument: Tree, node: exp.Expr, *, quiet: bool) -> Tree:
    """The argument as another type.

    Raises:
        ExpressionError: no such type or no such cast.
    """
    to = _target(node)
    if argument.type == to:
        return argument
    if argument.type == NULL:
        return Literal(None, to)
    if isinstance(argument, Literal) and (folded := _folded(argument, to, node)) is not None:
        return folded
    rule = cast_rule(argument.type, to)
    if rule is None:
        targets = ", ".join(cast_targets(argument.type))
        hint = f"{type_text(argument.type)} can be cast to {targets}." if targets else ""
        raise ExpressionError(
            "CAST_UNSUPPORTED",
            f"{type_text(argument.type)} can't be cast to {type_text(to)}.",
            hint,
            span_of(node),
        )
    return Cast(argument, to, argument.nullable or rule.fails, quiet and rule.fails)


_TIME_LITERALS: Final[dict[DataType, Callable[[str], Literal]]] = {
    TIMESTAMP: instant_literal,
    DATE: day_literal,
}


def _folded(argument: Literal, to: DataType, node: exp.Expr) -> Literal | None:
    if to in _TIME_LITERALS and isinstance(argument.value, str):
        try:
            return _TIME_LITERALS[to](argument.value)
        except ExpressionError as refused:
            refused.span = span_of(node)
            raise
    if is_numeric(argument.type) and is_numeric(to):
        return fold_number(argument, to)
    is_typed = isinstance(node.args.get("to"), exp.DataType)
    if isinstance(to, Decimal) and isinstance(argument.value, str) and is_typed:
        return _exact_text(argument.value, to)
    return None


def _exact_text(text: str, to: Decimal) -> Literal | None:
    """``5BD`` reaches us as a text cast to decimal."""
    bare = text.removeprefix("-")
    if not bare.replace(".", "", 1).isdigit() or not bare.isascii():
        return None
    return fold_number(Literal(Number(text), to), to)


def _target(node: exp.Expr) -> DataType:
    to = node.args["to"]
    known = _known_type(to) if isinstance(to, exp.DataType) else None
    if known is not None:
        return known
    names = ", ".join(type_text(known) for known in _TYPES.values())
    raise ExpressionError(
        "CAST_UNSUPPORTED",
        "Values can't be cast to this type.",
        f"Supported types: {names}, decimal(p,s).",
        span_of(node),
    )


def _known_type(to: exp.DataType) -> DataType | None:
    kind = to.this
    if not isinstance(kind, exp.DType) or set(to.args) - {"this", "nested", "expressions"}:
        return None
    numbers = [str(part.this.this) for part in to.expressions if isinstance(part, exp.DataTypeParam)]
    if kind == exp.DType.DECIMAL and (decimal := _decimal(numbers)) is not None:
        return decimal
    return _TYPES.get(kind) if not to.expressions else None


def _decimal(numbers: list[str]) -> Decimal | None:
    if not 1 <= len(numbers) <= 2 or not all(DIGITS.fullmatch(number) for number in numbers):
        return None
    precision, scale = int(numbers[0]), int(numbers[1]) if len(numbers) == 2 else 0
    return Decimal(precision, scale) if 1 <= precision <= 38 and scale <= precision else None
