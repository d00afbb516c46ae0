"""change in Spark (`docs/semantics/change.md`): one aggregation that replaces the one of the aggregate.

Every row counts in its own window, and again in the next one as a row of the previous window. The lowering
therefore starts from the rows that the aggregate reads.
"""

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted
from jobs.engine.observed_metrics import count_limits, count_nulls
from jobs.engine.operators.aggregate import Keys, grouped_by_window, key_columns, results
from jobs.engine.operators.windows import Assigned, closing_at
from jobs.engine.rows import TIME, TIMESTAMP, Rows, row_order
from jobs.operators.change_bound import ChangeBound
from jobs.operators.change_sql import difference_sql, failures_sql, places_sql
from jobs.operators.measure_sql import measure_sql
from jobs.operators.relation import Relation

_OWN: Final = "_own"
_WINDOWS: Final = "_windows"


def lower(step: str, bound: ChangeBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One row per window and group; windows that have only rows of the previous window are left out."""
    rows = inputs[0].aggregated
    if rows is None:
        raise TypeError("change reads an aggregate")
    keyed = key_columns(rows.frame, bound.of)
    doubled = _doubled(keyed, bound, rows.relation.not_applied(bound.of.slack))
    order = row_order(rows.relation)
    own = [column(measure_sql(measure, order, (_OWN,)), measure.name) for measure in bound.of.measures]
    before = [
        column(measure_sql(changed.measure, order, (f"NOT {_OWN}",)), f"_previous{i}")
        for i, changed in enumerate(bound.changed)
    ]
    counts = [column(f"count_if({_OWN})", "_rows"), column(f"count_if(NOT {_OWN})", "_rows_before")]
    newest = F.max(TIMESTAMP).alias(TIMESTAMP)
    grouped = (
        grouped_by_window(doubled.frame, bound.of).agg(*own, *before, *counts, newest).where("_rows > 0")
    )
    declared = [column(quoted(measure.name)) for measure in bound.of.measures]
    for i, changed in enumerate(bound.changed):
        declared += [
            column(sql, field.name)
            for sql, field in zip(difference_sql(i, changed, bound.missing), changed.fields, strict=True)
        ]
    made = count_limits(step, results(grouped, Keys(bound.of, doubled), declared, output), bound.of.measures)
    return count_nulls(
        step, made, [failure for changed in bound.changed for failure in failures_sql(changed)]
    )


def _doubled(frame: DataFrame, bound: ChangeBound, slack: Duration) -> Assigned:
    """Every row twice: in its own window, and in the next one as a row of the previous window."""
    own, following = places_sql(bound, TIME)
    both = [
        f"named_struct('start', {start}, 'end', {end}, 'own', {flag})"
        for (start, end), flag in ((own, "true"), (following, "false"))
    ]
    windows = f"array({', '.join(both)})"
    kept = [column(quoted(name)) for name in frame.columns]
    spread = frame.select(*kept, column(f"explode({windows})", _WINDOWS)).withColumn(
        _OWN, column(f"{_WINDOWS}.own")
    )
    return closing_at(spread, f"{_WINDOWS}.start", f"{_WINDOWS}.end", slack)


def state_operators(bound: ChangeBound) -> tuple[str, ...]:  # noqa: ARG001
    """Spark's names of the step's stateful operators."""
    return ("stateStoreSave",)
