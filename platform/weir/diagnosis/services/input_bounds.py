"""Which records of its sources can have made a row: by the row's identity and values, followed from step to
step. The bounds leave no record out that had a part in it; they may hold others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from jobs.base.instants import instant_of, instant_text, nearest_instant
from jobs.expressions import Expression
from jobs.expressions.spark_types import quoted
from jobs.formats.records import Row, json_value
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.change_bound import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.latest import LatestBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.union import UnionBound
from jobs.plan import Plan
from jobs.plan.model import Node, SourceBound
from weir.diagnosis.services.row_windows import bounds_before
from weir.diagnosis.services.trail import RecordPlace


@dataclass(frozen=True, slots=True)
class InputBounds:
    """Which records of one source may have made a row.

    Attributes:
        equal: fields of the contract and the values that they have, in the form of result rows.
        from_us: first event time; None: any.
        until_us: event time before which they are; None: any.
        record: the only record; None: any that meets the others.
        as_table: entries of a table that a stream was joined with.
    """

    equal: Mapping[str, Any]
    from_us: int | None = None
    until_us: int | None = None
    record: RecordPlace | None = None
    as_table: bool = False

    def holds(self, row: Row, partition: int, offset: int) -> bool:
        """Whether a record is within the bounds."""
        if self.record is not None:
            return (partition, offset) == self.record[1:]
        at = row.event_time
        if (self.from_us is not None and at < self.from_us) or (
            self.until_us is not None and at >= self.until_us
        ):
            return False
        return all(json_value(row.values.get(name)) == value for name, value in self.equal.items())


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is known of rows that are looked for: the identity of a single one, values, and event time."""

    identity: tuple[Any, ...] | None
    equal: Mapping[str, Any]
    from_us: int | None = None
    until_us: int | None = None
    as_table: bool = False


Found = Iterator[tuple[str, InputBounds]]


def input_bounds(
    plan: Plan, reference: str, identity: list[Any], values: Mapping[str, Any]
) -> dict[str, list[InputBounds]]:
    """The bounds of each source's records, one for each way from the source to the row; a source without any
    had no part in it.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port`` that gives the row.
        identity: of the row, its parts as JSON values.
        values: of the row, as JSON values.
    """
    found: dict[str, list[InputBounds]] = {}
    for source, bounds in _walk(plan, reference, _Asked(_tuple(identity), values)):
        found.setdefault(source, []).append(bounds)
    return found


def _tuple(part: Any) -> Any:
    return tuple(map(_tuple, part)) if isinstance(part, list) else part


def _walk(plan: Plan, reference: str, asked: _Asked) -> Found:
    name, _, port = reference.partition(".")
    node = plan.node(name)
    if isinstance(node.bound, SourceBound):
        yield from _of_source(node, node.bound, asked)
        return
    if port == PORT and node.ports[port].late_rows:
        known = {field: value for field, value in asked.equal.items() if field not in LATE_NAMES}
        yield from _walk(plan, node.inputs[0], replace(asked, equal=known))
        return
    for at, inner in _inputs(plan, node, asked):
        yield from _walk(plan, node.inputs[at], inner)


def _of_source(node: Node, bound: SourceBound, asked: _Asked) -> Found:
    contract, identity = bound.contract, asked.identity
    record = None
    equal = {name: value for name, value in asked.equal.items() if name in contract.schema_of_rows.names}
    if contract.kind == "table":
        # An entry that deletes has only its key, and older entries of the key may have had other values.
        equal = {name: value for name, value in equal.items() if name in contract.key}
        if identity is not None and len(identity) == len(contract.key):
            equal = dict(zip(contract.key, identity, strict=True))
    elif identity is not None:
        if len(identity) != len(RecordPlace._fields) or identity[0] != node.name:
            return
        record = RecordPlace(*identity)
    yield node.name, InputBounds(equal, asked.from_us, asked.until_us, record, asked.as_table)


def _inputs(plan: Plan, node: Node, asked: _Asked) -> Iterator[tuple[int, _Asked]]:
    """What is looked for in the inputs of a step."""
    match node.bound:
        case UnionBound() as bound:
            yield from _of_union(plan, node, bound, asked)
        case JoinBound() as bound:
            yield from _of_join(bound, asked)
        case TableJoinBound() as bound:
            yield from _of_table_join(plan, node, bound, asked)
        case _:
            yield 0, _only_input(node, asked)


