"""Expressions computed in plain Python, row by row: what filters records that a person browses.

It knows what Python computes as Spark does: comparisons, logic, arithmetic, most casts, and the functions of
`python_functions`. What it does not know it refuses by name, so that no answer differs from a job's
(`tests/unit/jobs/expressions/test_interpreter.py` holds it against the values that Spark gives). As
everywhere, an error inside an expression is null.
"""

import operator
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, Context
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.budget import Budget, OverBudget, bounded, is_bounded, spend
from jobs.base.durations import Duration
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Schema
from jobs.base.types import (
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    INT_RANGE,
    LONG_RANGE,
    STRING,
    Array,
    Atomic,
    DataType,
    Decimal,
    is_numeric,
    type_text,
)
from jobs.expressions.bind import bind
from jobs.expressions.check import check_condition
from jobs.expressions.decimals import DECIMAL_RESULT
from jobs.expressions.errors import ExpressionError
from jobs.expressions.nodes import Call, Case, Cast, Column, Lambda, Literal, MemberOf, Tree, Variable
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.python_functions import CALLS, PythonFunction, ordered
from jobs.expressions.python_functions.casts import cast_of, held
from jobs.expressions.python_functions.lambdas import LAMBDAS
from jobs.expressions.python_functions.numbers import quantized, remainder
from jobs.expressions.python_functions.python_function import PART
from jobs.expressions.python_functions.regex import like, same_answers

MAX_WORK: Final = 1_000_000
"""Units of work to check one condition that stands alone: a third of what a whole document has."""
MAX_CPU_S: Final = 1.0  # processor time for the same

Values = Mapping[str, Any]
Evaluate = Callable[[Values], Any]

_ORDER: Final[dict[str, Callable[[int], bool]]] = {
    "=": lambda sign: sign == 0,
    "<>": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}
