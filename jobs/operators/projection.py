"""Projections, the bound form of steps such as derive and select: a list of output columns, and the rule that
a changelog keeps its key.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

from jobs.base.names import SYSTEM_FIELDS
from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.base.schemas import Field, Schema
from jobs.base.types import TIMESTAMP
from jobs.expressions import Expression
from jobs.expressions.size_bound import MAX_ROW_BYTES, NO_SIZE, Size, is_sized
from jobs.expressions.spark_types import quoted
from jobs.operators.field_digests import FieldDigests
from jobs.operators.forecasts import one_row
from jobs.operators.lineage import ColumnSources, sources_of
from jobs.operators.operator import Check, Computed, Operator, computes_nothing, stateless_operator
from jobs.operators.output_fields import check_count, check_type
from jobs.operators.parameters import Parameters
from jobs.operators.relation import Relation, StepCheck
from jobs.operators.requirements import Needed, expression_fields
from jobs.operators.script_step import NO_WATERMARK, ScriptStep, selected


@dataclass(frozen=True, slots=True)
class ProjectionBound:
    """All columns of the output row, in order: name, and expression over the input row.

    `bounded` names the columns that are null where they and those before them have no room in
    `MAX_ROW_BYTES`, beside the columns that are passed on; empty when the row cannot be so large.
    """

    columns: tuple[tuple[str, Expression], ...]
    bounded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column being checked. `expression` is None when its check failed; `path` is the column's path in the
    document, None for columns that the document does not list.
    """

    name: str
    expression: Expression | None
    path: DocumentPath | None = None


def row_size(expressions: Iterable[Expression]) -> Size:
    """Size of the row that these expressions over one row make together."""
    return reduce(Size.plus, (expression.size for expression in expressions), NO_SIZE)


def fields_read(bound: ProjectionBound, needed: Needed) -> tuple[frozenset[str], ...]:
    """The fields that needed columns are computed from, and those of columns that can fail: such a column is
    computed even if nothing reads it, because its errors count as expression_nulls. So is a bounded column,
    because it takes room.
    """
    read = {*needed.get("", ()), *bound.bounded}
    return (expression_fields(e for name, e in bound.columns if name in read or e.failures),)


def is_same_field(name: str, expression: Expression) -> bool:
    """True when the expression is just the input field of that name."""
    return expression.canonical == quoted(name)


def project(
    source: Relation, columns: list[Column], path: DocumentPath, problems: list[Problem], *, keeps_rest: bool
) -> StepCheck[ProjectionBound]:
    """Check the projection of `source` onto `columns`; event time, identity and slack stay the same.

    See `docs/semantics/stateless-steps.md#derive-select-rename-drop`.

    Args:
        source: the input.
        columns: all columns of the output row.
        path: for problems that concern the whole row.
        problems: found so far.
        keeps_rest: True if input fields that are not known here stay in the row too (derive).
    """
    found = [*problems, *_check_types(columns)]
    found += check_count(len(columns), path)
    found += _check_key(source, columns, path)
    known = [(c.name, c.expression) for c in columns if c.expression is not None]
    row_bytes = row_size(expression for _, expression in known).of_row(source.row_bytes)
    bounded: tuple[str, ...] = ()
    if row_bytes > max(MAX_ROW_BYTES, source.row_bytes):
        row_bytes = max(MAX_ROW_BYTES, source.row_bytes)
        bounded = tuple(name for name, e in known if is_sized(e.type) and not is_same_field(name, e))
        known = [(name, replace(e, nullable=True) if name in bounded else e) for name, e in known]
    # By name: names are unique in a schema, also where a step takes one twice (NAME_TAKEN).
    fields = {name: Field(name, e.type, e.nullable) for name, e in known}
    untyped = frozenset(c.name for c in columns if c.expression is None)
    output = replace(
        source,
        schema=Schema(tuple(fields.values())),
        untyped=untyped,
        has_unknown_fields=source.has_unknown_fields and keeps_rest,
        row_bytes=max(source.row_bytes, row_bytes),
    )
    complete = not has_errors(found) and not untyped
    return StepCheck(ProjectionBound(tuple(known), bounded) if complete else None, output, found)


def _check_types(columns: list[Column]) -> list[Problem]:
    """Check the types of the columns that the document lists."""
    found: list[Problem] = []
    for column in columns:
        if column.expression is not None and column.path is not None:
            found += check_type(column.expression.type, column.path)
    return found


def _check_key(source: Relation, columns: list[Column], path: DocumentPath) -> list[Problem]:
    if source.kind != "upsert":
        return []
    found: list[Problem] = []
    for key in source.identity:
        column = next((c for c in columns if c.name == key), None)
        if column is None:
            found.append(_key_lost(key, path, "dropped", f"Keep {key} in the rows, under this name."))
        elif column.expression is not None and not is_same_field(key, column.expression):
            hint = f"Keep {key} unchanged, and write the changed value to another field."
            found.append(_key_lost(key, column.path or path, "replaced", hint))
    return found


def _key_lost(key: str, path: DocumentPath, what: str, hint: str) -> Problem:
    return problem("KEY_LOST", path, f"Key field {key} can't be {what}.", hint)


def meanings(bound: ProjectionBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """Each field means its expression; system fields keep their meaning."""
    before = digests.fields[inputs[0]]
    system: dict[str, str] = {field: before[field] for field in SYSTEM_FIELDS if field in before}
    made = {name: digests.of_expression(inputs[0], expression) for name, expression in bound.columns}
    return {**system, **made}


def lineage(bound: ProjectionBound, names: Iterable[str], inputs: list[ColumnSources]) -> ColumnSources:
    """The source columns of the fields that a column's expression reads; system fields keep theirs."""
    expressions = dict(bound.columns)
    return {
        name: sources_of(expressions[name].fields if name in expressions else (name,), inputs[0])
        for name in names
    }


def script(step: ScriptStep, bound: ProjectionBound) -> list[str]:
    """The lines that select the step's columns."""
    columns = [f"{expression.sql} AS {quoted(name)}" for name, expression in bound.columns]
    # An unchanged copy of the event time would keep its watermark metadata, which Spark allows on one column
    # only.
    times = [name for name, expression in bound.columns if expression.type == TIMESTAMP]
    return [
        *selected(step.rows, step.input(), [*columns, *step.kept()]),
        *(f"{step.rows} = {step.rows}.withMetadata({name!r}, {NO_WATERMARK})" for name in times),
    ]


def projection_operator(
    *,
    name: str,
    parameters: type[Parameters],
    summary: str,
    example: str,
    check: Check,
    computed: Computed = computes_nothing,
) -> Operator:
    """Build the row of an operator whose bound form is a projection."""
    return stateless_operator(
        name=name,
        parameters=parameters,
        summary=summary,
        example=example,
        check=check,
        fields_read=fields_read,
        computed=computed,
        row_wise=True,
        keeps_rows=True,
        rows_out=one_row,
        meanings=meanings,
        lineage=lineage,
        script=script,
    )
