"""Whether rows can reach a place when some sources or steps give none, and what counted rows prove of the
places before.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from jobs.plan import Plan
from jobs.plan.model import Node
from jobs.plan.row_counts import references
from weir.diagnosis.services.evidence import StepFacts

_BOTH = ("inner", "semi")
_LEFT = ("left", "anti")
_SELECTING = ("filter", "branch")


def gives_rows(plan: Plan, reference: str, silent: AbstractSet[str]) -> bool:
    """Whether a reference can give rows.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port``.
        silent: references that give none.
    """
    return reference not in silent and reference.partition(".")[0] in _giving(plan, silent)


def rows_passed(plan: Plan, given: Mapping[str, float], steps: Mapping[str, StepFacts]) -> frozenset[str]:
    """References that have given rows: those that were counted, and all without which these had none.

    Args:
        plan: without errors.
        given: rows by reference, counted or per second; tombstones prove nothing of a step that selects rows.
        steps: what is known of steps: one that keeps or dropped rows has got some.
    """
    live = {node.name: node for node in plan.live_nodes}
    counted = {reference for reference, rows in given.items() if rows > 0}
    counted &= {reference for node in live.values() for reference in references(node)}
    # A named output beside a step's own one, such as its late rows, shows that the step has got rows.
    beside = {one for one in counted if "." in one and not live[one.partition(".")[0]].only_ports}
    reached = {name for name, step in steps.items() if step.state_rows or step.late or step.keyless}
    reached = (reached | {one.partition(".")[0] for one in beside}) & live.keys()
    reading = [live[name].inputs for name in reached if live[name].inputs]
    return frozenset(
        reference
        for node in live.values()
        for reference in (node.name, *sorted(references(node)))
        if not _selects_changes(plan, node)
        and (reference in beside or _is_needed(plan, reference, counted - beside, reading))
    )


def _selects_changes(plan: Plan, node: Node) -> bool:
    """Rows that a changelog no longer has leave such a step as tombstones, whether they had passed or not."""
    return node.op in _SELECTING and plan.relation(node.inputs[0]).kind != "append"


def _is_needed(plan: Plan, reference: str, counted: AbstractSet[str], reading: list[tuple[str, ...]]) -> bool:
    """Whether one of the references that gave rows, or of those that were read together, would have had none
    without it.
    """
    giving = _giving(plan, {reference})

    def gives(other: str) -> bool:
        return other != reference and other.partition(".")[0] in giving

    return not all(map(gives, counted)) or not all(any(map(gives, inputs)) for inputs in reading)


def _giving(plan: Plan, silent: AbstractSet[str]) -> set[str]:
    """The nodes that can give rows; each comes after its inputs."""
    found: set[str] = set()
    for node in plan.live_nodes:
        given = [one not in silent and one.partition(".")[0] in found for one in node.inputs]
        if node.name not in silent and (not node.inputs or _passes(node, given)):
            found.add(node.name)
    return found


def _passes(node: Node, given: list[bool]) -> bool:
    if node.op == "union":
        return any(given)
    if node.op not in ("join", "table_join"):
        return given[0]
    kind = getattr(node.bound, "type", "inner")
    if kind in _BOTH:
        return all(given)
    if kind in _LEFT:
        return given[0]
    return given[1] if kind == "right" else any(given)
