"""What an aggregate keeps: its bound, its expected size, and what of it a later version can go on with."""

from typing import Any, Final

from jobs.base.durations import Duration
from jobs.base.time_units import DAY_US, HOUR_US
from jobs.base.types import Decimal, type_text
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.calendar_windows import CalendarSpec
from jobs.operators.data_driven_windows import SessionSpec, SlidingSpec
from jobs.operators.field_digests import FieldDigests, digest
from jobs.operators.forecasts import (
    CONTAINER_BYTES,
    InputRate,
    each,
    entry_per_key,
    least,
    row_bytes,
    value_bytes,
)
from jobs.operators.measure_sql import averages_wider
from jobs.operators.measures import MEASURES, BoundMeasure
from jobs.operators.relation import Relation
from jobs.operators.requirements import StateBound, expression_fields
from jobs.operators.state_copies import RowsRead, StateRead
from jobs.operators.stored_state import StateContext, StoredState, stored_row
from jobs.operators.windows import WindowSpec

_SHORTEST: Final = {
    "day": Duration(DAY_US - HOUR_US),
    "week": Duration(7 * DAY_US - HOUR_US),
    "month": Duration(28 * DAY_US - HOUR_US),
}
"""Calendar windows in which clocks go forward by an hour."""


def state(bound: AggregateBound, inputs: tuple[Relation, ...]) -> StateBound:  # noqa: ARG001
    """Bounded, unless there are groups without a window."""
    if isinstance(bound.window, SlidingSpec):
        return StateBound(
            "bounded",
            f"rows of the last {bound.window.size} plus the watermark delay, "
            "dropped when no open window contains them",
        )
    if isinstance(bound.window, SessionSpec):
        return StateBound("bounded", "one entry per open session, dropped when it closes")
    if bound.window is not None:
        return StateBound("bounded", "one entry per open window and group, dropped when the window closes")
    if not bound.by:
        return StateBound("bounded", "one entry")
    return StateBound("unbounded", "one entry per group, never dropped")


