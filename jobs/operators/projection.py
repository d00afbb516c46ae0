"""What derive and select share: a list of output columns, and the rule that a changelog keeps its key."""

from dataclasses import dataclass, replace

from jobs.base.problems import Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.expressions import Expression
from jobs.expressions.spark_types import quoted
from jobs.operators.output_fields import check_count, check_type
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed, expression_fields

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectionBound:
    """The whole output row, in order: name and the expression over the input row."""

    columns: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column being checked: `expression` is None when its check failed; `path` is where the document names it, if it does."""

    name: str
    expression: Expression | None
    path: Path | None = None


def fields_read(bound: ProjectionBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """What the columns that are read were made from; a column that nobody reads still counts its errors as expression_nulls."""
    return (expression_fields(e for name, e in bound.columns if name in needed.get("", ()) or e.failures),)


def is_same_field(name: str, expression: Expression) -> bool:
    """True when the expression is just the input field of that name."""
    return expression.canonical == quoted(name)


def project(
    source: Relation, columns: list[Column], path: Path, problems: list[Problem], *, keeps_rest: bool
) -> StepCheck[ProjectionBound]:
    """The checked projection of `source` onto `columns`; event time, identity and slack stay.

    See `docs/semantics/stateless-steps.md#derive-select-rename-drop`.

    Args:
        source: what flows in.
        columns: the whole output row.
        path: where problems of the row as a whole point.
        problems: findings so far.
        keeps_rest: fields that are not known here flow through too (derive).
    """
    found = list(problems)
    for column in columns:
        if column.expression is not None and column.path is not None:
            found += check_type(column.expression.type, column.path)
    found += check_count(len(columns), path)
    found += _check_key(source, columns, path)
    known = [(c.name, c.expression) for c in columns if c.expression is not None]
    schema = Schema(tuple(Field(name, e.type, e.nullable) for name, e in known))
    untyped = frozenset(c.name for c in columns if c.expression is None)
    output = replace(source, schema=schema, untyped=untyped, has_unknown_fields=source.has_unknown_fields and keeps_rest)
    complete = not has_errors(found) and not untyped
    return StepCheck(ProjectionBound(tuple(known)) if complete else None, output, found)


def _check_key(source: Relation, columns: list[Column], path: Path) -> list[Problem]:
    if source.kind != "upsert":
        return []
    found: list[Problem] = []
    for key in source.identity:
        column = next((c for c in columns if c.name == key), None)
        if column is None:
            found.append(_key_lost(key, path, "dropped"))
        elif column.expression is not None and not is_same_field(key, column.expression):
            found.append(_key_lost(key, column.path or path, "replaced"))
    return found


def _key_lost(key: str, path: Path, what: str) -> Problem:
    message = f"Key field {key} can't be {what}."
    return problem("KEY_LOST", path, message, f"Keep {key} unchanged, and write the changed value to another field.")
