"""Spark SQL from a checked tree. This is the only text of an expression that Spark sees.

Along with the value come the failures: conditions, never null, each true when one part turned an error into
null. Parts that SQL would not evaluate (later branches of CASE, the right side of AND and OR, later values of
coalesce) are guarded, so that ``case when b <> 0 then a / b end`` and ``b <> 0 and a / b > 2`` count no error
for b = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Final

from jobs.base.durations import Duration
from jobs.base.instants import instant_of, instant_text
from jobs.base.types import BOOLEAN, LONG, NULL, Array, DataType, Decimal, Map, Member, Struct
from jobs.expressions.casts import CastRule, cast_rule
from jobs.expressions.coercion import natural_decimal
from jobs.expressions.decimals import has_long_quotient, is_wide
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions import FUNCTIONS
from jobs.expressions.functions.function import LambdaParam, LiteralParam, Parameter, TypeVariable
from jobs.expressions.nodes import (
    Call,
    Case,
    Cast,
    Column,
    Lambda,
    Literal,
    MemberOf,
    Tree,
    Variable,
    substituted,
)
from jobs.expressions.operators import FAILURE_SQL, OPERATOR_SQL, REMAINDER_SQL, WIDE_NEGATIVE_SQL
from jobs.expressions.spark_types import quoted, schema_sql
from jobs.expressions.texts_sql import string_sql

MAX_SQL: Final = (
    200_000  # characters of the value and all its failures; templates that mention an argument twice add up
)


@dataclass(frozen=True, slots=True)
class Written:
    """Spark SQL of a value, and of the conditions under which an error made it, or a part of it, null."""

    sql: str
    failures: tuple[str, ...] = ()

    def guarded(self, condition: str) -> tuple[str, ...]:
        """The failures, counted only when `condition` (never null) holds."""
        return tuple(f"({condition} AND {failure})" for failure in self.failures)


def write_spark(tree: Tree) -> Written:
    """Spark SQL of a tree.

    Raises:
        ExpressionError: the text would grow beyond reason.
    """
    written = _write(tree)
    if len(written.sql) + sum(map(len, written.failures)) > MAX_SQL:
        raise ExpressionError(
            "EXPRESSION_INVALID", "The expression is too complex.", "Split it into several derive steps."
        )
    return written


def _write(tree: Tree) -> Written:
    match tree:
        case Literal():
            return Written(literal_sql(tree))
        case Column(name):
            return Written(quoted(name))
        case MemberOf(argument, name):
            inner = write_spark(argument)
            return Written(f"{inner.sql}.{quoted(name)}", inner.failures)
        case Call():
            return _call(tree)
        case Variable():
            return Written(quoted(variable_name(tree)))
        case Lambda():
            raise TypeError("a lambda is written with the call that applies it")
        case Cast():
            return _cast(tree)
        case Case():
            return _case(tree)


def _call(call: Call) -> Written:
    last = call.arguments[-1] if call.arguments else None
    if isinstance(last, Lambda):
        return _applied(call, last)
    parts = [write_spark(argument) for argument in call.arguments]
    texts = [part.sql for part in parts]
    template, known = _templates(call)
    sql = template.format(*texts, all=", ".join(texts), rest=", ".join(texts[1:]), type=_Type(call.type))
    failures = (
        _lazy(call.name, parts)
        if call.name in ("and", "or", "coalesce")
        else [f for part in parts for f in part.failures]
    )
    if call.fails:
        failures.append(known.format(*texts) if known else _failure(call.arguments, texts, sql))
    return Written(sql, tuple(failures))


class _Type:
    """A type that is written only where a template asks for it."""

    def __init__(self, data_type: DataType) -> None:
        self._data_type = data_type

    def __format__(self, _: str) -> str:
        return schema_sql(self._data_type)


def _templates(call: Call) -> tuple[str, str]:
    """Of the value and, where a null value alone does not tell one, of a failure."""
    if call.name == "negative" and is_wide(call.type):
        return WIDE_NEGATIVE_SQL, ""
    if call.name in ("%", "try %") and has_long_quotient(*(argument.type for argument in call.arguments)):
        return REMAINDER_SQL, ""
    if call.name in OPERATOR_SQL:
        return OPERATOR_SQL[call.name], FAILURE_SQL.get(call.name, "")
    function = FUNCTIONS[call.name]
    for signature in function.signatures:
        parameters = signature.spread(len(call.arguments))
        if parameters and all(
            _fits(parameter, argument) for parameter, argument in zip(parameters, call.arguments, strict=True)
        ):
            return signature.template(call.arguments) or function.sql, signature.failing(call.arguments)
    return function.sql, ""


def _fits(parameter: Parameter, argument: Tree) -> bool:
    match parameter:
        case LiteralParam():
            return isinstance(argument, Literal) and parameter.check(argument.value) is None
        case LambdaParam():
            return isinstance(argument, Lambda)
        case TypeVariable.DECIMAL | TypeVariable.EXACT:
            return isinstance(argument.type, Decimal)
        case TypeVariable.ARRAY | TypeVariable.SAME_ARRAY:
            return isinstance(argument.type, Array)
        case TypeVariable.MAP | TypeVariable.SAME_MAP:
            return isinstance(argument.type, Map)
        case TypeVariable():
            return True
        case _:
            return parameter == argument.type


def _applied(call: Call, applied: Lambda) -> Written:
    """A call with a lambda as its last argument."""
    parts = [write_spark(argument) for argument in call.arguments[:-1]]
    texts = [part.sql for part in parts]
    body = write_spark(applied.body)
    template, failing = _templates(call)
    sql = template.format(*texts, f"{_variables(applied)} -> {body.sql}")
    failures = [failure for part in parts for failure in part.failures]
    if body.failures and call.name == "reduce":
        failures.append(_reduce_failure(call, applied, texts))
    elif call.fails:
        failures.append(_failure(call.arguments[:-1], texts, sql))
    if body.failures and failing:
        failures.append(failing.format(*texts, vars=_variables(applied), body=" OR ".join(body.failures)))
    return Written(sql, tuple(failures))


def _variables(applied: Lambda) -> str:
    names = [quoted(variable_name(variable)) for variable in applied.variables]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def variable_name(variable: Variable) -> str:
    """No field can have this name."""
    return f"_v{variable.number}"


def _reduce_failure(call: Call, applied: Lambda, texts: list[str]) -> str:
    """The same reduction over a pair: what was gathered, and whether a part of it failed."""
    gathered = replace(
        applied.variables[0], type=Struct((Member("v", call.type), Member("f", BOOLEAN, nullable=False)))
    )
    body = write_spark(substituted(applied.body, gathered.number, MemberOf(gathered, "v", call.type, True)))
    pair, failed = quoted(variable_name(gathered)), " OR ".join(body.failures)
    # the array makes the start nullable: Spark takes the pair's type from it
    start = (
        f"named_struct('v', element_at(array({texts[1]}, CAST(NULL AS {schema_sql(call.type)})), 1), 'f', "
        "FALSE)"
    )
    merged = f"{_variables(applied)} -> named_struct('v', {body.sql}, 'f', ({pair}.`f` OR {failed}))"
    return f"(aggregate({texts[0]}, {start}, {merged}, {pair} -> {pair}.`f`) <=> TRUE)"


def _lazy(name: str, parts: list[Written]) -> list[str]:
    """Failures of parts that are looked at only when those before have not decided the result."""
    failures: list[str] = []
    undecided: list[str] = []
    for part in parts:
        failures += part.guarded(" AND ".join(undecided)) if undecided else part.failures
        undecided.append(
            {"and": f"NOT ({part.sql} <=> FALSE)", "or": f"NOT ({part.sql} <=> TRUE)"}.get(
                name, f"{part.sql} IS NULL"
            )
        )
    return failures


def _failure(arguments: tuple[Tree, ...], texts: list[str], sql: str) -> str:
    # Also where the type says that none is null: state may hold nulls from before its contract said so, and
    # results of measures that began empty.
    given = [
        f"{text} IS NOT NULL"
        for argument, text in zip(arguments, texts, strict=True)
        if not isinstance(argument, Literal) or argument.value is None
    ]
    return "(" + " AND ".join([*given, f"{sql} IS NULL"]) + ")"


def _cast(cast: Cast) -> Written:
    inner = write_spark(cast.argument)
    rule = cast_rule(cast.argument.type, cast.type) or CastRule("CAST({0} AS {type})", False)
    sql = rule.sql.format(inner.sql, type=schema_sql(cast.type))
    failures = list(inner.failures)
    if rule.fails and not cast.quiet:
        failures.append(_failure((cast.argument,), [inner.sql], sql))
    return Written(sql, tuple(failures))


def _case(case: Case) -> Written:
    sql = "CASE"
    failures: list[str] = []
    before: list[str] = []
    for condition_tree, value_tree in case.branches:
        condition, value = write_spark(condition_tree), write_spark(value_tree)
        sql += f" WHEN {condition.sql} THEN {value.sql}"
        failures += condition.guarded(" AND ".join(before)) if before else condition.failures
        failures += value.guarded(" AND ".join([*before, f"({condition.sql} <=> TRUE)"]))
        before.append(f"NOT ({condition.sql} <=> TRUE)")
    if case.otherwise is not None:
        otherwise = write_spark(case.otherwise)
        sql += f" ELSE {otherwise.sql}"
        failures += otherwise.guarded(" AND ".join(before))
    return Written(f"({sql} END)", tuple(failures))


def any_of(conditions: Sequence[str]) -> str:
    """True when one of these never-null booleans is; ``false`` for none."""
    return " OR ".join(f"({condition})" for condition in conditions) or "false"


def literal_sql(literal: Literal) -> str:
    """A literal as Spark SQL of exactly its type."""
    value = literal.value
    if value is None:
        return "NULL" if literal.type == NULL else f"CAST(NULL AS {schema_sql(literal.type)})"
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float() | Number():
            return _number_sql(value, literal.type)
        case str():
            return string_sql(value)
        case datetime():
            return f"TIMESTAMP '{instant_text(instant_of(value))}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case Duration():
            return _signed(f"{value.us}L")
    raise TypeError(f"{type(value).__name__} is not a literal's value")


def _number_sql(value: int | float | Number, data_type: DataType) -> str:
    if isinstance(value, int):
        return _signed(str(value) + ("L" if data_type == LONG else ""))
    if isinstance(value, float):
        return _signed(f"{value!r}D")
    text = _signed(format(value, "f") + "BD")
    return text if natural_decimal(value) == data_type else f"CAST({text} AS {schema_sql(data_type)})"


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
