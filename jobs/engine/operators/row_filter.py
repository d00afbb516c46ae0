"""Filters rows, for filter, branch and sample.

See `docs/semantics/identity-and-results.md#stateless-steps-over-upsert` and
`docs/semantics/stateless-steps.md#filter`.

In append-only rows, a row that does not match is dropped. In a changelog it becomes a tombstone of its key,
since an earlier row of the key may have matched; no state is needed.
"""

from dataclasses import replace

from jobs.engine.columns import column, quoted
from jobs.engine.rows import DELETED, PRESENT, Rows
from jobs.operators.relation import Relation


def filter_rows(rows: Rows, condition: str, output: Relation) -> Rows:
    """The rows that meet a condition; in a changelog also tombstones for the others.

    Args:
        rows: the input.
        condition: Spark SQL, never null.
        output: the checked output.
    """
    if output.kind == "append":
        return keep_rows(rows, condition, output)
    marked = rows.frame.withColumn(DELETED, column(f"{quoted(DELETED)} OR NOT ({condition})"))
    return Rows(marked, output, rows.system)


def keep_rows(rows: Rows, condition: str, output: Relation) -> Rows:
    """The rows that meet a condition, which is never null; the others are dropped. A packed row that does not
    meet it stays, marked as not present.
    """
    if PRESENT in rows.system:
        return Rows(
            rows.frame.withColumn(PRESENT, column(f"{PRESENT} AND ({condition})")), output, rows.system
        )
    return replace(rows.with_frame(rows.frame.where(column(condition))), relation=output)
