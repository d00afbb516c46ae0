"""aggregate and change in a rendered script."""

from dataclasses import dataclass

from jobs.expressions.spark_types import quoted
from jobs.expressions.sql_times import shifted
from jobs.operators.aggregate import AggregateBound
from jobs.operators.calendar_sql import calendar_bounds
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.change import ChangeBound
from jobs.operators.change_sql import difference_sql, places_sql
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.measure_sql import measure_sql
from jobs.operators.windows import WindowSpec
from jobs.plan.script.common import NO_WATERMARK, Step, block_filter_pushdown, marked, row_order, selected
from jobs.plan.script.stateful import write_sliding


@dataclass(frozen=True)
class Grouping:
    """How rows are put into windows and groups.

    Attributes:
        lines: that make the variable ``keyed``.
        groups: Python of what is grouped by.
        start: Spark SQL of a window's start, over ``_window``; empty without windows.
        end: of its end.
        time: of a result's event time.
    """

    lines: list[str]
    groups: list[str]
    start: str = ""
    end: str = ""
    time: str = ""


def write_aggregate(step: Step, bound: AggregateBound) -> list[str]:
    """Groups by window and keys."""
    order = row_order(step.relation())
    measures = [f"{measure_sql(measure, order)} AS {quoted(measure.name)}" for measure in bound.measures]
    grouping = _grouping(step, bound)
    return [
        *keyed(step.input(), bound),
        *grouping.lines,
        *_grouped(grouping, measures),
        *_results(step, bound, grouping, [quoted(measure.name) for measure in bound.measures]),
    ]


def write_change(step: Step, bound: ChangeBound) -> list[str]:
    """One aggregation over doubled windows; it reads what the aggregate read whose results it compares."""
    upstream = Step(step.plan, step.plan.node(step.node.inputs[0]))
    slack = bound.of.slack.us - upstream.relation().spark_slack.us
    own, following = places_sql(bound, "_time")
    both = [f"named_struct('start', {start}, 'end', {end}, 'own', {flag})" for (start, end), flag in ((own, "true"), (following, "false"))]
    order = row_order(upstream.relation())
    measures = [f"{measure_sql(measure, order, ('_bounds.own',))} AS {quoted(measure.name)}" for measure in bound.of.measures]
    measures += [f"{measure_sql(c.measure, order, ('NOT _bounds.own',))} AS _previous{i}" for i, c in enumerate(bound.changed)]
    measures += ["count_if(_bounds.own) AS _rows", "count_if(NOT _bounds.own) AS _rows_before"]
    declared = [quoted(measure.name) for measure in bound.of.measures]
    for i, changed in enumerate(bound.changed):
        parts = zip(difference_sql(i, changed, bound.missing), changed.fields, strict=True)
        declared += [f"{sql} AS {quoted(field.name)}" for sql, field in parts]
    spread = [
        "# every row counts in its own window and, as a row of the window before, in the next one",
        *selected("keyed", "keyed", ["*", f"explode(array({', '.join(both)})) AS _bounds"]),
    ]
    grouping = _closing("_bounds.start", "_bounds.end", slack, bound.of)
    return [
        *keyed(upstream.input(), bound.of),
        *spread,
        *grouping.lines,
        *_grouped(grouping, measures),
        "grouped = grouped.where('_rows > 0')",
        *_results(step, bound.of, grouping, declared),
    ]


def keyed(upstream: str, bound: AggregateBound) -> list[str]:
    """The variable ``keyed``: the rows with their group keys."""
    keys = [f"{expression.sql} AS _key{i}" for i, (_, expression) in enumerate(bound.by)]
    # Metadata of their own: the event time as a key is no second event time.
    unmarked = "".join(f".withMetadata('_key{i}', {NO_WATERMARK})" for i in range(len(keys)))
    return [f"keyed = {upstream}.selectExpr('*'{''.join(f', {key!r}' for key in keys)}){unmarked}"]


