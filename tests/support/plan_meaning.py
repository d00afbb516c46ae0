"""What of a plan is the job's meaning, for tests that compare two documents."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from jobs.expressions import Expression
from jobs.plan import Plan


def meaning(plan: Plan) -> dict[str, Any]:
    """What of a plan may not change; the order of nodes may."""
    nodes = {
        node.name: (node.op, node.inputs, unwritten(node.bound), unwritten(node.output), node.ports)
        for node in plan.nodes
    }
    sinks = [(sink.name, sink.reference) for sink in plan.sinks]
    return {"nodes": nodes, "fingerprint": plan.fingerprint, "mode": plan.mode, "sinks": sinks}


def unwritten(value: Any) -> Any:
    """A bound form without the texts that its expressions were read from: `x` in backticks is x."""
    if isinstance(value, Expression):
        return (value.canonical, value.type, value.nullable)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [unwritten(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        return {name: unwritten(part) for name, part in value.items()}
    return [unwritten(part) for part in value] if isinstance(value, tuple | list) else value
