"""How often Spark counts a late row: it reports a number per operator, and a query may contain a step several
times.
"""

from collections import Counter

from jobs.operators import OPERATORS
from jobs.operators.late_rows import PORT
from jobs.plan import Node, Plan


def late_row_factor(plan: Plan) -> int:
    """Upper bound of how often `numRowsDroppedByWatermark` counts one late row.

    A step occurs once per path to a group of outputs, and an operator may itself count a row more than once.
    """
    occurrences = _occurrences(plan)
    times = max((occurrences[name] for name in _dropping(plan)), default=1)
    operators = [OPERATORS[node.op] for node in plan.live_nodes if node.op in OPERATORS]
    return max(times, 1) * max((operator.late_row_factor for operator in operators), default=1)


def only_late_steps(plan: Plan) -> list[str]:
    """Names of the steps of which the query computes the late output alone, so that Spark drops no row."""
    occurrences = _occurrences(plan)
    return [node.name for node in plan.live_nodes if _has_late_port(node) and not occurrences[node.name]]


def late_steps_shared(plan: Plan) -> bool:
    """True when a step that drops late rows is part of several queries, which then count the same rows."""
    return any(sum(name in query.live for query in plan.queries) > 1 for name in _dropping(plan))


def _dropping(plan: Plan) -> list[str]:
    """Names of the steps that drop late rows."""
    return [
        node.name
        for node in plan.live_nodes
        if node.op in OPERATORS and OPERATORS[node.op].drops_late_rows(node.bound)
    ]


def _occurrences(plan: Plan) -> Counter[str]:
    """How often each node occurs in the query. Readers of a late output read the step's input instead of the
    step.
    """
    read: Counter[str] = Counter(group.root for group in plan.groups)
    found: Counter[str] = Counter()
    for node in reversed(plan.live_nodes):  # readers before what they read
        of_ports = {port: read[f"{node.name}.{port}"] for port in node.ports}
        bypass = of_ports[PORT] if _has_late_port(node) else 0
        found[node.name] = read[node.name] + sum(of_ports.values()) - bypass
        for reference in node.inputs:
            read[reference] += found[node.name] + bypass
    return found


def _has_late_port(node: Node) -> bool:
    return PORT in node.ports and node.ports[PORT].late_rows
