"""Operators: how their operands are typed and what Spark is told.

Signs are the names under which trees hold them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal as Number
from typing import Final

from jobs.base.durations import Duration
from jobs.base.time_units import DAY_US
from jobs.base.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    INT,
    LONG,
    LONG_RANGE,
    NULL,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
    is_numeric,
    is_ordered,
    type_text,
)
from jobs.expressions.coercion import common_type, decimal_form, fold_number, widen
from jobs.expressions.decimals import DECIMAL_RESULT, QUOTIENT_LIMIT
from jobs.expressions.nodes import Call, Cast, Literal, Tree
from jobs.expressions.ranges import day_in_range, micros_in_range


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Operands that an operator does not take."""

    message: str
    hint: str = ""


COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")
ARITHMETIC: Final = ("+", "-", "*", "/", "%", "div")

_TRY: Final = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}

TRIED: Final = {name: sign for sign, name in _TRY.items()}
"""Calls that do what an operator does, without counting a failure."""

_CAN_FAIL: Final[dict[str, str]] = {
    **{sign: f"{name}({{0}}, {{1}})" for sign, name in _TRY.items()},
    "time +": micros_in_range("try_add(unix_micros({0}), {1})"),
    "time -": micros_in_range("try_subtract(unix_micros({0}), {1})"),
    "date +": day_in_range("try_add(unix_date({0}), {1})"),
    "date -": day_in_range("try_subtract(unix_date({0}), {1})"),
}
OPERATOR_SQL: Final[dict[str, str]] = {
    **_CAN_FAIL,
    **{f"try {sign}": sql for sign, sql in _CAN_FAIL.items()},
    **{sign: f"({{0}} {sign} {{1}})" for sign in COMPARISONS},
    "double +": "({0} + {1})",
    "double -": "({0} - {1})",
    "double *": "({0} * {1})",
    "div": "CASE WHEN {1} = -1 THEN try_subtract(0L, {0}) ELSE ({0} div nullif({1}, 0L)) END",
    "date span": f"(CAST(datediff({{0}}, {{1}}) AS BIGINT) * {DAY_US}L)",
    "span": "(unix_micros({0}) - unix_micros({1}))",
    "negative": "(- {0})",
    "<=>": "({0} <=> {1})",
    "and": "({0} AND {1})",
    "or": "({0} OR {1})",
    "not": "(NOT {0})",
    "between": "({0} BETWEEN {1} AND {2})",
    "in": "({0} IN ({rest}))",
    "||": "concat({0}, {1})",
    "like": "weir_like({0}, {1})",
    "ilike": "weir_like(lower({0}), lower({1}))",
    "array": "array({all})",
    "map": "map({all})",
    "named_struct": "named_struct({all})",
    "arrays_zip": "CAST(arrays_zip({all}) AS {type})",
    "item": "get({0}, {1})",
    "entry": "try_element_at({0}, {1})",
}

WIDE_NEGATIVE_SQL: Final = (
    "coalesce(CAST(replace(concat('-', CAST({0} AS STRING)), '--', '') AS {type}), {0})"
)
"""Of a decimal of which `jobs.expressions.decimals.is_wide` is true. The text always reads back; without
coalesce Spark would call it nullable, and a key of a checkpoint might not be.
"""

REMAINDER_SQL: Final = (
    f"CASE WHEN abs(CAST({{0}} AS DOUBLE)) < {QUOTIENT_LIMIT}D * abs(CAST({{1}} AS DOUBLE)) "
    "THEN try_mod({0}, {1}) END"
)
"""Of decimals of which `jobs.expressions.decimals.has_long_quotient` is true."""

FAILURE_SQL: Final = {
    "item": "((NOT ({1} BETWEEN 0 AND size({0}) - 1)) <=> TRUE)",
    "entry": "((NOT map_contains_key({0}, {1})) <=> TRUE)",
}
"""Conditions of failure where a null result alone does not tell one."""


def arithmetic(sign: str, left: Tree, right: Tree) -> Tree | Mismatch:
    """Two operands of + - * / % div, typed by `docs/semantics/expressions.md#arithmetic`."""
    left, right = _null_as(left, right.type), _null_as(right, left.type)
    types = (left.type, right.type)
    if DATE in types:
        return _date_arithmetic(sign, left, right)
    if DURATION in types or TIMESTAMP in types:
        return _time_arithmetic(sign, left, right)
    if not (is_numeric(left.type) and is_numeric(right.type)):
        return _no_arithmetic(sign, *types)
    if sign == "div":
        return _div(left, right)
    return _numbers(sign, left, right)


