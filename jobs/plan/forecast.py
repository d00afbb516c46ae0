"""Forecast of a job's state: for each step whether it is bounded, and its size at given rates and numbers of
keys.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.durations import ZERO
from jobs.operators import OPERATORS
from jobs.operators.forecasts import InputRate, total
from jobs.operators.late_rows import PORT
from jobs.operators.requirements import StateBound
from jobs.plan.model import SOURCE, Node, Plan, SourceBound

ENTRY_BYTES: Final = 90
"""Of a state entry beside its values: key, row header and what RocksDB keeps for it."""


@dataclass(frozen=True, slots=True)
class StateForecast:
    """The state of a step.

    Attributes:
        step: its name.
        bound: whether the state is bounded, and why.
        rows: entries in the steady state; of unbounded state with unknown keys, those added per day. None:
            rate or keys unknown.
        size: bytes of these entries.
    """

    step: str
    bound: StateBound
    rows: int | None
    size: int | None

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
        return {
            "step": self.step,
            "bound": self.bound.kind,
            "why": self.bound.why,
            "rows": self.rows,
            "bytes": self.size,
        }


def forecast(plan: Plan, rates: Mapping[str, float], keys: Mapping[str, int]) -> list[StateForecast]:
    """The state of every live stateful step that a query computes.

    Args:
        plan: without errors.
        rates: records per second by source; steps downstream of a missing source have an unknown rate.
        keys: number of distinct keys by step, where known; otherwise every row may have a key of its own.

    Returns:
        Forecasts in the order of the plan; a step that is part of several queries has the sum. Filters are
        assumed to pass every row, so entries are upper bounds for the given rates and keys; bytes are
        estimated from field types.
    """
    arriving, copies = _arriving(plan, rates), _copies(plan)
    sources = [node.bound for node in plan.live_nodes if isinstance(node.bound, SourceBound)]
    delay = max((source.contract.delay_duration for source in sources), default=ZERO)
    return [
        _forecast_step(
            plan,
            node,
            copies[node.name],
            InputRate(total(*arriving[node.name]), keys.get(node.name), delay, tuple(arriving[node.name])),
        )
        for node in plan.live_nodes
        if node.state.kind != "none" and copies[node.name]
    ]


def _arriving(plan: Plan, rates: Mapping[str, float]) -> dict[str, list[float | None]]:
    """Rows per second into each live step, by input; None: unknown."""
    arriving: dict[str, list[float | None]] = {}
    leaving: dict[str, float | None] = {}
    for node in plan.live_nodes:
        if node.op == SOURCE:
            leaving[node.name] = rates.get(node.name)
            continue
        arriving[node.name] = [leaving[reference.partition(".")[0]] for reference in node.inputs]
        rate = total(*arriving[node.name])
        leaving[node.name] = None if rate is None else rate * OPERATORS[node.op].rows_out(node.bound)
    return arriving


def _forecast_step(plan: Plan, node: Node, copies: int, given: InputRate) -> StateForecast:
    operator = OPERATORS[node.op]
    entries = operator.state_entries(node.bound, given)
    if entries is None:
        return StateForecast(node.name, node.state, None, None)
    rows = entries * copies
    inputs = tuple(plan.relation(reference) for reference in node.inputs)
    size = rows * (ENTRY_BYTES + operator.entry_bytes(node.bound, inputs))
    return StateForecast(node.name, node.state, rows, size)


def _copies(plan: Plan) -> Counter[str]:
    """How many copies of each step's state there are: one for each query and group of outputs that computes
    the step.
    """
    parts = [plan.for_query(query) for query in plan.queries]
    return Counter(name for part in parts for group in part.groups for name in _computed(part, group.root))


def _computed(plan: Plan, root: str) -> frozenset[str]:
    """The nodes that a query computes for a reference. It needs no aggregate for `change`, which computes the
    aggregate itself, and no step for its late output.
    """
    found: set[str] = set()
    waiting = [root]
    while waiting:
        name, _, port = waiting.pop().partition(".")
        if name in found or name not in plan.live:
            continue
        node = plan.node(name)
        if port == PORT and node.ports[port].late_rows:
            waiting += node.inputs
            continue
        found.add(name)
        is_compared = node.op != SOURCE and OPERATORS[node.op].computes_input
        waiting += plan.node(node.inputs[0]).inputs if is_compared else node.inputs
    return frozenset(found)