def _only_input(node: Node, asked: _Asked) -> _Asked:
    """What is looked for in the input of a step that has just one."""
    match node.bound:
        case ProjectionBound() as bound:
            return replace(asked, equal=_unchanged(bound.columns, asked.equal))
        case ExplodeBound() | SplitBound() as bound:
            made = set(bound.made) if isinstance(bound, ExplodeBound) else {bound.as_}
            kept = {name: value for name, value in asked.equal.items() if name not in made}
            return replace(asked, equal=kept, identity=asked.identity and asked.identity[:-1])
        case AggregateBound() as bound:
            return _group(bound, asked)
        case ChangeBound() as bound:
            return _with_window_before(bound, asked)
        case DeduplicateBound() as bound:
            return _keyed(bound.by, asked, time_in_identity=True)
        case LatestBound() as bound:
            # The newest row may come after those that are looked for, and then they are not in the table.
            return replace(_keyed(bound.by, asked), from_us=None)
        case _:
            return asked


def _unchanged(columns: tuple[tuple[str, Expression], ...], equal: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the input's fields that a projection passes on, by their names there."""
    found = {}
    for name, expression in columns:
        field = _copied(expression)
        if field is not None and name in equal:
            found[field] = equal[name]
    return found


def _copied(expression: Expression) -> str | None:
    """The field that an expression just passes on."""
    return next((name for name in expression.fields if expression.canonical == quoted(name)), None)


def _of_union(plan: Plan, node: Node, bound: UnionBound, asked: _Asked) -> Iterator[tuple[int, _Asked]]:
    types = {field.name: field.type for field in bound.fields}
    for at, reference in enumerate(node.inputs):
        relation, identity = plan.relation(reference), asked.identity
        if bound.prefixed and identity is not None:
            if identity[0] != bound.names[at]:
                continue
            identity = identity[1:]
        elif identity is not None and identity[0] not in relation.sources:
            continue
        if bound.source_field and asked.equal.get(bound.source_field, bound.names[at]) != bound.names[at]:
            continue
        same = {
            field.name: asked.equal[field.name]
            for field in relation.schema
            if field.name in asked.equal and field.type == types.get(field.name)
        }
        yield at, replace(asked, equal=same, identity=identity)


def _group(bound: AggregateBound, asked: _Asked) -> _Asked:
    """The rows of a group, and the times of its window where that is known."""
    window, keys = _identity_parts(bound, asked)
    equal = {}
    for name, expression in bound.by:
        field = _copied(expression)
        if field is not None and name in keys:
            equal[field] = keys[name]
    if bound.window is None:
        return _Asked(None, equal, None, None)
    start, end = window if window is not None else (None, None)
    return _Asked(None, equal, start, end)


def _identity_parts(bound: AggregateBound, asked: _Asked) -> tuple[tuple[int, int] | None, dict[str, Any]]:
    """Window and keys of the group of a row, by its identity or by its values."""
    names = [name for name, _ in bound.by]
    keys = {name: asked.equal[name] for name in names if name in asked.equal}
    bounds = (asked.equal.get("window_start"), asked.equal.get("window_end"))
    if asked.identity is not None:
        width = 0 if bound.window is None else 2
        keys = dict(zip(names, asked.identity[width:], strict=False))
        bounds = (asked.identity[0], asked.identity[1]) if width else (None, None)
    start, end = bounds
    if not isinstance(start, str) or not isinstance(end, str):
        return None, keys
    start_us, end_us = _us(start), _us(end)
    return None if start_us is None or end_us is None else (start_us, end_us), keys


def _us(text: str) -> int | None:
    """None: the window ends after the year 9999, which an engine writes with a sign."""
    return None if text.startswith("+") else instant_of(datetime.fromisoformat(text))


def _with_window_before(bound: ChangeBound, asked: _Asked) -> _Asked:
    """The rows of an aggregate in the same window and in the one before."""
    window, keys = _identity_parts(bound.of, asked)
    assert bound.of.window is not None
    before = None if window is None else bounds_before(bound.of.window, window)
    if window is None or before is None:
        return _Asked(None, keys)
    # The aggregate's window bounds are what narrows its own input; both windows stand for one here.
    return _Asked(None, {**keys, "window_start": _text(before[0]), "window_end": _text(window[1])})


def _text(us: int) -> str:
    return instant_text(nearest_instant(us))


def _keyed(by: tuple[str, ...], asked: _Asked, *, time_in_identity: bool = False) -> _Asked:
    """Rows of a key: their other values may differ from those of the row that stayed."""
    equal = {name: asked.equal[name] for name in by if name in asked.equal}
    start, end = asked.from_us, asked.until_us
    if asked.identity is not None:
        equal = dict(zip(by, asked.identity, strict=False))
        if time_in_identity:
            start = _us(asked.identity[len(by)])
            end = _moved(start, 1)
    return _Asked(None, equal, start, end, asked.as_table)


def _of_join(bound: JoinBound, asked: _Asked) -> Iterator[tuple[int, _Asked]]:
    one_sided = bound.type in ONE_SIDED
    of_right = {} if one_sided else {name: field for field, name in bound.names}
    # A null on a side that may be missing says nothing of its rows.
    left = {
        name: value
        for name, value in asked.equal.items()
        if name not in of_right and (value is not None or bound.type not in ("right", "full"))
    }
    right = {
        field: asked.equal[name]
        for name, field in of_right.items()
        if name in asked.equal and (asked.equal[name] is not None or bound.type not in ("left", "full"))
    }
    identities: tuple[Any, Any] = (None, None)
    if asked.identity is not None:
        identities = (asked.identity, None) if one_sided else (asked.identity[0], asked.identity[1])
    unmatched = asked.identity is not None and not one_sided
    times = _side_times(bound, asked)
    if not unmatched or identities[0] is not None:
        met = {pair.left: right[pair.right] for pair in bound.on if right.get(pair.right) is not None}
        known = left if identities[1] is None or not unmatched else {**met, **left}
        yield 0, _Asked(identities[0], known if unmatched or one_sided else {**met, **left}, *times[0])
    if bound.type == "anti":
        # Its rows are those without a right row; that there is none is decided by all that the bounds hold.
        yield 1, _Asked(None, _across(bound, left), *times[1])
        return
    if not unmatched or identities[1] is not None:
        across = {} if unmatched and identities[0] is None else _across(bound, left)
        yield 1, _Asked(identities[1], {**across, **right}, *times[1])


def _across(bound: JoinBound | TableJoinBound, left: Mapping[str, Any]) -> dict[str, Any]:
    return {pair.right: left[pair.left] for pair in bound.on if left.get(pair.left) is not None}


def _side_times(
    bound: JoinBound, asked: _Asked
) -> tuple[tuple[int | None, int | None], tuple[int | None, int | None]]:
    """The times of the left and of the right row of pairs whose time is in a range."""
    start, end = asked.from_us, asked.until_us
    time = "left" if bound.type in ONE_SIDED else bound.time
    if bound.before is None or bound.after is None:
        return (
            (start if time == "left" else None, end if time != "right" else None),
            (start if time == "right" else None, end if time != "left" else None),
        )
    before, after = bound.before.us, bound.after.us
    # A row without a match has its own time, whatever `time` says.
    own = (start, end)
    to_right = (_moved(start, -before), _moved(end, after))
    to_left = (_moved(start, -after), _moved(end, before))
    if time == "left":
        return own, _wider(own, to_right)
    if time == "right":
        return _wider(own, to_left), own
    return (_wider(own, to_left)[0], end), (_wider(own, to_right)[0], end)


def _wider(
    one: tuple[int | None, int | None], other: tuple[int | None, int | None]
) -> tuple[int | None, int | None]:
    start = None if one[0] is None or other[0] is None else min(one[0], other[0])
    end = None if one[1] is None or other[1] is None else max(one[1], other[1])
    return start, end


def _moved(at: int | None, by: int) -> int | None:
    return None if at is None else at + by


def _of_table_join(
    plan: Plan, node: Node, bound: TableJoinBound, asked: _Asked
) -> Iterator[tuple[int, _Asked]]:
    of_table = {name for _, name in bound.names}
    left = {name: value for name, value in asked.equal.items() if name not in of_table}
    identity = asked.identity
    if identity is not None:
        more = len(node.output.index_types) - len(plan.relation(node.inputs[0]).index_types)
        # The key of the table's entry comes last, where there is one.
        if more and len(identity) > _width(plan, node.inputs[0]):
            identity = identity[:-more]
    yield 0, replace(asked, equal=left, identity=identity)
    until = asked.until_us if bound.version == "as_of" else None
    yield 1, _Asked(None, _across(bound, left), None, until, as_table=True)


def _width(plan: Plan, reference: str) -> int:
    """The number of parts of an identity at a reference."""
    return len(plan.relation(reference).identity_parts)
