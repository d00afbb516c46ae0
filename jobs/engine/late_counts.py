"""How often a late row is counted: Spark tells a number per operator of a query, and a step may stand in several places."""

from jobs.operators import OPERATORS
from jobs.operators.late_rows import PORT
from jobs.plan import Plan


def late_counts(plan: Plan) -> int:
    """How often one query counts a late row at most: once for each group of outputs below a step, which then stands there
    several times, and for a change in two windows: it puts each row into its own and the next one."""
    computed = [_computed(plan, group.root) for group in plan.groups]
    times = max((sum(name in steps for steps in computed) for name in _refusing(plan)), default=1)
    return max(times, 1) * (2 if any(node.op == "change" for node in plan.live_nodes) else 1)


def late_steps_shared(plan: Plan) -> bool:
    """True when a step that refuses late rows stands in several stages: Spark does not say which step has refused them."""
    return any(sum(name in stage.live for stage in plan.stages) > 1 for name in _refusing(plan))


def _refusing(plan: Plan) -> list[str]:
    """Names of the steps that refuse late rows."""
    return [node.name for node in plan.live_nodes if node.op in OPERATORS and OPERATORS[node.op].late(node.bound)]


def _computed(plan: Plan, root: str) -> frozenset[str]:
    """The nodes that stand in the query for a reference; late rows run past their step."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        name, _, port = waiting.pop().partition(".")
        if name not in plan.live:  # another stage computes it
            continue
        waiting += plan.node(name).inputs
        if port != PORT:
            found.add(name)
    return frozenset(found)
