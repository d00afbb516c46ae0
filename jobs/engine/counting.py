"""Counters inside queries: names of observed metrics, written where rows are made and read where progress is reported."""

from dataclasses import replace
from typing import Final

from jobs.engine.columns import any_of, column, quoted
from jobs.engine.rows import THERE, Rows
from jobs.expressions import Expression
from jobs.operators.measures import BoundMeasure

READ: Final = "read:"  # source → records, malformed
KEPT: Final = "kept:"  # source → well-formed rows
KEYLESS: Final = "keyless:"  # step → rows left out because a part of their key is null
NULLS: Final = "nulls:"  # step → rows in which an error became null
LIMITS: Final = "limits:"  # step → results written with a null, because a measure passed its limit


def count_nulls(step: str, rows: Rows, expressions: list[Expression]) -> Rows:
    """Count rows in which at least one of these expressions turned an error into null; nothing is added where none can."""
    failures = [failure for expression in expressions for failure in expression.failures]
    if not failures:
        return rows
    some = f"{THERE} AND ({any_of(failures)})" if THERE in rows.system else any_of(failures)
    return rows.observe(f"{NULLS}{step}", column(f"count_if({some})", "rows"))


def count_limits(step: str, rows: Rows, measures: tuple[BoundMeasure, ...]) -> Rows:
    """Count results in which a measure passed its limit and is null for that; nothing is added where none has such a limit."""
    limited = [f"{quoted(measure.name)} IS NULL" for measure in measures if measure.function == "distinct"]
    return rows.observe(f"{LIMITS}{step}", column(f"count_if({any_of(limited)})", "rows")) if limited else rows


def count_keyless(step: str, rows: Rows, keys: tuple[str, ...]) -> Rows:
    """Leave rows out in which one of these fields is null, and count them; nothing is added where none can be null."""
    nullable = [quoted(name) for name in keys if (field := rows.relation.schema.get(name)) is None or field.nullable]
    if not nullable:
        return rows
    missing = " OR ".join(f"{name} IS NULL" for name in nullable)
    counted = rows.observe(f"{KEYLESS}{step}", column(f"count_if({missing})", "rows"))
    return replace(counted, frame=counted.frame.where(column(f"NOT ({missing})")))
