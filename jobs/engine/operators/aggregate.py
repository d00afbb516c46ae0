"""aggregate in Spark (`docs/semantics/aggregate.md`): one native aggregation for all windows."""

from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from jobs.base.durations import Duration
from jobs.engine.columns import column, quoted, shifted
from jobs.engine.observed_metrics import block_filter_pushdown, count_limits, count_nulls, failures_of
from jobs.engine.operators.late_rows import lower_late_rows
from jobs.engine.operators.sliding import slide
from jobs.engine.operators.windows import WINDOW, Assigned, assign
from jobs.engine.rows import DELETED, NO_WATERMARK, TIME, TIMESTAMP, WATERMARK_COLUMN, Rows, row_order
from jobs.engine.session import sorts_batches
from jobs.operators.aggregate import WINDOW_FIELDS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.late_rows import PORT
from jobs.operators.measure_sql import measure_sql
from jobs.operators.relation import Relation

_ALL: Final = "_all"


def lower(step: str, bound: AggregateBound, inputs: tuple[Rows, ...], output: Relation) -> dict[str, Rows]:
    """One row per window and group, with the latest Kafka timestamp of its rows, for freshness; late rows as
    the output `PORT`, where the step keeps them.
    """
    rows = inputs[0]
    counted = count_nulls(step, rows, failures(bound))
    keyed = key_columns(counted.frame, bound)
    order = row_order(rows.relation)
    measures = [column(measure_sql(measure, order), measure.name) for measure in bound.measures]
    assigned = _assigned(rows, keyed, bound, rows.relation.not_applied(bound.slack))
    grouped = grouped_by_window(assigned.frame, bound).agg(*measures, F.max(TIMESTAMP).alias(TIMESTAMP))
    if bound.window is None and not bound.by:  # Spark emits this only group even before its first row
        grouped = grouped.where(F.col(TIMESTAMP).isNotNull())
    declared = [column(quoted(measure.name)) for measure in bound.measures]
    found = results(grouped, Keys(bound, assigned), declared, output)
    if isinstance(bound.window, SessionSpec | SlidingSpec):
        # Spark moves filters on a session's bounds below its aggregation, where each row is still a session
        # of its own. Behind a sliding window it would merge later steps into the aggregation, whose buffers
        # would have the order in which those read the measures; only other windows' are laid out anew
        # (`jobs.engine.checkpoints`).
        found = found.with_frame(block_filter_pushdown(step, found.frame))
    made = {"": replace(count_limits(step, found, bound.measures), aggregated=counted)}
    if bound.dead_letters and bound.window is not None:
        made[PORT] = lower_late_rows(step, rows, bound.window, bound.slack)
    return made


def failures(bound: AggregateBound) -> list[str]:
    """Spark SQL conditions, never null, of errors in keys and measures; arguments of a measure with a
    condition fail only in rows that meet it.
    """
    return [failure for _, found in failures_by_field(bound) for failure in found]


def failures_by_field(bound: AggregateBound) -> list[tuple[str, list[str]]]:
    """The conditions of `failures` by the key or measure that they are about, in order."""
    found = [(name, failures_of([expression])) for name, expression in bound.by]
    for measure in bound.measures:
        inside = failures_of(measure.arguments)
        if measure.where is not None:
            inside = [
                *measure.where.failures,
                *(f"({measure.where.sql} <=> TRUE) AND {failure}" for failure in inside),
            ]
        found.append((measure.name, inside))
    return found


def key_columns(frame: DataFrame, bound: AggregateBound) -> DataFrame:
    """The rows with their group keys as ``_key0``, ``_key1``, …"""
    keys = [
        column(expression.sql).alias(f"_key{i}", metadata=NO_WATERMARK)
        for i, (_, expression) in enumerate(bound.by)
    ]
    return frame.select("*", *keys)


def grouped_by_window(frame: DataFrame, bound: AggregateBound):  # type: ignore[no-untyped-def]  # PySpark's GroupedData
    """Group by window and keys. Spark refuses sessions without a key, so they get a constant one."""
    keys = [f"_key{i}" for i in range(len(bound.by))]
    if isinstance(bound.window, SessionSpec) and not keys:
        return frame.select("*", column(f"pmod(unix_micros({TIMESTAMP}), 1L)", _ALL)).groupBy(WINDOW, _ALL)
    return frame.groupBy(*([WINDOW] if bound.window else []), *keys)


def _assigned(rows: Rows, frame: DataFrame, bound: AggregateBound, slack: Duration) -> Assigned:
    """The rows with their windows. Only the part of the slack that Spark does not already apply is added."""
    match bound.window:
        case None:
            return Assigned(frame, "", "")
        case SlidingSpec() as window:
            return slide(rows, frame, window, slack, len(bound.by))
        case window:
            return assign(frame, window, slack)


@dataclass(frozen=True, slots=True)
class Keys:
    """The identity of a group's result: the bounds of its window, and its keys."""

    bound: AggregateBound
    window: Assigned

    @property
    def identity(self) -> list[str]:
        """Spark SQL of each part, in order."""
        bounds = [self.window.start, self.window.end] if self.bound.window else []
        return bounds + [f"_key{i}" for i in range(len(self.bound.by))]


def results(grouped: DataFrame, keys: Keys, measures: list[Column], output: Relation) -> Rows:
    """Result rows: window, keys and measures, then event time, freshness and identity."""
    names = (*(WINDOW_FIELDS if keys.bound.window else ()), *(name for name, _ in keys.bound.by))
    declared = [column(sql, name) for sql, name in zip(keys.identity, names, strict=True)]
    system: dict[str, Column] = {}
    if keys.bound.window:
        system[TIME] = column(shifted(keys.window.end, -1)).alias(TIME, metadata=WATERMARK_COLUMN)
    system[TIMESTAMP] = column(TIMESTAMP)
    if output.kind == "upsert":
        system[DELETED] = column("false", DELETED)
    system |= {f"_id{i}": column(sql, f"_id{i}") for i, sql in enumerate(keys.identity)}
    if output.kind == "append" and sorts_batches(grouped.sparkSession):
        # After a sorted batch of one partition Spark 4.3 would run the next step in the same task, where it
        # mistakes the state of the aggregation for its own.
        grouped = grouped.repartition(1)
    return Rows(grouped.select(*declared, *measures, *system.values()), output, tuple(system))


def state_operators(bound: AggregateBound) -> tuple[str, ...]:
    """Spark's names of the step's stateful operators."""
    match bound.window:
        case SessionSpec():
            return ("sessionWindowStateStoreSaveExec",)
        case SlidingSpec():
            return ("stateStoreSave", "transformWithStateExec")
        case _:
            return ("stateStoreSave",)
