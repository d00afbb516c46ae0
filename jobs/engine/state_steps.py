"""Which step each of Spark's stateful operators belongs to.

Progress lists stateful operators from the query's end to its sources, by kind and without names. The plan
says in which order they must stand there; a list that is another one is attributed to no step.
"""

from collections.abc import Mapping
from typing import Any, Final

from jobs.engine.operators import STATE_OPERATORS
from jobs.operators import OPERATORS
from jobs.operators.late_rows import PORT
from jobs.plan import Node, OutputGroup, Plan
from jobs.plan.model import SOURCE

PROCESSOR: Final = "transformWithStateExec"
_DEDUPLICATED: Final = "dedupe"
# In real-time mode Spark has operators of its own for some, under other names.
_IN_REAL_TIME: Final = {"StatefulStreamlineAggregate": "stateStoreSave"}


def state_steps(plan: Plan) -> list[tuple[str, str | None]]:
    """The stateful operators of a query, in the order of Spark's progress.

    Args:
        plan: the part of this query, without errors.

    Returns:
        Spark's name of each, and its step; None for one that drops repeated rows of an exchange.
    """
    (query,) = plan.queries
    return [one for group in query.groups for one in group_state_steps(plan, group)]


def group_state_steps(plan: Plan, group: OutputGroup) -> list[tuple[str, str | None]]:
    """Those of `state_steps` that compute one group of outputs."""
    (query,) = plan.queries
    return _above(plan, group.root, {exchange.reference for exchange in query.exchange_in})


def kind_of(operator: Mapping[str, Any]) -> str:
    """The name of a stateful operator in Spark's progress, the same in both modes."""
    name = str(operator.get("operatorName"))
    return _IN_REAL_TIME.get(name, name)


def _above(plan: Plan, reference: str, exchanged: set[str]) -> list[tuple[str, str | None]]:
    if reference in exchanged:
        return [(_DEDUPLICATED, None)]
    name, _, port = reference.partition(".")
    node = plan.node(name)
    if node.op == SOURCE:
        return []
    if port == PORT and node.ports[port].late_rows:
        return [(PROCESSOR, name), *_above(plan, node.inputs[0], exchanged)]
    own = [(kind, name) for kind in STATE_OPERATORS[node.op](node.bound)]
    return [*own, *(found for read in _read(plan, node) for found in _above(plan, read, exchanged))]


def _read(plan: Plan, node: Node) -> tuple[str, ...]:
    """The references whose rows the step's operator reads as streams."""
    operator = OPERATORS[node.op]
    if operator.computes_input:
        return plan.node(node.inputs[0]).inputs
    static = operator.static_inputs(node.bound)
    return tuple(name for at, name in enumerate(node.inputs) if at not in static)
