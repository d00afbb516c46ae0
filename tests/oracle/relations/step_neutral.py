"""A step without effect, between two others or before an output.

Not before a union, whose input names are data.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from jobs.base.types import type_text
from jobs.operators.relation import Relation as Rows
from tests.oracle.cases import Case
from tests.oracle.relations.variants import Document, changed, document_of, edges, fresh, plan_of

Steps = list[dict[str, Any]]


def all_selected(case: Case, random: Random) -> Case | None:
    """`select` of all fields."""
    return _between(case, random, lambda rows: [{"op": "select", "fields": list(rows.schema.names)}])


def all_filtered(case: Case, random: Random) -> Case | None:
    """A filter that every row passes."""
    return _between(
        case,
        random,
        lambda rows: [{"op": "filter", "where": random.choice(["true", "1 = 1", "_time is not null"])}],
    )


def renamed_and_back(case: Case, random: Random) -> Case | None:
    """One field gets another name and then its own again, or two change their names twice."""

    def steps(rows: Rows) -> Steps:
        names = list(rows.schema.names)
        one, other = random.choice(names), random.choice([*names, fresh(names, "other")])
        there = {one: other, other: one} if other in names and one != other else {one: fresh(names, "other")}
        return [
            {"op": "rename", "fields": there},
            {"op": "rename", "fields": {new: old for old, new in there.items()}},
        ]

    return _between(case, random, steps)


def united_with_nothing(case: Case, random: Random) -> Case | None:
    """A union with a stream that has no record.

    The watermark must not wait for it: it is the greatest, over one source that has one.

    Late rows, and rows whose identity does not begin with a source's name, get the name of the union's input
    before it: for those it does not hold.
    """
    document = document_of(case)
    plan = plan_of(document, case.contracts)
    marked = {node.name for node in plan.live_nodes if node.op == "source" and _moves(node.bound)}
    by_max = document.get("settings", {}).get("watermark") == "max"
    if len(plan.queries) > 1 or not (by_max or len(marked) == 1):
        return None
    source, registered = (
        fresh(document["sources"].keys() | document["steps"].keys(), "nothing"),
        fresh(case.contracts, "nothing"),
    )
    document["sources"][source] = {"stream": registered}
    document["settings"] = {**document.get("settings", {}), "watermark": "max"}

    def steps(rows: Rows) -> Steps:
        if rows.identity_kind != "row" or rows.late_rows:
            return []
        return [{"op": "union", "inputs": [None, source], "mode": random.choice(["strict", "by_name"])}]

    def contracts(rows: Rows) -> dict[str, Any]:
        fields = [
            {"name": field.name, "type": type_text(field.type), "nullable": field.nullable}
            for field in rows.schema
        ]
        return {**case.contracts, registered: {"fields": fields, "delay": "0s"}}

    return _between(case, random, steps, document, contracts)


def _moves(bound: Any) -> bool:
    return bound.contract.kind == "stream" or bound.contract.delay is not None


def _between(
    case: Case,
    random: Random,
    steps: Callable[[Rows], Steps],
    original: Document | None = None,
    contracts: Callable[[Rows], dict[str, Any]] = lambda rows: {},
) -> Case | None:
    """With these steps at the first of some edges at which the check accepts them."""
    plan = plan_of(document_of(case), case.contracts)
    positions = list(range(len(list(edges(document_of(case), of_unions=False)))))
    for position in random.sample(positions, min(4, len(positions))):
        document: Document = document_of(changed(case, original or document_of(case)))
        reference, put = list(edges(document, of_unions=False))[position]
        try:
            made = contracts(plan.relation(reference)) or case.contracts
        except ValueError:  # a type that no record has
            continue
        last = reference
        neutral = steps(plan.relation(reference))
        for step in neutral:
            name = fresh(document["steps"].keys() | document["sources"].keys(), "neutral")
            inputs = {"inputs": [last, *step["inputs"][1:]]} if step["op"] == "union" else {"input": last}
            document["steps"][name] = {**step, **inputs}
            last = name
        put(last)
        if neutral and plan_of(document, made).ok:
            return changed(case, document, contracts=made)
    return None
