"""A step that no output reads: nothing changes."""

from random import Random
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.relations.variants import changed, document_of, edges, fresh, plan_of

STEPS: tuple[dict[str, Any], ...] = (
    {"op": "filter", "where": "false"},
    {
        "op": "aggregate",
        "window": {"tumbling": {"size": "1h"}},
        "measures": {"rows": "count()"},
        "emit": "final",
    },
    {"op": "aggregate", "window": "none", "measures": {"rows": "count()"}},
    {"op": "sample", "fraction": 0.5},
)


def step_unused(case: Case, random: Random) -> Case | None:
    """One beside those that are there."""
    document = document_of(case)
    name = fresh(document["steps"].keys() | document["sources"].keys(), "unused_step")
    reference = random.choice([reference for reference, _ in edges(document)])
    document["steps"] = {name: {**random.choice(STEPS), "input": reference}, **document["steps"]}
    return changed(case, document) if plan_of(document, case.contracts).ok else None
