"""A checked plan becomes one streaming frame: sources, then each node through its operator's lowering."""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from jobs.engine.operators import LOWERINGS
from jobs.engine.rows import Rows
from jobs.engine.sinks.kafka import result_records
from jobs.engine.sources.kafka import read_source
from jobs.operators import OPERATORS
from jobs.plan import Plan


@dataclass(frozen=True)
class LoweringError(Exception):
    """A node has no lowering: the check let through what the engine cannot do."""

    node: str
    operator: str

    def __str__(self) -> str:
        return f"step {self.node!r}: the engine has no lowering for {self.operator!r}"


def lower_plan(plan: Plan, raw: dict[str, DataFrame]) -> Rows:
    """The rows of the plan's output.

    Args:
        plan: without errors, with one output.
        raw: by source name, Kafka's own columns.

    Raises:
        LoweringError: an operator without lowering.
    """
    made: dict[str, Rows] = {}
    for node in plan.live_nodes:
        if node.op == "source":
            bound: Any = node.bound
            made[node.name] = read_source(node.name, raw[node.name], bound, node.output)
            continue
        lower = LOWERINGS.get(node.op)
        if lower is None:
            raise LoweringError(node.name, node.op)
        lowered = lower(node.name, node.bound, tuple(made[reference] for reference in node.inputs), node.output)
        flows = lowered if isinstance(lowered, dict) else {"": lowered}
        made.update({f"{node.name}.{port}" if port else node.name: rows for port, rows in flows.items()})
    return made[plan.outputs[0]]


def is_final(plan: Plan) -> bool:
    """True when the query's output mode is append: some step cannot stand in an update query."""
    steps = [node for node in plan.live_nodes if node.op in OPERATORS]
    return any("update" not in OPERATORS[node.op].output_modes(node.bound) for node in steps)


__all__ = ["LoweringError", "is_final", "lower_plan", "result_records"]
