"""Shared by relations: reading a case's document, and writing a changed one with its expected results."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from jobs.formats.contract import StreamContract
from jobs.plan import Plan, plan_job
from tests.oracle.answers import references
from tests.oracle.cases import Case

Document = dict[str, Any]
Relation = Callable[[Case, Random], Case | None]
"""Another case with its expected results, derived from the first's; None where the relation does not hold."""


def document_of(case: Case) -> Document:
    """The document as values; a copy."""
    return json.loads(case.document)


def plan_of(document: Document, contracts: dict[str, Any]) -> Plan:
    """As checked."""
    return plan_job(
        document, {name: StreamContract.model_validate(written) for name, written in contracts.items()}
    )


def changed(case: Case, document: Document, **more: Any) -> Case:
    """The case with another document; `more` are other fields of the case."""
    return replace(case, document=json.dumps(document), **more)


def fresh(taken: Any, name: str) -> str:
    """A name that is not taken yet."""
    return next(made for number in range(1_000) if (made := f"{name}{number or ''}") not in taken)


def edges(document: Document, *, of_unions: bool = True) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Every reference, of steps and then of outputs, with a function that replaces it in the document.

    Args:
        document: changed by these functions.
        of_unions: including those of unions, whose names are data (`source_field`, sometimes identities).
    """

    def put(holder: Any, key: Any) -> Callable[[str], None]:
        return lambda reference: holder.__setitem__(key, reference)

    for step in document["steps"].values():
        keys = {"join": ("left", "right"), "table_join": ("input", "table"), "union": ()}.get(
            step["op"], ("input",)
        )
        yield from ((step[key], put(step, key)) for key in keys)
        if step["op"] == "union" and of_unions:
            yield from (
                (reference, put(step["inputs"], index)) for index, reference in enumerate(step["inputs"])
            )
    yield from ((output["input"], put(output, "input")) for output in document["outputs"].values())


def writes_names(document: Document) -> bool:
    """True when an output renames fields: its expected rows differ from those of the step."""
    return any(
        output["to"] != "result" and output["to"].get("names") for output in document["outputs"].values()
    )


def in_order(document: Document) -> Iterator[str]:
    """Names of the steps, each behind those that it reads."""
    waiting, done = dict(document["steps"]), set(document["sources"])
    while waiting:
        name = next(
            name
            for name, step in waiting.items()
            if all(ref.partition(".")[0] in done for ref in references(step))
        )
        done.add(name)
        del waiting[name]
        yield name
