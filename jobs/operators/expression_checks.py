"""Expressions of a step, checked against what flows into it, without repeating what was said further up."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from jobs.base.budget import spend
from jobs.base.names import is_name
from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.schemas import Field, Schema
from jobs.expressions import Expression, MeasureCall, check_condition, check_expression, parse_measure
from jobs.expressions.dialect import DIALECT
from jobs.expressions.spark_types import quoted
from jobs.operators.output_fields import nearest
from jobs.operators.relation import Relation

ThingT = TypeVar("ThingT")

REMEMBERED: Final = 2_000
# What is spent for one character of Spark SQL is 1.
_COLUMN: Final = 100  # a column that is passed on
_EXPRESSION: Final = 500
_READ: Final = 20  # a character of an expression as written, which is parsed
_KEYWORDS: Final = frozenset(DIALECT.tokenizer_class.KEYWORDS)


def expression_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """Check an expression over a relation's readable fields. None without problems: it reads a field that
    failed above.
    """
    field = relation.schema.get(text)
    if field is not None and is_name(text) and text.upper() not in _KEYWORDS:
        return _column(field), []  # most of a select is such; parsing it would give the same
    return _without_echo(relation, text, check_expression, path)


def condition_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """The same for a condition, which must be boolean."""
    return _without_echo(relation, text, check_condition, path)


def measure_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[MeasureCall | None, list[Problem]]:
    """The same for a measure such as ``sum(x) where y > 0``."""
    return _without_echo(relation, text, parse_measure, path)


def field_over(relation: Relation, name: str, path: DocumentPath) -> tuple[Expression | None, list[Problem]]:
    """The expression that is just the declared field of that exact name; made without parsing, as wide rows
    have many.
    """
    field = relation.schema.get(name)
    if field is not None:
        return _column(field), []
    if relation.has(name):
        return None, []
    return None, [
        problem("FIELD_UNKNOWN", path, f"Unknown field {name!r}.", nearest(name, relation.schema.names))
    ]


def _written(found: object) -> int:
    """Characters of Spark SQL; of a measure those of its parts."""
    if isinstance(found, Expression):
        return len(found.sql) + sum(map(len, found.failures))
    if isinstance(found, MeasureCall):
        return sum(map(_written, (*found.arguments, found.where)))
    return 0


def _column(field: Field) -> Expression:
    spend(_COLUMN)
    name = quoted(field.name)
    return Expression(
        text=field.name,
        type=field.type,
        nullable=field.nullable,
        fields=frozenset((field.name,)),
        sql=name,
        failures=(),
        constant=False,
        literal=None,
        canonical=name,
    )


def _without_echo(
    relation: Relation,
    text: str,
    check: Callable[[str, Schema, DocumentPath], tuple[ThingT | None, list[Problem]]],
    path: DocumentPath,
) -> tuple[ThingT | None, list[Problem]]:
    spend(_EXPRESSION + _READ * len(text))
    found, problems = remembered(check, text, relation.readable)
    spend(_written(found) + sum(len(p.message) + len(p.hint) for p in problems))
    return found, [replace(p, path=path) for p in problems if not _is_echo(p, relation, text)]


@lru_cache(maxsize=REMEMBERED)
def remembered(check: Callable[[str, Schema, DocumentPath], Any], text: str, schema: Schema) -> Any:
    """A check, remembered: while somebody types, all expressions but one are the same as a moment ago, and
    steps repeat others'.
    """
    return check(text, schema, ())


def _is_echo(found: Problem, relation: Relation, text: str) -> bool:
    if found.code != "FIELD_UNKNOWN" or not (relation.has_unknown_fields or relation.untyped):
        return False
    named = text[slice(*found.span)].strip("` ") if found.span else text.strip("` ")
    return relation.has_unknown_fields or named in relation.untyped
