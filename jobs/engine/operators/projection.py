"""Lowering of derive, select, rename, drop, cast and flatten: new declared columns, same system columns."""

from jobs.engine.observed_metrics import count_nulls, failures_of
from jobs.engine.rows import Rows, field_column
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation


def lower(step: str, bound: ProjectionBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One output row per input row; all expressions read the input row."""
    counted = count_nulls(step, inputs[0], failures_of(expression for _, expression in bound.columns))
    columns = [field_column(expression.sql, name, expression.type) for name, expression in bound.columns]
    return counted.project(output, columns)
