"""Observed metrics: counters inside queries, which arrive with the progress of each batch."""

from collections.abc import Iterable, Sequence
from typing import Final

from pyspark.sql import DataFrame

from jobs.engine.columns import any_of, column, quoted
from jobs.engine.observation import Metrics, observed
from jobs.engine.rows import DELETED, PRESENT, Rows
from jobs.expressions import Expression
from jobs.operators.measures import BoundMeasure

READ: Final = "read:"  # source → records and malformed ones, as `jobs.engine.read_counts` writes them
EXCHANGED: Final = "exchanged"  # rows that a query hands to the other
KEYLESS: Final = "keyless:"  # step → rows left out because a part of their key is null
NULLS: Final = "nulls:"  # step → rows in which an error became null, all rows
BARRIER: Final = "barrier:"  # step → rows that it gives; source or exchange → rows and heartbeats
LATE: Final = "late:"  # step → rows that its late output gives
LIMITS: Final = "limits:"  # step → results with a null because a measure passed its limit, all results

_ALL: Final = "all"


def block_filter_pushdown(step: str, rows: DataFrame, given: str = "count(1)") -> DataFrame:
    """The rows of a step or source, with an observation that keeps Spark from pushing later filters below it.

    Args:
        step: its name; each may use this once.
        rows: of it.
        given: Spark SQL of an aggregate: how many of these rows the step gives.
    """
    return observed(rows, [Metrics(f"{BARRIER}{step}", {"rows": given})])


def count_nulls(step: str, rows: Rows, failures: Sequence[str]) -> Rows:
    """Count the rows in which at least one error became null; adds nothing where none can.

    Args:
        step: its name.
        rows: its input; tombstones of a changelog are not counted.
        failures: Spark SQL conditions, never null, one for each part that can fail.
    """
    if not failures:
        return rows
    return rows.observe(f"{NULLS}{step}", {"rows": count_of(rows, failures), _ALL: "count(1)"})


def count_of(rows: Rows, conditions: Sequence[str]) -> str:
    """Spark SQL of an aggregate: how many rows meet one of these conditions, tombstones not counted."""
    is_row = [
        *([PRESENT] if PRESENT in rows.system else []),
        *([f"NOT {quoted(DELETED)}"] if DELETED in rows.system else []),
    ]
    return f"count_if({' AND '.join([*is_row, f'({any_of(conditions)})'])})"


def failures_of(expressions: Iterable[Expression]) -> list[str]:
    """The conditions under which one of these expressions turned an error into null."""
    return [failure for expression in expressions for failure in expression.failures]


def count_limits(step: str, rows: Rows, measures: tuple[BoundMeasure, ...]) -> Rows:
    """Count the results in which a measure is null because it passed its limit; adds nothing where no measure
    has such a limit.
    """
    limited = [f"{quoted(measure.name)} IS NULL" for measure in measures if measure.function == "distinct"]
    return (
        rows.observe(f"{LIMITS}{step}", {"rows": f"count_if({any_of(limited)})", _ALL: "count(1)"})
        if limited
        else rows
    )


def count_keyless(step: str, rows: Rows, keys: tuple[str, ...]) -> Rows:
    """Drop and count the rows in which one of these fields is null; adds nothing where none can be null: by
    Spark's schema, as state may hold nulls from before its contract said that there are none.
    """
    types = rows.frame.schema
    nullable = [quoted(name) for name in keys if name not in types.names or types[name].nullable]
    if not nullable:
        return rows
    missing = " OR ".join(f"{name} IS NULL" for name in nullable)
    counted = rows.observe(f"{KEYLESS}{step}", {"rows": f"count_if({missing})"})
    return counted.with_frame(counted.frame.where(column(f"NOT ({missing})")))
