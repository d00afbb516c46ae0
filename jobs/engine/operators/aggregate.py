"""aggregate in Spark (`semantics.md` 4.9): no window, tumbling and hopping windows, update and final.

Every window becomes a struct (start, end + lag) whose column metadata marks it as the watermarked key, so that Spark
closes it at end + lag in both output modes.
"""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.base.types import TIMESTAMP
from jobs.engine.columns import column, quoted
from jobs.engine.counting import count_nulls
from jobs.engine.operators.measures import measure_sql
from jobs.engine.rows import APPEND_TIME, DELETED, TIME, Rows, row_identity
from jobs.operators.aggregate import WINDOW_FIELDS, AggregateBound
from jobs.operators.relation import Relation
from jobs.operators.windows import WindowSpec

LOWERING_REVISION: Final = 1

_WINDOW: Final = "_window"
_WATERMARKED: Final = {"spark.watermarkDelayMs": 0}  # only its presence counts: the delay itself belongs to the source


def lower(step: str, bound: AggregateBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:
    """One row per window and group, with the greatest append time inside for freshness."""
    rows = inputs[0]
    counted = count_nulls(step, rows, _expressions(bound))
    frame = _assign(counted.frame, bound.window, bound.lag) if bound.window else counted.frame
    keys = [column(expression.sql, f"_key{i}") for i, (_, expression) in enumerate(bound.by)]
    frame = frame.select("*", *keys)
    order = (TIME, *row_identity(rows.relation))
    measures = [column(measure_sql(measure, order), measure.name) for measure in bound.measures]
    grouping = [*([_WINDOW] if bound.window else []), *(f"_key{i}" for i in range(len(keys)))]
    grouped = frame.groupBy(*grouping).agg(*measures, F.max(APPEND_TIME).alias(APPEND_TIME))
    return _result(grouped, bound, output)


def _expressions(bound: AggregateBound) -> list:  # type: ignore[type-arg]
    found = [expression for _, expression in bound.by]
    for measure in bound.measures:
        found += [*measure.arguments, *([measure.where] if measure.where else [])]
    return found


def _assign(frame: DataFrame, window: WindowSpec, lag: Duration) -> DataFrame:
    size, advance, offset = (f"{duration.us} microseconds" for duration in (window.size, window.advance, window.offset))
    assigned = frame.withColumn(_WINDOW, F.window(F.col(TIME), size, advance, offset))
    if lag.us == 0:
        return assigned
    closing = f"named_struct('start', {_WINDOW}.start, 'end', {_shift(f'{_WINDOW}.end', lag.us)})"
    kept = [column(quoted(name)) for name in frame.columns]
    return assigned.select(*kept, column(closing).alias(_WINDOW, metadata=_WATERMARKED))


def _shift(instant: str, us: int) -> str:
    return f"timestamp_micros(unix_micros({instant}) + {us}L)"


def _result(grouped: DataFrame, bound: AggregateBound, output: Relation) -> Rows:
    declared: list[Column] = []
    identity: list[str] = []
    system: list[Column] = []
    if bound.window:
        start, end = f"{_WINDOW}.start", _shift(f"{_WINDOW}.end", -bound.lag.us) if bound.lag.us else f"{_WINDOW}.end"
        declared += [column(start, WINDOW_FIELDS[0]), column(end, WINDOW_FIELDS[1])]
        identity += [start, end]
        system.append(column(_shift(end, -1), TIME))
    declared += [column(f"_key{i}", name) for i, (name, _) in enumerate(bound.by)]
    identity += [f"_key{i}" for i in range(len(bound.by))]
    declared += [column(quoted(measure.name)) for measure in bound.measures]
    system.append(column(APPEND_TIME))
    if output.kind == "upsert":
        system.append(column("false", DELETED))
    system += [column(sql, f"_id{i}") for i, sql in enumerate(identity)]
    names = (
        *([TIME] if bound.window else []),
        APPEND_TIME,
        *([DELETED] if output.kind == "upsert" else []),
        *(f"_id{i}" for i in range(len(identity))),
    )
    return Rows(grouped.select(*declared, *system), output, names)


__all__ = ["LOWERING_REVISION", "TIMESTAMP", "lower"]
