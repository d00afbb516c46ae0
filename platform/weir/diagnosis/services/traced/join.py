"""Which rows a join of two streams pairs."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from jobs.base.schemas import Field, Schema
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import (
    StepRows,
    UnknownRowsError,
    known_rows,
    require_room,
    row_condition,
)
from weir.diagnosis.services.traced.rows import (
    NOT_DECIDED,
    at_time,
    by_fields,
    identity_part,
    require_computed,
    trail_of,
)
from weir.diagnosis.services.trail import Doubt, Trail, joined


def joined_rows(
    plan: Plan, node: Node, inputs: list[StepRows], doubts: tuple[Doubt, ...]
) -> dict[str, StepRows]:
    """The pairs of a join, and the rows that found no partner where it gives them."""
    bound, (left, right) = node.bound, inputs
    assert isinstance(bound, JoinBound)
    require_computed([pair.left for pair in bound.on], left)
    require_computed([pair.right for pair in bound.on], right)
    names = {joined_name: field for field, joined_name in bound.names}
    uncomputed = left.uncomputed | {name for name, field in names.items() if field in right.uncomputed}
    meets, undecided = _pair_condition(plan, node, bound, uncomputed)
    doubts = (*doubts, *([Doubt(node.name, NOT_DECIDED)] if undecided else []))
    rights = by_fields([pair.right for pair in bound.on], known_rows(right))
    pairs: list[tuple[SampledRow, SampledRow, dict[str, Any]]] = []
    for row in known_rows(left):
        key = tuple(identity_part(row.values.get(pair.left)) for pair in bound.on)
        if None in key:
            continue
        for other in rights.get(key, ()):
            values = {**row.values, **{name: other.values.get(field) for name, field in names.items()}}
            if _in_bounds(bound, row, other) and meets(values):
                pairs.append((row, other, values))
                require_room(len(pairs))
    nothing = dict.fromkeys(node.output.schema.names)
    rows = _of_pairs(bound, pairs, known_rows(left), known_rows(right), nothing, doubts)
    return {node.name: StepRows(tuple(rows), uncomputed=frozenset(uncomputed))}


def _of_pairs(
    bound: JoinBound,
    pairs: list[tuple[SampledRow, SampledRow, dict[str, Any]]],
    left: tuple[SampledRow, ...],
    right: tuple[SampledRow, ...],
    nothing: Mapping[str, None],
    doubts: tuple[Doubt, ...],
) -> Iterable[SampledRow]:
    matched_left: dict[int, list[Trail]] = defaultdict(list)
    matched_right: set[int] = set()
    for row, other, values in pairs:
        matched_left[id(row)].append(trail_of(other))
        matched_right.add(id(other))
        if bound.type not in ONE_SIDED:
            identity = (trail_of(row).identity, trail_of(other).identity)
            trail = joined(identity, (trail_of(row), trail_of(other))).doubted(*doubts)
            yield at_time(values, _pair_time(bound, row, other), trail)
    yield from _one_sided(bound, matched_left, left, doubts)
    if bound.type in ("left", "full"):
        empty = dict.fromkeys(name for _, name in bound.names)
        for row in left:
            if id(row) not in matched_left:
                trail = replace(trail_of(row), identity=(trail_of(row).identity, None))
                yield at_time({**row.values, **empty}, row.time_us, trail.doubted(*doubts))
    if bound.type in ("right", "full"):
        for row in right:
            if id(row) not in matched_right:
                trail = replace(trail_of(row), identity=(None, trail_of(row).identity))
                values = {name: row.values.get(field) for field, name in bound.names}
                yield at_time({**nothing, **values}, row.time_us, trail.doubted(*doubts))


def _one_sided(
    bound: JoinBound,
    matched: Mapping[int, list[Trail]],
    left: tuple[SampledRow, ...],
    doubts: tuple[Doubt, ...],
) -> Iterable[SampledRow]:
    """Rows of semi and anti, which are left rows."""
    for row in left:
        others = matched.get(id(row), [])
        if (bound.type == "semi" and others) or (bound.type == "anti" and not others):
            own = trail_of(row)
            yield replace(row, trail=joined(own.identity, (own, *others)).doubted(*doubts))


def _pair_time(bound: JoinBound, left: SampledRow, right: SampledRow) -> int:
    match bound.time:
        case "left":
            return left.time_us
        case "right":
            return right.time_us
        case "later":
            return max(left.time_us, right.time_us)


def _in_bounds(bound: JoinBound, left: SampledRow, right: SampledRow) -> bool:
    if bound.before is None or bound.after is None:
        return True
    return -bound.before.us <= right.time_us - left.time_us <= bound.after.us


def _pair_condition(
    plan: Plan, node: Node, bound: JoinBound, uncomputed: Iterable[str]
) -> tuple[Callable[[Mapping[str, Any]], bool], bool]:
    """The condition of a pair, and whether it can't be computed here, so that every pair meets it."""
    if bound.where is None:
        return (lambda values: True), False  # noqa: ARG005
    left, right = (plan.relation(reference) for reference in node.inputs)
    of_right = {field.name: field for field in right.schema}
    fields = [Field(name, of_right[field].type, of_right[field].nullable) for field, name in bound.names]
    source = replace(left, schema=Schema((*left.schema.fields, *fields)), system=())
    try:
        holds = row_condition(bound.where, source, StepRows((), uncomputed=frozenset(uncomputed)))
    except UnknownRowsError:
        return (lambda values: True), True  # noqa: ARG005
    return (lambda values: holds(SampledRow(values, 0))), False
