"""Lowering of derive, select, rename, drop, cast and flatten: new declared columns, same system columns."""

from typing import Final

from jobs.engine.columns import column
from jobs.engine.observed_metrics import count_nulls, failures_of
from jobs.engine.rows import Rows, field_column
from jobs.expressions.size_bound import MAX_ROW_BYTES, is_sized
from jobs.operators.projection import ProjectionBound
from jobs.operators.relation import Relation

_ROW: Final = "_row"


def lower(step: str, bound: ProjectionBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One output row per input row; all expressions read the input row."""
    rows, failures = inputs[0], failures_of(expression for _, expression in bound.columns)
    made = {name: expression.sql for name, expression in bound.columns}
    if bound.bounded:
        rows = rows.with_frame(rows.frame.withColumn(_ROW, column(_bounded_row(bound))))
        failures.append(f"{_ROW}.over")
        made |= {name: f"{_ROW}._{at}" for at, name in enumerate(bound.bounded)}
    counted = count_nulls(step, rows, failures)
    columns = [field_column(made[name], name, expression.type) for name, expression in bound.columns]
    return counted.project(output, columns)


def _bounded_row(bound: ProjectionBound) -> str:
    """A struct of the bounded columns, computed one after the other while there is room."""
    kept = [e.sql for name, e in bound.columns if name not in bound.bounded and is_sized(e.type)]
    sql = dict(bound.columns)
    room = f"{MAX_ROW_BYTES} - weir_size({', '.join(kept)})"
    return f"weir_row({', '.join([room, *(sql[name].sql for name in bound.bounded)])})"
