"""Expressions computed in plain Python, row by row: what filters records that a person browses.

It knows the part of the language that looks at values: comparisons, logic, texts, whole and double arithmetic, times. What it
does not know it refuses by name, so that no answer differs from a job's (`tests/unit/jobs/expressions/test_evaluation.py` holds
it against the values that Spark gives). As everywhere, an error inside an expression is null.
"""

import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal as Number
from typing import Any, Final

from jobs.base.durations import Duration
from jobs.base.problems import Problem, problem
from jobs.base.schemas import Schema
from jobs.base.types import DATE, DOUBLE, INT, LONG, TIMESTAMP, DataType, Decimal, is_numeric, type_text
from jobs.expressions.bind import bind
from jobs.expressions.check import check_condition
from jobs.expressions.coercion import INT_RANGE, LONG_RANGE
from jobs.expressions.evaluated_calls import CALLS, ordered
from jobs.expressions.nodes import Call, Case, Cast, Column, Literal, MemberOf, Tree
from jobs.expressions.parse import parse_tokens, tokens_of
from jobs.expressions.refusals import Refused

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
_WHOLE: Final[dict[str, Callable[[int, int], int | None]]] = {
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
}


def condition(text: str, schema: Schema, path: tuple[str, ...]) -> tuple[Callable[[Values], bool] | None, list[Problem]]:
    """A condition as a function of a row's values, which are those of `jobs.formats.records.Row`.

    Args:
        text: the expression as written (`semantics.md` 1.6).
        schema: fields it may read.
        path: where the text stands, for problems.

    Returns:
        The function, true where the condition is true (null is not), or None with the problems that stop it; FUNCTION_UNKNOWN
        or CAST_UNSUPPORTED also for what only jobs can compute.
    """
    checked, problems = check_condition(text, schema, path)
    tokens = [] if checked is None or problems else tokens_of(text, path)[0]
    parsed = parse_tokens(tokens, text, path)[0] if tokens else None
    if parsed is None:
        return None, problems
    try:
        evaluate = compile_tree(bind(parsed.tree, schema))
    except Refused as refused:
        return None, [problem(refused.code, path, refused.message, refused.hint, span=(0, len(text)))]
    return lambda values: evaluate(values) is True, []


def compile_tree(tree: Tree) -> Evaluate:
    """A checked tree as a function of a row's values; durations are whole microseconds.

    Raises:
        Refused: a part of it is computed in jobs only.
    """
    match tree:
        case Literal(value):
            constant = value.us if isinstance(value, Duration) else value
            return lambda _: constant
        case Column(name):
            return operator.itemgetter(name)
        case MemberOf(argument, name):
            holder = compile_tree(argument)
            return lambda values: None if (found := holder(values)) is None else found.get(name)
        case Cast(argument, to):
            return _cast(compile_tree(argument), argument.type, to)
        case Case():
            return _case(tree)
        case Call():
            return _call(tree)
        case _:
            raise Refused(
                "EXPRESSION_INVALID", f"{type(tree).__name__} is not computed here, only in jobs.", "Filter by something simpler."
            )


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
    """Widening only: other casts have rules of Spark's own."""
    if to == DOUBLE and is_numeric(source):
        return _strict(float, argument)
    if to == LONG and source == INT:
        return argument
    if isinstance(to, Decimal) and (isinstance(source, Decimal) or source in (INT, LONG)) and _holds(to, source):
        return _strict(Number, argument)
    if to == TIMESTAMP and source == DATE:
        return _strict(lambda day: datetime.combine(day, time(), UTC), argument)
    what = f"Casting {type_text(source)} to {type_text(to)}"
    raise Refused("CAST_UNSUPPORTED", f"{what} is not computed here, only in jobs.", "Compare without the cast.")


def _holds(to: Decimal, source: DataType) -> bool:
    if isinstance(source, Decimal):
        return to.scale >= source.scale and to.precision - to.scale >= source.precision - source.scale
    return to.precision - to.scale >= (10 if source == INT else 19)


def _call(tree: Call) -> Evaluate:
    name, arguments = tree.name, [compile_tree(argument) for argument in tree.arguments]
    types = [argument.type for argument in tree.arguments]
    if name in ("and", "or"):
        return _both(*arguments, stop=name == "or")
    if name in _ORDER:
        test = _ORDER[name]
        return _strict(lambda left, right: test(ordered(left, right)), *arguments)
    if name in ("like", "ilike"):
        return _like(arguments[0], tree.arguments[1], fold=name == "ilike")
    if name in _REAL and types == [DOUBLE, DOUBLE]:
        return _strict(_floated(_REAL[name]), *arguments)
    if name in _WHOLE and not any(isinstance(one, Decimal) or one == DOUBLE for one in types):
        return _strict(_ranged(_WHOLE[name], INT_RANGE if tree.type == INT else LONG_RANGE), *arguments)
    if name in ("time +", "time -"):
        return _strict(_shifted(-1 if name == "time -" else 1), *arguments)
    known = CALLS.get(name)
    if known is None or not known.fits(types):
        what = f"{name} of {', '.join(map(type_text, types))}"
        raise Refused("FUNCTION_UNKNOWN", f"{what} is not computed here, only in jobs.", "Filter by something simpler.")
    evaluate = known.evaluate
    return _strict(evaluate, *arguments) if known.strict else lambda values: evaluate(*(argument(values) for argument in arguments))


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
    parts = re.findall(r"\\.|[^\\]", text, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    matcher = re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL | (re.IGNORECASE if fold else 0))
    return _strict(lambda value: matcher.fullmatch(value) is not None, argument)


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
