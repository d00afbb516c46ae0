"""What filter, branch and sample share: rows stay as they are, and some of them go on.

See `docs/semantics/identity-and-results.md#stateless-steps-over-upsert` and `docs/semantics/stateless-steps.md#filter`.

Over facts a row that does not pass goes. Over a changelog it takes its key away, since an earlier row of the key may have
passed; no memory is needed.
"""

from dataclasses import replace

from jobs.engine.columns import column, quoted
from jobs.engine.rows import DELETED, THERE, Rows
from jobs.operators.relation import Relation


def passing(rows: Rows, condition: str, output: Relation) -> Rows:
    """The rows for which a condition holds, and tombstones for the others where there is a key.

    Args:
        rows: what comes in.
        condition: Spark SQL, never null.
        output: the checked output.
    """
    if output.kind == "append":
        return kept(rows, condition, output)
    marked = rows.frame.withColumn(DELETED, column(f"{quoted(DELETED)} OR NOT ({condition})"))
    return Rows(marked, output, rows.system)


def kept(rows: Rows, condition: str, output: Relation) -> Rows:
    """The rows for which a condition that is never null holds; nothing of the others. Carried rows stay and are not there."""
    if THERE in rows.system:
        return Rows(rows.frame.withColumn(THERE, column(f"{THERE} AND ({condition})")), output, rows.system)
    return replace(rows, frame=rows.frame.where(column(condition)), relation=output)
