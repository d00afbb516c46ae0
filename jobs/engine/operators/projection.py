"""Lowering of derive, select, rename, drop, cast and flatten: new declared columns, same system columns."""

from pyspark.sql import Column

from jobs.base.types import TIMESTAMP
from jobs.engine.columns import column
from jobs.engine.observed_metrics import count_nulls, failures_of
from jobs.engine.rows import NO_WATERMARK, Rows
from jobs.expressions import Expression
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation


def lower(step: str, bound: ProjectionBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One output row per input row; all expressions read the input row."""
    counted = count_nulls(step, inputs[0], failures_of(expression for _, expression in bound.columns))
    return counted.project(output, [_named(name, expression) for name, expression in bound.columns])


def _named(name: str, expression: Expression) -> Column:
    return (
        column(expression.sql).alias(name, metadata=NO_WATERMARK)
        if expression.type == TIMESTAMP
        else column(expression.sql, name)
    )
