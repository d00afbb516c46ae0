"""Spark SQL from a checked tree. This is the only text of an expression that Spark sees.

Along with the value come the failures: conditions, never null, each true when one part turned an error into null. Parts that
SQL would not evaluate (later branches of CASE, the right side of AND and OR, later values of coalesce) are guarded, so that
``case when b <> 0 then a / b end`` and ``b <> 0 and a / b > 2`` count no error for b = 0.
"""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Final

from jobs.base.durations import Duration
from jobs.base.instants import instant_of, instant_text
from jobs.base.types import NULL, Decimal
from jobs.expressions.casts import CastRule, cast_rule
from jobs.expressions.coercion import natural_decimal
from jobs.expressions.functions import FUNCTIONS
from jobs.expressions.nodes import Call, Case, Cast, Column, Literal, MemberOf, Tree
from jobs.expressions.operators import FAILURE_SQL, OPERATOR_SQL
from jobs.expressions.refusals import Refused
from jobs.expressions.spark_types import quoted, schema_sql

MAX_SQL: Final = 200_000  # characters of the value and all its failures; templates that mention an argument twice add up
_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


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
        Refused: the text would grow beyond reason.
    """
    written = _write(tree)
    if len(written.sql) + sum(map(len, written.failures)) > MAX_SQL:
        raise Refused("EXPRESSION_INVALID", "The expression is too complicated.", "Split it over derive steps.")
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
        case Cast():
            return _cast(tree)
        case Case():
            return _case(tree)


def _call(call: Call) -> Written:
    parts = [write_spark(argument) for argument in call.arguments]
    texts = [part.sql for part in parts]
    sql = _template(call).format(*texts, all=", ".join(texts), rest=", ".join(texts[1:]))
    failures = _lazy(call.name, parts) if call.name in ("and", "or", "coalesce") else [f for part in parts for f in part.failures]
    if call.fails:
        known = FAILURE_SQL.get(call.name)
        failures.append(known.format(*texts) if known else _failure(call.arguments, texts, sql))
    return Written(sql, tuple(failures))


def _template(call: Call) -> str:
    if call.name in OPERATOR_SQL:
        return OPERATOR_SQL[call.name]
    function = FUNCTIONS[call.name]
    types = tuple(argument.type for argument in call.arguments)
    for signature in function.signatures:
        if (
            signature.sql is not None
            and len(signature.parameters) == len(types)
            and all(
                p == t or (getattr(p, "value", None) == "decimal" and isinstance(t, Decimal))
                for p, t in zip(signature.parameters, types, strict=True)
            )
        ):
            return signature.sql
    return function.sql


def _lazy(name: str, parts: list[Written]) -> list[str]:
    """Failures of parts that are looked at only when those before have not decided the result."""
    failures: list[str] = []
    undecided: list[str] = []
    for part in parts:
        failures += part.guarded(" AND ".join(undecided)) if undecided else part.failures
        undecided.append({"and": f"NOT ({part.sql} <=> FALSE)", "or": f"NOT ({part.sql} <=> TRUE)"}.get(name, f"{part.sql} IS NULL"))
    return failures


def _failure(arguments: tuple[Tree, ...], texts: list[str], sql: str) -> str:
    given = [f"{text} IS NOT NULL" for argument, text in zip(arguments, texts, strict=True) if argument.nullable]
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


def string_sql(text: str) -> str:
    """A Spark string literal; every sign that could end or change it is escaped."""
    return "'" + "".join(_ESCAPES.get(sign) or (f"\\u{ord(sign):04x}" if sign < " " or sign == "\x7f" else sign) for sign in text) + "'"


def literal_sql(literal: Literal) -> str:
    """A literal as Spark SQL of exactly its type."""
    value = literal.value
    if value is None:
        return "NULL" if literal.type == NULL else f"CAST(NULL AS {schema_sql(literal.type)})"
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _signed(str(value) + ("L" if literal.type.name == "long" else ""))  # type: ignore[union-attr]
        case float():
            return _signed(f"{value!r}D")
        case Number():
            text = _signed(format(value, "f") + "BD")
            return text if natural_decimal(value) == literal.type else f"CAST({text} AS {schema_sql(literal.type)})"
        case str():
            return string_sql(value)
        case datetime():
            return f"TIMESTAMP '{instant_text(instant_of(value))}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case Duration():
            return _signed(f"{value.us}L")
    raise TypeError(f"{type(value).__name__} is not a literal's value")


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
