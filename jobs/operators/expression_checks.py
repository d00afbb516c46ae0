"""Checks of a step's expressions against its input, without repeating problems that were reported
upstream.
"""

from collections import Counter
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
from jobs.expressions.size_bound import NO_SIZE, Size, is_sized
from jobs.expressions.spark_types import quoted
from jobs.operators.output_fields import nearest
from jobs.operators.relation import Relation

ThingT = TypeVar("ThingT")

REMEMBERED: Final = 2_000
# In units of work; a character of generated Spark SQL is 1.
_COLUMN: Final = 100  # a column that is passed on
_EXPRESSION: Final = 500
_READ: Final = 20  # per character of an expression's text, which is parsed
_KEYWORDS: Final = frozenset(DIALECT.tokenizer_class.KEYWORDS)


def expression_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """Check an expression over a relation's readable fields. None without problems means that the expression
    reads a field whose own check failed upstream.
    """
    field = relation.schema.get(text)
    if field is not None and is_name(text) and text.upper() not in _KEYWORDS:
        return _column(field), []  # the same result as parsing, for what most expressions of a select are
    return _without_echo(relation, text, check_expression, path)


def condition_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[Expression | None, list[Problem]]:
    """Check a condition, which must be boolean; otherwise as `expression_over`."""
    return _without_echo(relation, text, check_condition, path)


def measure_over(
    relation: Relation, text: str, path: DocumentPath
) -> tuple[MeasureCall | None, list[Problem]]:
    """Check a measure such as ``sum(x) where y > 0``; otherwise as `expression_over`."""
    return _without_echo(relation, text, parse_measure, path)


def field_over(relation: Relation, name: str, path: DocumentPath) -> tuple[Expression | None, list[Problem]]:
    """The expression that is just the declared field of that exact name, built without parsing because wide
    rows have many. None with FIELD_UNKNOWN if there is no such field, None without problems if its type is
    unknown.
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
    """The number of characters of generated Spark SQL; for a measure, of all its parts."""
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
        size=Size(Counter({field.name: 1})) if is_sized(field.type) else NO_SIZE,
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
    """Run a check, or return its cached result: while a user edits a document, all expressions but one stay
    the same, and steps repeat each other's expressions.
    """
    return check(text, schema, ())


def _is_echo(found: Problem, relation: Relation, text: str) -> bool:
    if found.code != "FIELD_UNKNOWN" or not (relation.has_unknown_fields or relation.untyped):
        return False
    named = text[slice(*found.span)].strip("` ") if found.span else text.strip("` ")
    return relation.has_unknown_fields or named in relation.untyped
