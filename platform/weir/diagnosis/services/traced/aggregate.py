"""Which rows an aggregate puts into a group and window."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.instants import datetime_of, instant_text, nearest_instant
from jobs.operators.aggregate_bound import AggregateBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.row_windows import Bounds, memberships, windows_of
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import (
    NOT_COMPUTED,
    StepRows,
    UnknownRowsError,
    known_rows,
    require_room,
    row_column,
)
from weir.diagnosis.services.traced.rows import at_time, identity_part, trail_of
from weir.diagnosis.services.trail import Doubt, Trail, grouped

_MAX_MEMBERSHIPS: Final = 200_000


def grouped_rows(
    plan: Plan, node: Node, inputs: list[StepRows], doubts: tuple[Doubt, ...]
) -> dict[str, StepRows]:
    """A row of each group and window, without its measures."""
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, AggregateBound)
    source = plan.relation(node.inputs[0])
    columns: list[Callable[[Mapping[str, Any]], Any]] = []
    for _, key in bound.by:
        column = None if key.fields & given.uncomputed else row_column(key, source)
        if column is None:
            raise UnknownRowsError(NOT_COMPUTED)
        columns.append(column)
    groups: dict[tuple[Any, ...], tuple[tuple[Any, ...], list[SampledRow]]] = {}
    for row in known_rows(given):
        values = tuple(column(row.values) for column in columns)
        groups.setdefault(tuple(map(identity_part, values)), (values, []))[1].append(row)
    names = [name for name, _ in bound.by]
    rows: list[SampledRow] = []
    held = 0
    for identity, (values, members) in groups.items():
        keys = dict(zip(names, values, strict=True))
        times = [row.time_us for row in members]
        held += memberships(bound.window, times)
        if held > _MAX_MEMBERSHIPS:  # each window keeps the records of its rows
            raise UnknownRowsError("its windows hold too many rows of the sample")
        windows = _windows(bound, times)
        require_room(len(rows) + len(windows))
        for window, indexes in windows.items():
            trails = [trail_of(members[index]) for index in indexes]
            rows.append(_group_row(window, identity, keys, trails, doubts))
    measured = frozenset(measure.name for measure in bound.measures)
    return {node.name: StepRows(tuple(rows), uncomputed=measured)}


def _windows(bound: AggregateBound, times: list[int]) -> Mapping[Bounds | None, list[int]]:
    """The windows of a group and the indexes of their rows; None for the one that holds all."""
    if bound.window is None:
        return {None: list(range(len(times)))}
    return {window: indexes for window, indexes in windows_of(bound.window, times).items()}


def _group_row(
    window: Bounds | None,
    identity: tuple[Any, ...],
    keys: Mapping[str, Any],
    trails: list[Trail],
    doubts: tuple[Doubt, ...],
) -> SampledRow:
    if window is None:
        return SampledRow(keys, 0, grouped(identity, trails, *doubts))
    start, end = window
    first, last = nearest_instant(start), nearest_instant(end)
    values = {"window_start": datetime_of(first), "window_end": datetime_of(last), **keys}
    whole = (instant_text(first), instant_text(last), *identity)
    return at_time(values, end - 1, grouped(whole, trails, *doubts))
