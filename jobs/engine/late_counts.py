"""How often a late row is counted: Spark tells a number per operator of a query, and a step may stand in several places."""

from collections import Counter

from jobs.operators import OPERATORS
from jobs.operators.late_rows import PORT
from jobs.plan import Plan


def late_counts(plan: Plan) -> int:
    """How often one query counts a late row at most: once for each way from a step to a group of outputs, because the step
    stands there once for each, and for a change in two windows: it puts each row into its own and the next one."""
    places = _places(plan)
    times = max((places[name] for name in _refusing(plan)), default=1)
    return max(times, 1) * (2 if any(node.op == "change" for node in plan.live_nodes) else 1)


def late_steps_shared(plan: Plan) -> bool:
    """True when a step that refuses late rows stands in several stages: Spark does not say which step has refused them."""
    return any(sum(name in stage.live for stage in plan.stages) > 1 for name in _refusing(plan))


def _refusing(plan: Plan) -> list[str]:
    """Names of the steps that refuse late rows."""
    return [node.name for node in plan.live_nodes if node.op in OPERATORS and OPERATORS[node.op].late(node.bound)]


def _places(plan: Plan) -> Counter[str]:
    """In how many places of the query each node stands; late rows run past their step."""
    read: Counter[str] = Counter(group.root for group in plan.groups)
    found: Counter[str] = Counter()
    for node in reversed(plan.live_nodes):  # what reads a node comes after it
        of_ports = {port: read[f"{node.name}.{port}"] for port in node.ports}
        past = of_ports[PORT] if PORT in node.ports and node.ports[PORT].late_rows else 0
        found[node.name] = read[node.name] + sum(of_ports.values()) - past
        for reference in node.inputs:
            read[reference] += found[node.name] + past
    return found
