"""filter in Spark (`docs/semantics/stateless-steps.md#filter`): in a changelog, rows that don't pass become
tombstones.
"""

from jobs.engine.observed_metrics import count_nulls
from jobs.engine.operators.row_filter import filter_rows
from jobs.engine.rows import Rows
from jobs.operators.filter_bound import FilterBound
from jobs.operators.relation import Relation


def lower(step: str, bound: FilterBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """Rows for which the condition is true; null counts as false."""
    counted = count_nulls(step, inputs[0], bound.where.failures)
    return filter_rows(counted, f"coalesce({bound.where.sql}, false)", output)
