"""filter in Spark (`semantics.md` 4.1): over a changelog a row that does not pass becomes a tombstone."""

from dataclasses import replace

from jobs.engine.columns import column, quoted
from jobs.engine.counting import count_nulls
from jobs.engine.rows import DELETED, Rows
from jobs.operators.filter import FilterBound
from jobs.operators.relation import Relation


def lower(step: str, bound: FilterBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """Rows for which the condition is true; null counts as false."""
    counted = count_nulls(step, inputs[0], [bound.where])
    holds = f"coalesce({bound.where.sql}, false)"
    if output.kind == "append":
        return replace(counted, frame=counted.frame.where(column(holds)), relation=output)
    marked = counted.frame.withColumn(DELETED, column(f"{quoted(DELETED)} OR NOT {holds}"))
    return Rows(marked, output, counted.system)