def _numbers(sign: str, left: Tree, right: Tree) -> Tree:
    if DOUBLE in (left.type, right.type):
        return _doubles(sign, left, right)
    if isinstance(left.type, Decimal) or isinstance(right.type, Decimal):
        return _decimals(sign, left, right)
    if sign == "/":
        return _doubles(sign, left, right)
    result = LONG if LONG in (left.type, right.type) else INT
    return _failing(sign, _must(left, result), _must(right, result), result)


def _doubles(sign: str, left: Tree, right: Tree) -> Tree:
    left, right = _must(left, DOUBLE), _must(right, DOUBLE)
    if sign in ("/", "%"):
        return _failing(sign, left, right, DOUBLE)
    return Call(f"double {sign}", (left, right), DOUBLE, left.nullable or right.nullable)


def _decimals(sign: str, left: Tree, right: Tree) -> Tree:
    forms = decimal_form(left), decimal_form(right)
    if forms[0] is None or forms[1] is None:
        raise TypeError("operands were checked to be whole or decimal")
    return _failing(
        sign, _must(left, forms[0]), _must(right, forms[1]), DECIMAL_RESULT[sign](forms[0], forms[1])
    )


def _div(left: Tree, right: Tree) -> Tree | Mismatch:
    if left.type not in (INT, LONG) or right.type not in (INT, LONG):
        return Mismatch(
            f"div needs integers, not {type_text(left.type)} and {type_text(right.type)}.",
            "Use / or cast to long.",
        )
    result = LONG if LONG in (left.type, right.type) else INT
    quotient = _failing("div", _must(left, LONG), _must(right, LONG), LONG)
    return quotient if result == LONG else Cast(quotient, INT, True)


def _time_arithmetic(sign: str, left: Tree, right: Tree) -> Tree | Mismatch:
    rule = _TIMES.get((sign, left.type, right.type))
    return rule(left, right) if rule is not None else _no_arithmetic(sign, left.type, right.type)


def _times(span: Tree, factor: Tree) -> Tree:
    return _failing("*", span, _must(factor, LONG), DURATION)


_TIMES: Final[dict[tuple[str, DataType, DataType], Callable[[Tree, Tree], Tree]]] = {
    ("+", TIMESTAMP, DURATION): lambda left, right: _failing("time +", left, right, TIMESTAMP),
    ("-", TIMESTAMP, DURATION): lambda left, right: _failing("time -", left, right, TIMESTAMP),
    ("+", DURATION, TIMESTAMP): lambda left, right: _failing("time +", right, left, TIMESTAMP),
    ("-", TIMESTAMP, TIMESTAMP): lambda left, right: _span("span", left, right),
    ("+", DURATION, DURATION): lambda left, right: _failing("+", left, right, DURATION),
    ("-", DURATION, DURATION): lambda left, right: _failing("-", left, right, DURATION),
    ("*", DURATION, INT): _times,
    ("*", DURATION, LONG): _times,
    ("*", INT, DURATION): lambda left, right: _times(right, left),
    ("*", LONG, DURATION): lambda left, right: _times(right, left),
    ("/", DURATION, DURATION): lambda left, right: _failing("/", left, right, DOUBLE),
}


def _span(name: str, left: Tree, right: Tree) -> Tree:
    return Call(name, (left, right), DURATION, left.nullable or right.nullable)


def _date_arithmetic(sign: str, left: Tree, right: Tree) -> Tree | Mismatch:
    if sign == "-" and left.type == right.type == DATE:
        return _span("date span", left, right)
    if sign == "+" and right.type == DATE:
        left, right = right, left
    if sign not in ("+", "-") or left.type != DATE or right.type not in (INT, DURATION):
        return _no_arithmetic(sign, left.type, right.type)
    days = right if right.type == INT else _whole_days(right)
    if days is not None:
        return _failing(f"date {sign}", left, days, DATE)
    return Mismatch(
        f"date {sign} duration needs a literal of whole days.",
        "To add other durations, cast the date to timestamp.",
    )


