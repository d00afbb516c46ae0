"""Whether rows can reach the result when some sources or steps give none."""

from collections.abc import Set as AbstractSet

from jobs.plan import Plan
from jobs.plan.model import Node

_BOTH = ("inner", "semi")
_LEFT = ("left", "anti")


def gives_rows(plan: Plan, reference: str, silent: AbstractSet[str]) -> bool:
    """Whether a reference can give rows.

    Args:
        plan: without errors.
        reference: ``node`` or ``node.port``.
        silent: references that give none.
    """
    name = reference.partition(".")[0]
    if reference in silent or name in silent:
        return False
    node = plan.node(name)
    return not node.inputs or _passes(node, [gives_rows(plan, given, silent) for given in node.inputs])


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
