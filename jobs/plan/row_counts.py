"""How many rows each node of a query gives: what must be counted, and what follows from other counts.

Counting costs processor time per row, so only steps with state are counted, whose own work is far greater,
and only where their number follows from nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.operators import OPERATORS
from jobs.plan.model import SOURCE, Node, Plan
from jobs.plan.queries import OutputGroup


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Of the part of a plan that one query computes. References are ``node`` or ``node.port``.

    Attributes:
        counted: references that need a count of their own.
        packed: by root of a group of several outputs behind a step with state, the references that are
            computed in its pass: they get one count together.
        written: the reference whose rows are all that the query writes; None where there are several.
    """

    counted: frozenset[str]
    packed: Mapping[str, tuple[str, ...]]
    written: str | None


def row_counts(plan: Plan, known: frozenset[str] = frozenset()) -> RowCounts:
    """What has to be counted.

    Steps without state get no count of their own, which would take some 4% of the processor time that a row
    takes there (`docs/decisions/2026-11-25-rows-by-step.md`): where nothing tells their rows, these are
    unknown.

    Args:
        plan: the part of one query, without errors.
        known: references that are counted anyway.
    """
    (query,) = plan.queries
    packed = {
        group.root: group_references(plan, group)
        for group in query.groups
        if len(group.sinks) > 1 and _is_behind_state(plan, group.root)
    }
    alone = query.sinks[0].reference if len(query.sinks) == 1 and not query.exchange_out else None
    found = {name for name in plan.streaming if plan.node(name).op == SOURCE} | known
    found |= set(packed) | {reference for made in packed.values() for reference in made}
    if alone is not None:
        found.add(alone)
    counted: set[str] = set()
    for node in _steps(plan):
        if OPERATORS[node.op].stateful:
            unknown = references(node) - _following(plan, found)
            counted |= unknown
            found |= unknown
    return RowCounts(frozenset(counted), packed, alone)


def rows_of(plan: Plan, counted: Mapping[str, int]) -> dict[str, int]:
    """The rows of every reference that are known.

    Args:
        plan: the part of one query, without errors.
        counted: rows by reference, as far as they were counted.

    Returns:
        Rows, and tombstones of a changelog, by reference. One that is missing is unknown.
    """
    found = dict(counted)
    for node in reversed(_steps(plan)):  # readers before what they read
        if _keeps_rows(node) and len(node.inputs) == 1 and node.name in found:
            found.setdefault(node.inputs[0], found[node.name])
    for node in _steps(plan):
        inputs = [found.get(name) for name in node.inputs]
        known = [rows for rows in inputs if rows is not None]
        if _keeps_rows(node) and len(known) == len(inputs):
            found.setdefault(node.name, sum(known))
    return found


def group_references(plan: Plan, group: OutputGroup) -> tuple[str, ...]:
    """The references that are computed in the pass of a group of several outputs, in order."""
    return tuple(reference for name in group.steps for reference in sorted(references(plan.node(name))))


def references(node: Node) -> frozenset[str]:
    """The references of a node: its own, unless it has only named outputs, and those of its named outputs."""
    own = () if node.only_ports else (node.name,)
    return frozenset((*own, *(f"{node.name}.{port}" for port in node.ports)))


def _following(plan: Plan, known: set[str]) -> set[str]:
    """What is known once these references are."""
    return set(rows_of(plan, dict.fromkeys(known, 0)))


def _steps(plan: Plan) -> list[Node]:
    return [node for node in plan.live_nodes if node.name in plan.streaming and node.op != SOURCE]


def _is_behind_state(plan: Plan, reference: str) -> bool:
    upstream = (plan.node(name) for name in plan.upstream_of(reference))
    return any(node.op != SOURCE and OPERATORS[node.op].stateful for node in upstream)


def _keeps_rows(node: Node) -> bool:
    return OPERATORS[node.op].keeps_rows