def state_entries(bound: AggregateBound, given: InputRate) -> int | None:
    """The open windows of all groups; for sliding windows the rows that are held."""
    groups = given.keys if bound.by else 1
    wait = Duration(given.delay.us + bound.slack.us)
    match bound.window:
        case None:
            return entry_per_key(bound, InputRate(given.rate, groups, given.delay))
        case SlidingSpec(size):
            return given.rows_in(Duration(size.us + wait.us))
        case SessionSpec(gap):
            rows = given.rows_in(Duration(gap.us + wait.us))
            return least(rows, each(groups, -(-(gap.us + wait.us) // gap.us)))
        case WindowSpec(size):
            rows = given.rows_in(Duration(size.us + wait.us))
            entries = each(rows, bound.window.fanout)
            return least(entries, each(groups, open_windows(bound.window, wait)))
        case CalendarSpec():
            return each(groups, open_windows(bound.window, wait))


def open_windows(window: WindowSpec | CalendarSpec, wait: Duration) -> int:
    """The number of windows of one key that are open at the same time.

    Args:
        window: of the aggregate.
        wait: how long a window that has ended waits to close.
    """
    if isinstance(window, CalendarSpec):  # the current one, and those before it that wait to close
        return 1 + max(1, -(-wait.us // _SHORTEST[window.unit].us))
    return -(-(window.size.us + wait.us) // window.advance.us)


def entry_bytes(bound: AggregateBound, inputs: tuple[Relation, ...]) -> int:
    """Estimated bytes of keys and measures; for a sliding window, of a whole row."""
    if isinstance(bound.window, SlidingSpec):
        return row_bytes(bound, inputs)
    keys = sum(value_bytes(expression.type) for _, expression in bound.by)
    return keys + sum(map(measure_bytes, bound.measures))


def measure_bytes(measure: BoundMeasure) -> int:
    """Estimated bytes of what is kept of one measure."""
    return CONTAINER_BYTES if MEASURES[measure.function].holds_values else 16 + value_bytes(measure.type)


def stored_state(bound: AggregateBound, context: StateContext) -> StoredState:
    """The meaning of window, keys and the measures that Spark keeps: those that something reads, and every
    ``distinct``, which is always read to count results above its limit.

    The measures can be changed while the rest stays, but for sliding windows, which keep rows, and where
    ``change`` computes the aggregate and keeps more of it.
    """
    digests, upstream = context.digests, context.inputs[0]
    kept = _kept(bound, context.needed)
    by = [[digests.of_expression(upstream, e), type_text(e.type)] for _, e in bound.by]
    time = _time_of_order(bound, digests, upstream)
    measures = [_measure_meaning(digests, upstream, measure, time) for measure in kept]
    meaning = {
        "window": _window_meaning(bound),
        "slack": bound.slack.us if bound.window else None,
        "by": by,
        "measures": measures,
        **(context.clock(0) if bound.window else {}),
        **context.query_shape,
    }
    if isinstance(bound.window, SlidingSpec):
        meaning["stored"] = stored_row(context.relations[0], context.reads[0], digests.fields[upstream])
    read = {key for key, _ in by}
    for measure in measures:
        read.update(measure["arguments"], [measure["where"]] if measure["where"] else [])
    is_sliding = isinstance(bound.window, SlidingSpec)
    is_fixed = is_sliding or context.only_compared
    by_name = {kept.name: digest(meant) for kept, meant in zip(kept, measures, strict=True)}
    return StoredState(
        meaning, frozenset(read), None if is_fixed else by_name, could_update(bound), whole_rows=is_sliding
    )


def _kept(bound: AggregateBound, needed: frozenset[str]) -> list[BoundMeasure]:
    return [m for m in bound.measures if m.name in needed or m.function == "distinct"]


def state_read(bound: AggregateBound, read: RowsRead) -> StateRead:
    """Of the rows it reads keys, what the measures that Spark keeps read, and the expressions whose failures
    are counted; their identity where a measure's state holds it.
    """
    expressions = [e for _, e in bound.by]
    if not read.measures:
        return StateRead((RowsRead(expression_fields(expressions), identity=False, measures=False),))
    kept = _kept(bound, read.fields)
    counted = [m for m in bound.measures if any(e.failures for e in m.expressions)]
    expressions += [e for measure in (*kept, *counted) for e in measure.expressions]
    identity = any(MEASURES[measure.function].keeps_order for measure in kept)
    return StateRead((RowsRead(expression_fields(expressions), identity, measures=True),))


def could_update(bound: AggregateBound) -> bool:
    """True for final results of windows that could also be updated."""
    return bound.emit == "final" and isinstance(bound.window, WindowSpec | CalendarSpec)


def meanings(bound: AggregateBound, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:
    """A key means its expression; a measure means its definition with window, slack and keys; a time of the
    window means window and slack.
    """
    upstream = inputs[0]
    keys = [digests.of_expression(upstream, e) for _, e in bound.by]
    window = _window_meaning(bound)
    times = ("window_start", "window_end", "_time") if window else ()
    made = {name: digest([name, window, bound.slack.us]) for name in times}
    for (name, _), key in zip(bound.by, keys, strict=True):
        made[name] = key
    time = _time_of_order(bound, digests, upstream)
    for measure in bound.measures:
        part = _measure_meaning(digests, upstream, measure, time)
        made[measure.name] = digest([part, window, bound.slack.us, keys])
        digests.parents[made[measure.name]] = frozenset([*keys, *part["arguments"]])
    return made


def _window_meaning(bound: AggregateBound) -> Any:
    return bound.window.as_json() if bound.window else None


def _time_of_order(bound: AggregateBound, digests: FieldDigests, upstream: str) -> str | None:
    """The digest of the time by which measures order rows, where a join upstream chose it; with a window the
    clock is part of the whole state.
    """
    return None if bound.window else digests.chosen_time(upstream)


def _keeps_decimals(measure: BoundMeasure) -> bool:
    """Whether the state of an average has a decimal where earlier versions kept a double."""
    taken = measure.arguments[0].type if measure.function == "avg" else None
    return isinstance(taken, Decimal) and averages_wider(taken)


def _measure_meaning(
    digests: FieldDigests, upstream: str, measure: BoundMeasure, time: str | None
) -> dict[str, Any]:
    """What a measure's state means, apart from its name. `time`: as `_time_of_order` gives it."""
    keeps_order = MEASURES[measure.function].keeps_order
    layout = digests.layouts[upstream] if keeps_order else ()
    return {
        "function": measure.function,
        "arguments": [digests.of_expression(upstream, e) for e in measure.arguments],
        "options": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in measure.options.items()
        },
        "where": digests.of_expression(upstream, measure.where) if measure.where is not None else None,
        "type": type_text(measure.type),
        **({"kept": "decimal"} if _keeps_decimals(measure) else {}),
        **({"identity": layout} if layout else {}),
        **({"time": time} if keeps_order and time is not None else {}),
    }