_SHIFTS: Final = {"time +": 1, "time -": -1}
_INTEGER: Final[dict[str, Callable[[int, int], int | None]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": lambda left, right: _toward_zero(left, right),
    "%": lambda left, right: None if right == 0 else left - right * (_toward_zero(left, right) or 0),
}
_REAL: Final[dict[str, Callable[[float, float], float | None]]] = {
    "double +": operator.add,
    "double -": operator.sub,
    "double *": operator.mul,
    "/": lambda left, right: None if right == 0 else left / right,
    "%": remainder,
}
_EXACT: Final = Context(prec=200)
_DIGITS_OF_QUOTIENT: Final = 39  # that Spark keeps, cutting off the others, before it rounds to the type
_DECIMAL: Final[dict[str, Callable[[Number, Number], Number | None]]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "/": lambda left, right: (
        None if right == 0 else quantized(_EXACT.divide(left, right), _DIGITS_OF_QUOTIENT, ROUND_DOWN)
    ),
    "%": remainder,
}
COMPUTED: Final = frozenset((*CALLS, *LAMBDAS))
"""Names of functions and operators of which at least one form is computed here."""
_ONLY_JOBS: Final = "Use a simpler filter."


def condition(
    text: str, schema: Schema, path: DocumentPath
) -> tuple[Callable[[Values], bool] | None, list[Problem]]:
    """A condition as a function of a row's values, which are those of `jobs.formats.records.Row`.

    Args:
        text: the expression as written (`docs/semantics/expressions.md`).
        schema: fields it may read.
        path: where the text stands, for problems.

    Returns:
        The function, true where the condition is true (null is not), or None with the problems that stop it;
        FUNCTION_UNKNOWN or CAST_UNSUPPORTED also for what only jobs can compute; EXPRESSION_INVALID also for
        what takes more than the budget around, or without one its own, to check.
    """
    if is_bounded():
        return _condition(text, schema, path)
    try:
        with bounded(Budget(MAX_WORK, MAX_CPU_S)):
            return _condition(text, schema, path)
    except OverBudget as over:
        hint = "Use fewer patterns, or a shorter condition."
        message = f"The condition is too large to check: {over}."
        return None, [problem("EXPRESSION_INVALID", path, message, hint, span=(0, len(text)))]


def _condition(
    text: str, schema: Schema, path: DocumentPath
) -> tuple[Callable[[Values], bool] | None, list[Problem]]:
    checked, problems = check_condition(text, schema, path)
    if checked is None or problems:
        return None, problems
    evaluate, problems = expression(text, schema, path)
    return None if evaluate is None else lambda values: evaluate(values) is True, problems


def expression(text: str, schema: Schema, path: DocumentPath) -> tuple[Evaluate | None, list[Problem]]:
    """An expression as a function of a row's values; an error inside it is None, as null.

    Args:
        text: the expression, which has been checked against `schema`.
        schema: fields it may read.
        path: where the text stands, for problems.

    Returns:
        The function, or None with the problems that stop it, as for `condition`.
    """
    tokens, problems = tokens_of(text, path)
    parsed = parse_tokens(tokens, text, path)[0] if tokens and not problems else None
    if parsed is None:
        return None, problems
    try:
        return compile_tree(bind(parsed.tree, schema)), []
    except ExpressionError as refused:
        return None, [problem(refused.code, path, refused.message, refused.hint, span=(0, len(text)))]


def compile_tree(tree: Tree) -> Evaluate:
    """A checked tree as a function of a row's values; durations are whole microseconds.

    Raises:
        ExpressionError: a part of it is computed in jobs only.
    """
    match tree:
        case Literal(value):
            return _constant(value)
        case Column(name):
            return operator.itemgetter(name)
        case MemberOf(argument, name):
            return _member(compile_tree(argument), name, of_each=isinstance(argument.type, Array))
        case Variable(number):
            return operator.itemgetter(variable_name(number))
        case Cast(argument, to):
            return _cast(compile_tree(argument), argument.type, to)
        case Case():
            return _case(tree)
        case Call():
            return _call(tree)
        case Lambda():
            raise TypeError("a lambda is compiled with the call that applies it")


def _constant(value: object) -> Evaluate:
    constant = value.us if isinstance(value, Duration) else value
    return lambda _: constant


def _member(holder: Evaluate, name: str, *, of_each: bool) -> Evaluate:
    """A member of a struct, or of each struct of an array."""
    if of_each:
        return _strict(lambda found: [None if one is None else one.get(name) for one in found], holder)
    return lambda values: None if (found := holder(values)) is None else found.get(name)


def _case(tree: Case) -> Evaluate:
    branches = [(compile_tree(when), compile_tree(then)) for when, then in tree.branches]
    otherwise = compile_tree(tree.otherwise) if tree.otherwise is not None else None

    def evaluate(values: Values) -> Any:
        for when, then in branches:
            if when(values) is True:
                return then(values)
        return None if otherwise is None else otherwise(values)

    return evaluate


def _cast(argument: Evaluate, source: DataType, to: DataType) -> Evaluate:
    known = cast_of(source, to)
    if known is None:
        what = f"The cast from {type_text(source)} to {type_text(to)}"
        raise ExpressionError(
            "CAST_UNSUPPORTED",
            f"{what} isn't supported in record filters, only in jobs.",
            "Compare without the cast.",
        )
    cast = _timed(known) if _is_sized(source) else known
    return _strict(lambda value: held(cast(value), to), argument)


def _call(tree: Call) -> Evaluate:
    if tree.arguments and isinstance(tree.arguments[-1], Lambda):
        return _applied(tree, tree.arguments[-1])
    name, arguments = tree.name.removeprefix("try "), [compile_tree(argument) for argument in tree.arguments]
    types = [argument.type for argument in tree.arguments]
    if name in ("and", "or"):
        return _both(*arguments, stop=name == "or")
    if name in _ORDER:
        test = _ORDER[name]
        return _strict(lambda left, right: test(ordered(left, right)), *arguments)
    if name in ("like", "ilike"):
        return _like(arguments[0], tree.arguments[1], fold=name == "ilike")
    if (sign := _arithmetic(name, types, tree.type)) is not None:
        return _strict(sign, *arguments)
    return _known(_function(tree, name, types), arguments, types, tree.type)


def _function(tree: Call, name: str, types: list[DataType]) -> PythonFunction:
    """The implementation of a call."""
    known = next((form for form in CALLS.get(name, ()) if form.fits(types)), None)
    if known is None or not _same_pattern(tree):
        raise ExpressionError(
            "FUNCTION_UNKNOWN",
            f"{name} of {', '.join(map(type_text, types))} isn't supported in record filters, only in jobs.",
            _ONLY_JOBS,
        )
    return known


def _known(known: PythonFunction, arguments: list[Evaluate], types: list[DataType], to: DataType) -> Evaluate:
    evaluate = _timed(known.evaluate) if any(map(_is_sized, types)) else known.evaluate
    if is_numeric(to):
        made = evaluate
        evaluate = lambda *values: held(made(*values), to)  # noqa: E731
    elif _is_sized(to):
        made = evaluate
        evaluate = lambda *values: _paid(made(*values))  # noqa: E731
    return (
        _strict(evaluate, *arguments)
        if known.strict
        else lambda values: evaluate(*(argument(values) for argument in arguments))
    )


def _is_sized(data_type: DataType) -> bool:
    """True for what may be as long as a record."""
    return not isinstance(data_type, Atomic | Decimal) or data_type in (STRING, BYTES)


def _timed(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Looks at the clock before each call: what reads a megabyte takes milliseconds, whatever it gives."""

    def found(*values: Any) -> Any:
        spend(0)
        return evaluate(*values)

    return found


def _paid(value: Any) -> Any:
    """What is long costs as much."""
    if value is not None:
        spend(len(value) * (1 if isinstance(value, str | bytes) else PART))
    return value


def _same_pattern(tree: Call) -> bool:
    """False for a regular expression that may mean something else in jobs."""
    pattern = tree.arguments[1] if tree.name.startswith("regexp_") else None
    return pattern is None or (isinstance(pattern, Literal) and same_answers(str(pattern.value)))


def _arithmetic(name: str, types: list[DataType], to: DataType) -> Callable[..., Any] | None:
    """Of two operands; None for other calls."""
    if name in _SHIFTS:
        return _shifted(_SHIFTS[name])
    if isinstance(to, Decimal) and (name in _DECIMAL or name == "pmod"):
        return _held(_from_zero(*types) if name == "pmod" else _DECIMAL[name], to)
    if name in _REAL and types == [DOUBLE, DOUBLE]:
        return _floated(_REAL[name])
    if name == "/" and types == [DURATION, DURATION]:
        return _ratio
    if name in _INTEGER:
        return _ranged(_INTEGER[name], INT_RANGE if to == INT else LONG_RANGE)
    return None


def _held(sign: Callable[[Number, Number], Number | None], to: Decimal) -> Callable[..., Any]:
    return lambda left, right: held(sign(left, right), to)


def _from_zero(left: DataType, right: DataType) -> Callable[[Number, Number], Number | None]:
    """pmod of decimals: the remainder and its sum with the divisor are rounded each to its own type."""
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        raise TypeError("operands were checked to be decimal")
    of_rest = DECIMAL_RESULT["%"](left, right)
    of_sum = DECIMAL_RESULT["+"](of_rest, right)

    def found(dividend: Number, divisor: Number) -> Any:
        rest = held(remainder(dividend, divisor), of_rest)
        return held(_EXACT.add(rest, divisor), of_sum) if rest is not None and rest < 0 < divisor else rest

    return found


def _ratio(left: int, right: int) -> float | None:
    return None if right == 0 else float(left) / float(right)  # as Spark, which rounds twice


def _applied(tree: Call, applied: Lambda) -> Evaluate:
    """A call with a lambda as its last argument."""
    arguments, body = [compile_tree(argument) for argument in tree.arguments[:-1]], compile_tree(applied.body)
    names = [variable_name(variable.number) for variable in applied.variables]
    reduces = tree.name == "reduce"
    evaluate = LAMBDAS.get(tree.name)
    if evaluate is None:
        raise ExpressionError(
            "FUNCTION_UNKNOWN", f"{tree.name} isn't supported in record filters, only in jobs.", _ONLY_JOBS
        )

    def found(values: Values) -> Any:
        given = [argument(values) for argument in arguments]
        if given[0] is None or (None in given and not reduces):
            return None
        inner = dict(values)

        def value_of(*variables: Any) -> Any:
            spend(1)
            inner.update(zip(names, variables, strict=False))
            return body(inner)

        return evaluate(*given, value_of)

    return found


def variable_name(number: int) -> str:
    """No field can have this name."""
    return f"_v{number}"


def _strict(evaluate: Callable[..., Any], *arguments: Evaluate) -> Evaluate:
    """Null where any argument is null."""

    def found(values: Values) -> Any:
        given = [argument(values) for argument in arguments]
        return None if None in given else evaluate(*given)

    return found


def _both(left: Evaluate, right: Evaluate, *, stop: bool) -> Evaluate:
    """And (stop False) and or (stop True) of three-valued logic."""

    def evaluate(values: Values) -> Any:
        first = left(values)
        if first is stop:
            return stop
        second = right(values)
        if second is stop:
            return stop
        return None if first is None or second is None else not stop

    return evaluate


def _like(argument: Evaluate, pattern: Tree, *, fold: bool) -> Evaluate:
    text = str(pattern.value) if isinstance(pattern, Literal) else ""
    matches = like(text.lower() if fold else text)
    return _strict(_timed(lambda value: matches(value.lower()) if fold else matches(value)), argument)


def _ranged(evaluate: Callable[[int, int], int | None], allowed: range) -> Callable[[int, int], int | None]:
    def found(left: int, right: int) -> int | None:
        value = evaluate(left, right)
        return value if value is not None and value in allowed else None

    return found


def _floated(evaluate: Callable[[float, float], float | None]) -> Callable[[float, float], float | None]:
    def found(left: float, right: float) -> float | None:
        try:
            return evaluate(left, right)
        except OverflowError:
            return None

    return found


def _toward_zero(left: int, right: int) -> int | None:
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _shifted(sign: int) -> Callable[[datetime, int], datetime | None]:
    def found(moment: datetime, micros: int) -> datetime | None:
        try:
            return moment + timedelta(microseconds=sign * micros)
        except OverflowError:
            return None

    return found
