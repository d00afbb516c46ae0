"""change in Spark (`semantics.md` 4.11): one aggregation over doubled windows takes the place of the aggregate's own.

Every row counts in its own window and, as the window before, in the next one. The lowering therefore goes back to the rows
that the aggregate read.
"""

import re
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.engine.columns import column, quoted, shifted
from jobs.engine.counting import count_limits, count_nulls
from jobs.engine.operators.aggregate import Keys, grouped_by_window, key_columns, results
from jobs.engine.operators.calendar_windows import calendar_bounds
from jobs.engine.operators.windows import Assigned, closing_at
from jobs.engine.rows import APPEND_TIME, TIME, Rows, row_order
from jobs.expressions.spark_types import schema_sql
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.change import PREVIOUS, VALUE, ChangeBound, Changed
from jobs.operators.measure_sql import measure_sql
from jobs.operators.relation import Relation
from jobs.operators.windows import WindowSpec

LOWERING_REVISION: Final = 1

_OPERAND: Final = re.compile(f"{quoted(VALUE)}|{quoted(PREVIOUS)}")
_OWN: Final = "_own"
_PLACES: Final = "_places"


def lower(step: str, bound: ChangeBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One row per window with rows of its own, and group; windows in which only the rows of the one before count are left out."""
    rows = inputs[0].aggregated
    if rows is None:
        raise TypeError("change reads an aggregate")
    keyed = key_columns(rows.frame, bound.of)
    doubled = _doubled(keyed, bound)
    order = row_order(rows.relation)
    own = [column(measure_sql(measure, order, (_OWN,)), measure.name) for measure in bound.of.measures]
    before = [column(measure_sql(changed.measure, order, (f"NOT {_OWN}",)), f"_previous{i}") for i, changed in enumerate(bound.changed)]
    counts = [column(f"count_if({_OWN})", "_rows"), column(f"count_if(NOT {_OWN})", "_rows_before")]
    newest = F.max(APPEND_TIME).alias(APPEND_TIME)
    grouped = grouped_by_window(doubled.frame, bound.of).agg(*own, *before, *counts, newest).where("_rows > 0")
    declared = [column(quoted(measure.name)) for measure in bound.of.measures]
    for i, changed in enumerate(bound.changed):
        declared += [column(sql, field.name) for sql, field in zip(_difference(i, changed, bound.missing), changed.fields, strict=True)]
    made = count_limits(step, results(grouped, Keys(bound.of, doubled), declared, output), bound.of.measures)
    return count_nulls(step, made, [failure for changed in bound.changed for failure in _failures(changed)])


def _doubled(frame: DataFrame, bound: ChangeBound) -> Assigned:
    """Every row twice: in its own window, and in the next one as a row of the window before."""
    own, following = _places(bound)
    both = [f"named_struct('start', {start}, 'end', {end}, 'own', {flag})" for (start, end), flag in ((own, "true"), (following, "false"))]
    places = f"array({', '.join(both)})"
    kept = [column(quoted(name)) for name in frame.columns]
    spread = frame.select(*kept, column(f"explode({places})", _PLACES)).withColumn(_OWN, column(f"{_PLACES}.own"))
    return closing_at(spread, f"{_PLACES}.start", f"{_PLACES}.end", bound.of.lag)


def _places(bound: ChangeBound) -> tuple[tuple[str, str], tuple[str, str]]:
    match bound.of.window:
        case WindowSpec(size, _, offset):
            start = f"timestamp_micros(unix_micros({TIME}) - pmod(unix_micros({TIME}) - {offset.us}L, {size.us}L))"
            end, after = shifted(start, size.us), shifted(start, 2 * size.us)
            return (start, end), (end, after)
        case CalendarSpec() as window:
            start, end = calendar_bounds(TIME, window)
            return (start, end), calendar_bounds(end, window)
        case _:
            raise TypeError("change needs windows that follow each other")


def _difference(i: int, changed: Changed, missing: str) -> tuple[str, str, str]:
    """Spark SQL of previous, delta and percent; `missing` says what a window without rows counts as."""
    nothing = f"cast({'0' if missing == 'zero' else 'NULL'} AS {schema_sql(changed.measure.type)})"
    previous = f"if(_rows_before > 0, _previous{i}, {nothing})"
    value = quoted(changed.measure.name)
    written = {quoted(VALUE): value, quoted(PREVIOUS): f"({previous})"}
    delta = _over(written, changed.delta.sql)
    percent = f"100D * cast({delta} AS DOUBLE) / nullif(abs(cast({previous} AS DOUBLE)), 0D)"
    return previous, delta, percent


def _failures(changed: Changed) -> list[str]:
    """Spark SQL, never null, of the errors inside a difference, over a result row."""
    before = changed.fields[0].name
    written = {quoted(VALUE): quoted(changed.measure.name), quoted(PREVIOUS): quoted(before)}
    return [_over(written, failure) for failure in changed.delta.failures]


def _over(written: dict[str, str], sql: str) -> str:
    return _OPERAND.sub(lambda found: written[found[0]], sql)
