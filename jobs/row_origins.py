"""The source columns that decide which rows an output has: what filters and branches ask, keys of groups and
joins, and the time of windows.
"""

from collections.abc import Iterator
from functools import singledispatch
from typing import Literal

from jobs.expressions import Expression
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.branch import BranchBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter_bound import FilterBound
from jobs.operators.join_bound import JoinBound
from jobs.operators.late_rows import PORT
from jobs.operators.latest import LatestBound
from jobs.operators.lineage import NOTHING, TIME
from jobs.operators.split import SplitBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.throttle import ThrottleBound
from jobs.plan.model import Plan

Indirect = Literal["FILTER", "GROUP_BY", "JOIN", "WINDOW"]

Deciding = Iterator[tuple[Indirect, int, frozenset[str]]]
"""How, of which input, and which of its fields."""


def row_origins(plan: Plan, reference: str) -> dict[str, frozenset[Indirect]]:
    """By source column, as ``source.field``, how it decides which rows flow out of a node or port.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port``.
    """
    found: dict[str, set[Indirect]] = {}
    nodes = {node.name: node for node in plan.live_nodes}
    seen, waiting = {reference}, [reference]
    while waiting:
        name, _, port = waiting.pop().partition(".")
        node = nodes[name]
        late = port == PORT and node.ports[port].late_rows
        for how, at, fields in _late() if late else _deciding(node.bound, port):
            for field in fields:
                for source in plan.lineage[node.inputs[at]].get(field, NOTHING):
                    found.setdefault(source, set()).add(how)
        waiting += [one for one in node.inputs if one not in seen]
        seen.update(node.inputs)
    return {source: frozenset(kinds) for source, kinds in found.items()}


def _late() -> Deciding:
    yield "FILTER", 0, frozenset((TIME,))


@singledispatch
def _deciding(bound: object, port: str) -> Deciding:  # noqa: ARG001
    """What a step asks of its inputs for the rows of a port, or of its own where that is empty."""
    yield from ()


@_deciding.register
def _(bound: FilterBound, port: str) -> Deciding:  # noqa: ARG001
    yield "FILTER", 0, bound.where.fields


@_deciding.register
def _(bound: BranchBound, port: str) -> Deciding:
    for name, condition in bound.branches:
        # Of several that match, the first takes a row: a later one depends on those before it.
        if bound.first or name == port or port == bound.rest:
            yield "FILTER", 0, condition.fields
        if name == port:
            return


@_deciding.register(ExplodeBound)
@_deciding.register(SplitBound)
def _(bound: ExplodeBound | SplitBound, port: str) -> Deciding:  # noqa: ARG001
    yield "FILTER", 0, frozenset((bound.field,))


@_deciding.register
def _(bound: AggregateBound, port: str) -> Deciding:  # noqa: ARG001
    yield "GROUP_BY", 0, NOTHING.union(*(key.fields for _, key in bound.by))
    if bound.window is not None:
        yield "WINDOW", 0, frozenset((TIME,))


@_deciding.register
def _(bound: DeduplicateBound, port: str) -> Deciding:  # noqa: ARG001
    yield "GROUP_BY", 0, frozenset(bound.by)
    yield "GROUP_BY" if bound.within is None else "WINDOW", 0, frozenset((TIME,))


@_deciding.register
def _(bound: ThrottleBound, port: str) -> Deciding:  # noqa: ARG001
    yield "GROUP_BY", 0, frozenset(bound.by)
    yield "WINDOW", 0, frozenset((TIME,))


@_deciding.register
def _(bound: LatestBound, port: str) -> Deciding:  # noqa: ARG001
    yield "GROUP_BY", 0, frozenset(bound.by)
    if bound.delete_when is not None:
        yield "FILTER", 0, bound.delete_when.fields


@_deciding.register
def _(bound: JoinBound, port: str) -> Deciding:  # noqa: ARG001
    yield from _keys(bound)
    if bound.before is not None:
        yield from _both_times()
    if bound.where is not None:
        yield from _condition(bound, bound.where)


@_deciding.register
def _(bound: TableJoinBound, port: str) -> Deciding:  # noqa: ARG001
    yield from _keys(bound)
    if bound.version == "as_of":
        yield from _both_times()


def _keys(bound: JoinBound | TableJoinBound) -> Deciding:
    yield "JOIN", 0, frozenset(pair.left for pair in bound.on)
    yield "JOIN", 1, frozenset(pair.right for pair in bound.on)


def _both_times() -> Deciding:
    yield "JOIN", 0, frozenset((TIME,))
    yield "JOIN", 1, frozenset((TIME,))


def _condition(bound: JoinBound, where: Expression) -> Deciding:
    """The condition names fields of the pair: those of the right side by their names there."""
    right = {joined: field for field, joined in bound.names}
    yield "JOIN", 0, where.fields - right.keys()
    yield "JOIN", 1, frozenset(right[name] for name in where.fields & right.keys())
