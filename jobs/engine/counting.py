"""Counters inside queries: names of observed metrics, written where rows are made and read where progress is reported."""

from typing import Final

from jobs.engine.columns import any_of, column
from jobs.engine.rows import Rows
from jobs.expressions import Expression

READ: Final = "read:"  # source → records, malformed
KEPT: Final = "kept:"  # source → well-formed rows
NULLS: Final = "nulls:"  # step → rows in which an error became null


def count_nulls(step: str, rows: Rows, expressions: list[Expression]) -> Rows:
    """Count rows in which at least one of these expressions turned an error into null; nothing is added where none can."""
    failures = [failure for expression in expressions for failure in expression.failures]
    if not failures:
        return rows
    return rows.observe(f"{NULLS}{step}", column(f"count_if({any_of(failures)})", "rows"))