def _grouping(step: Step, bound: AggregateBound) -> Grouping:
    slack = bound.slack.us - step.relation().spark_slack.us
    keys = _keys(bound)
    match bound.window:
        case None:
            # Spark gives one group of all rows before its first row; this key is always the same.
            return Grouping([], keys or ["F.expr('pmod(unix_micros(_time), 1L)').alias('_all')"])
        case WindowSpec(size, advance, offset):
            window = f"F.window('_time', {', '.join(repr(f'{part.us} microseconds') for part in (size, advance, offset))}).alias('_window')"
            if slack == 0:
                return Grouping([], [window, *keys], "_window.start", "_window.end", "window_time(_window)")
            placed = [f"keyed = keyed.select('*', {window}).selectExpr('*', '_window AS _bounds').drop('_window')"]
            closing = _closing("_bounds.start", "_bounds.end", slack, bound)
            return Grouping([*placed, *closing.lines], closing.groups, closing.start, closing.end, closing.time)
        case CalendarSpec() as window:
            start, end = calendar_bounds("_time", window)
            placed = [f"keyed = keyed.withColumn('_bounds', F.expr({f'struct({start} AS start, {end} AS end)'!r}))"]
            closing = _closing("_bounds.start", "_bounds.end", slack, bound)
            return Grouping([*placed, *closing.lines], closing.groups, closing.start, closing.end, closing.time)
        case SessionSpec(gap):
            return _sessions(gap.us, slack, keys)
        case SlidingSpec() as window:
            end = shifted("_window.end", 1 - slack)
            lines = write_sliding(window, slack, [expression.type for _, expression in bound.by])
            return Grouping(lines, ["'_window'", *keys], "_window.start", end, shifted("_window.end", -slack) if slack else "_window.end")


def _sessions(gap: int, slack: int, keys: list[str]) -> Grouping:
    keys = keys or ["F.expr('pmod(unix_micros(_time), 1L)').alias('_all')"]  # Spark refuses sessions without a key
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


def _closing(start: str, end: str, slack: int, bound: AggregateBound) -> Grouping:
    """Windows that are no windows of Spark's own: it closes them by the marked column; with a slack by an end that is so much later."""
    struct = f"named_struct('start', {start}, 'end', {shifted(end, slack)})"
    lines = [f"# a window closes {slack} µs after its end"] if slack else []
    lines += [f"keyed = keyed.withColumn('_window', F.expr({struct!r}))", marked("keyed", "_window")]
    return Grouping(
        lines, ["'_window'", *_keys(bound)], "_window.start", shifted("_window.end", -slack), shifted("_window.end", -slack - 1)
    )


def _keys(bound: AggregateBound) -> list[str]:
    return [f"'_key{i}'" for i in range(len(bound.by))]


def _grouped(grouping: Grouping, measures: list[str]) -> list[str]:
    return [
        f"grouped = keyed.groupBy({', '.join(grouping.groups)}).agg(",
        *(f"    F.expr({measure!r})," for measure in measures),
        ")",
    ]


def _results(step: Step, bound: AggregateBound, grouping: Grouping, measures: list[str]) -> list[str]:
    """Window, keys, measures; beside them time and identity."""
    parts, names = [f"_key{i}" for i in range(len(bound.by))], [name for name, _ in bound.by]
    if bound.window is not None:
        parts, names = [grouping.start, grouping.end, *parts], ["window_start", "window_end", *names]
    declared = [f"{part} AS {quoted(name)}" for part, name in zip(parts, names, strict=True)]
    system = [f"{part} AS _id{i}" for i, part in enumerate(parts)]
    if bound.window is None:
        return selected(step.rows, "grouped", [*declared, *measures, *system])
    kept = []
    if isinstance(bound.window, SessionSpec):
        # Spark moves filters on a session's bounds below its aggregation, where each row is still a session of its own.
        kept.append(block_filter_pushdown("grouped", f"sessions of {step.rows}", "the sessions"))
    if step.node.output.kind == "append" and any(node.op == "deduplicate" for node in step.plan.live_nodes):
        kept.append("grouped = grouped.repartition(1)  # a task of its own: Spark mistakes this state for that of a later step")
    return [*kept, *selected(step.rows, "grouped", [*declared, *measures, *system, f"{grouping.time} AS _time"]), marked(step.rows)]
