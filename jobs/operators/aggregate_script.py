"""The script of aggregate; change groups its rows the same way."""

from dataclasses import dataclass
from typing import Final

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import shifted
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.calendar_sql import calendar_bounds
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.measure_sql import measure_sql
from jobs.operators.script_processors import write_sliding
from jobs.operators.script_step import (
    NO_WATERMARK,
    ScriptStep,
    block_filter_pushdown,
    marked,
    row_order,
    selected,
)
from jobs.operators.windows import WindowSpec

_ALL_ROWS: Final = "F.expr('pmod(unix_micros(_time), 1L)').alias('_all')"


@dataclass(frozen=True)
class Grouping:
    """How rows are assigned to windows and groups.

    Attributes:
        lines: script lines that add windows to the variable ``keyed``.
        groups: Python expressions to group by.
        start: Spark SQL of a window's start, over ``_window``; empty without windows.
        end: Spark SQL of a window's end.
        time: Spark SQL of a result's event time.
    """

    lines: list[str]
    groups: list[str]
    start: str = ""
    end: str = ""
    time: str = ""


def script(step: ScriptStep, bound: AggregateBound) -> list[str]:
    """Lines that group rows by window and keys and compute the measures."""
    order = row_order(step.relation())
    measures = [f"{measure_sql(measure, order)} AS {quoted(measure.name)}" for measure in bound.measures]
    grouping = _grouping(step, bound)
    return [
        *keyed(step.input(), bound),
        *grouping.lines,
        *grouped(grouping, measures),
        *results(step, bound, grouping, [quoted(measure.name) for measure in bound.measures]),
    ]


def keyed(upstream: str, bound: AggregateBound) -> list[str]:
    """Lines that compute the variable ``keyed``: the rows with their group keys."""
    keys = [f"{expression.sql} AS _key{i}" for i, (_, expression) in enumerate(bound.by)]
    # Keys get metadata of their own: the event time as a key must not be a second watermarked column.
    unmarked = "".join(f".withMetadata('_key{i}', {NO_WATERMARK})" for i in range(len(keys)))
    return [f"keyed = {upstream}.selectExpr('*'{''.join(f', {key!r}' for key in keys)}){unmarked}"]


def _grouping(step: ScriptStep, bound: AggregateBound) -> Grouping:
    slack = step.relation().not_applied(bound.slack).us
    keys = _keys(bound)
    match bound.window:
        case None:
            # Without a key Spark emits a group before its first row; this constant key prevents that.
            return Grouping([], keys or [_ALL_ROWS])
        case WindowSpec() as window:
            return _fixed_windows(window, slack, bound)
        case CalendarSpec() as window:
            start, end = calendar_bounds("_time", window)
            bounds = f"F.expr({f'struct({start} AS start, {end} AS end)'!r})"
            return _closing_later(f"keyed = keyed.withColumn('_bounds', {bounds})", slack, bound)
        case SessionSpec(gap):
            return _sessions(gap.us, slack, keys)
        case SlidingSpec() as window:
            return _sliding(window, slack, bound)


def _fixed_windows(window: WindowSpec, slack: int, bound: AggregateBound) -> Grouping:
    """Tumbling and hopping windows, by Spark's window function."""
    spans = ", ".join(
        repr(f"{part.us} microseconds") for part in (window.size, window.advance, window.offset)
    )
    made = f"F.window('_time', {spans}).alias('_window')"
    if slack == 0:
        return Grouping([], [made, *_keys(bound)], "_window.start", "_window.end", "window_time(_window)")
    bounds = f"keyed.select('*', {made}).selectExpr('*', '_window AS _bounds').drop('_window')"
    return _closing_later(f"keyed = {bounds}", slack, bound)


def _sliding(window: SlidingSpec, slack: int, bound: AggregateBound) -> Grouping:
    lines = write_sliding(window, slack, [expression.type for _, expression in bound.by])
    end = shifted("_window.end", 1 - slack)
    time = shifted("_window.end", -slack) if slack else "_window.end"
    return Grouping(lines, ["'_window'", *_keys(bound)], "_window.start", end, time)


def _closing_later(bounds: str, slack: int, bound: AggregateBound) -> Grouping:
    later = closing("_bounds.start", "_bounds.end", slack, bound)
    return Grouping([bounds, *later.lines], later.groups, later.start, later.end, later.time)


def _sessions(gap: int, slack: int, keys: list[str]) -> Grouping:
    keys = keys or [_ALL_ROWS]  # Spark refuses sessions without a key
    if slack == 0:
        window = f"F.session_window('_time', '{gap} microseconds').alias('_window')"
        return Grouping([], [window, *keys], "_window.start", "_window.end", "window_time(_window)")
    lines = [
        f"# sessions of times moved by {slack} µs close so much later",
        f"keyed = keyed.withColumn('_closing', F.expr({shifted('_time', slack)!r}))",
        marked("keyed", "_closing"),
    ]
    window = f"F.session_window('_closing', '{gap} microseconds').alias('_window')"
    start, end = shifted("_window.start", -slack), shifted("_window.end", -slack)
    return Grouping(lines, [window, *keys], start, end, shifted("_window.end", -slack - 1))


def closing(start: str, end: str, slack: int, bound: AggregateBound) -> Grouping:
    """Windows of given bounds: Spark closes them by the watermarked column ``_window``, whose end is shifted
    by the slack in µs.
    """
    struct = f"named_struct('start', {start}, 'end', {shifted(end, slack)})"
    lines = [f"# a window closes {slack} µs after its end"] if slack else []
    lines += [f"keyed = keyed.withColumn('_window', F.expr({struct!r}))", marked("keyed", "_window")]
    return Grouping(
        lines,
        ["'_window'", *_keys(bound)],
        "_window.start",
        shifted("_window.end", -slack),
        shifted("_window.end", -slack - 1),
    )


def _keys(bound: AggregateBound) -> list[str]:
    return [f"'_key{i}'" for i in range(len(bound.by))]


def grouped(grouping: Grouping, measures: list[str]) -> list[str]:
    """Lines that compute the variable ``grouped``: one row per group."""
    return [
        f"grouped = keyed.groupBy({', '.join(grouping.groups)}).agg(",
        *(f"    F.expr({measure!r})," for measure in measures),
        ")",
    ]


def results(step: ScriptStep, bound: AggregateBound, grouping: Grouping, measures: list[str]) -> list[str]:
    """Lines that select the result: window, keys and measures, then identity and event time."""
    parts, names = [f"_key{i}" for i in range(len(bound.by))], [name for name, _ in bound.by]
    if bound.window is not None:
        parts, names = [grouping.start, grouping.end, *parts], ["window_start", "window_end", *names]
    declared = [f"{part} AS {quoted(name)}" for part, name in zip(parts, names, strict=True)]
    system = [f"{part} AS _id{i}" for i, part in enumerate(parts)]
    if bound.window is None:
        return selected(step.rows, "grouped", [*declared, *measures, *system])
    kept = []
    if isinstance(bound.window, SessionSpec):
        # Spark would push filters on a session's bounds below the aggregation, where each row is still a
        # session of its own.
        kept.append(block_filter_pushdown("grouped", f"sessions of {step.rows}", "the sessions"))
    if step.output.kind == "append" and step.sorted_batches:
        why = "a task of its own: Spark mistakes this state for that of a later step"
        kept.append(f"grouped = grouped.repartition(1)  # {why}")
    return [
        *kept,
        *selected(step.rows, "grouped", [*declared, *measures, *system, f"{grouping.time} AS _time"]),
        marked(step.rows),
    ]