def _whole_days(span: Tree) -> Literal | None:
    """A literal of whole days as their number; None for other durations."""
    value = span.value if isinstance(span, Literal) else None
    if not isinstance(value, Duration) or value.us % DAY_US:
        return None
    days = whole_literal(value.us // DAY_US)
    return days if isinstance(days, Literal) and days.type == INT else None


def _no_arithmetic(sign: str, left: DataType, right: DataType) -> Mismatch:
    hint = ""
    if STRING in (left, right):
        hint = "Use || to concatenate strings, or cast the string to a number."
    elif TIMESTAMP in (left, right):
        hint = "Add or subtract a duration, e.g. duration('5s')."
    elif {type_text(left), type_text(right)} & {"date"}:
        hint = (
            "Add or subtract whole days, e.g. day + 7. For differences, subtract two dates or use date_diff."
        )
    return Mismatch(f"{type_text(left)} {sign} {type_text(right)} isn't supported.", hint)


def negative(operand: Tree) -> Tree | Mismatch:
    """Minus one operand."""
    if isinstance(operand, Literal) and is_numeric(operand.type) and operand.value is not None:
        return _negative_literal(operand)
    if operand.type in (INT, LONG, DURATION):
        zero = Literal(0, LONG if operand.type == DURATION else operand.type)
        return _failing("-", zero, operand, operand.type)
    if operand.type == DOUBLE or isinstance(operand.type, Decimal):
        return Call("negative", (operand,), operand.type, operand.nullable)
    return Mismatch(f"Minus needs a number or a duration, not {type_text(operand.type)}.")


def _negative_literal(literal: Literal) -> Tree | Mismatch:
    if isinstance(literal.value, int):
        if literal.type == LONG and -literal.value in LONG_RANGE:
            return Literal(-literal.value, LONG)
        return whole_literal(-literal.value)
    if isinstance(literal.value, Number):  # minus would round it to the 28 digits of Python's own context
        return Literal(literal.value.copy_negate() if literal.value else literal.value, literal.type)
    return Literal(-literal.value, literal.type)  # type: ignore[operator]


def whole_literal(value: int) -> Tree | Mismatch:
    """An integer as int, long or decimal, whichever is the first to hold it."""
    for target in (INT, LONG):
        if (literal := fold_number(Literal(value, NULL), target)) is not None:
            return literal
    digits = len(str(abs(value)))
    if digits > 38:
        return Mismatch("The number has more than 38 digits.")
    return fold_number(Literal(value, NULL), Decimal(digits, 0)) or Mismatch("The number is too large.")


def comparison(sign: str, operands: tuple[Tree, ...]) -> Tree | Mismatch:
    """Operands of a comparison, ``between``, ``in`` or ``<=>``, widened to one type."""
    wanted = common_type(operands)
    if wanted is None:
        return _no_comparison(operands)
    if wanted == NULL:
        wanted = BOOLEAN
    if not is_ordered(wanted):
        return Mismatch(f"Values of type {type_text(wanted)} can't be compared.")
    widened = tuple(_must(operand, wanted) for operand in operands)
    nullable = sign != "<=>" and any(operand.nullable for operand in widened)
    return Call(sign, widened, BOOLEAN, nullable)


def _no_comparison(operands: tuple[Tree, ...]) -> Mismatch:
    kinds = list(dict.fromkeys(type_text(operand.type) for operand in operands if operand.type != NULL))
    hint = "Cast one side."
    if "timestamp" in kinds and "string" in kinds:
        hint = "Use timestamp '2026-01-01T00:00:00Z' for a timestamp."
    elif "date" in kinds and "string" in kinds:
        hint = "Use date '2026-01-01' for a date."
    return Mismatch(f"{' and '.join(kinds)} can't be compared.", hint)


def logic(sign: str, operands: tuple[Tree, ...]) -> Tree | Mismatch:
    """and, or, not."""
    typed = tuple(_null_as(operand, BOOLEAN) for operand in operands)
    wrong = next((operand for operand in typed if operand.type != BOOLEAN), None)
    if wrong is not None:
        return Mismatch(f"{sign.upper()} needs conditions, not {type_text(wrong.type)}.", "Add a comparison.")
    return Call(sign, typed, BOOLEAN, any(operand.nullable for operand in typed))


def joined(left: Tree, right: Tree) -> Tree | Mismatch:
    """Two texts, one after the other."""
    left, right = _null_as(left, STRING), _null_as(right, STRING)
    if (left.type, right.type) != (STRING, STRING):
        wrong = left if left.type != STRING else right
        return Mismatch(f"|| needs strings, not {type_text(wrong.type)}.", "Cast it to string.")
    return Call("||", (left, right), STRING, left.nullable or right.nullable)


def _null_as(operand: Tree, other: DataType) -> Tree:
    return Literal(None, other) if operand.type == NULL else operand


def _failing(sign: str, left: Tree, right: Tree, result: DataType) -> Call:
    return Call(sign, (left, right), result, True, fails=True)


def _must(operand: Tree, to: DataType) -> Tree:
    widened = widen(operand, to)
    if widened is None:
        raise TypeError(f"{type_text(operand.type)} does not widen to {type_text(to)}")
    return widened
