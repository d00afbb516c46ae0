"""Short ways to plan a document in a test."""

from collections.abc import Mapping
from typing import Any

from jobs.base.problems import Problem
from jobs.formats.contract import StreamContract
from jobs.plan import Plan, PlanningContext, plan_job

FIELDS = {
    "k": "string",
    "x": "int",
    "big": "long",
    "y": "double",
    "price": "decimal(10,2)",
    "flag": "boolean",
    "at": "timestamp",
    "tags": "array<string>",
    "id": "string!",
    "n": "int!",
}


def contract(
    fields: Mapping[str, str] = FIELDS, paths: Mapping[str, Any] | None = None, **more: Any
) -> StreamContract:
    """A contract of fields; a type that ends in ! is not null. `paths`: where some fields are read from."""
    rows = [
        {
            "name": name,
            "type": type_.rstrip("!"),
            "nullable": not type_.endswith("!"),
            "path": (paths or {}).get(name),
        }
        for name, type_ in fields.items()
    ]
    return StreamContract.model_validate({"fields": rows, **more})


def document(steps: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A document over the stream s whose output is the last step."""
    return {
        "format": 1,
        "name": "test",
        "sources": {"s": {"stream": "s"}},
        "steps": dict(steps),
        "outputs": {"out": {"input": list(steps)[-1] if steps else "s", "to": "result"}},
        **more,
    }


def planned(
    steps: Mapping[str, Any],
    context: PlanningContext | None = None,
    fields: Mapping[str, str] = FIELDS,
    **more: Any,
) -> Plan:
    """The plan of such a document."""
    return plan_job(document(steps, **more), {"s": contract(fields)}, context or PlanningContext())


def step_plan(**step: Any) -> Plan:
    """The plan of one step over s."""
    return planned({"step": {"input": "s", **step}})


def found(plan: Plan) -> list[tuple[str, str]]:
    """Code and dotted path of every problem."""
    return [(problem.code, ".".join(problem.path)) for problem in plan.problems]


def only(plan: Plan) -> Problem:
    """The one problem of a plan."""
    assert len(plan.problems) == 1, found(plan)
    return plan.problems[0]


def schema(plan: Plan, name: str = "step") -> dict[str, str]:
    """The fields of a node's output; types that are not null end in !."""
    return {
        row["name"]: row["type"] + ("" if row["nullable"] else "!")
        for row in plan.node(name).output.schema.as_json()
    }
