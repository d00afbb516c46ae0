"""A document as two: the first writes to a topic what one of its steps gives, and the second reads it.

Its rows are the same.

The rows carry their time in µs. Where the first gives one row for each record, the second's watermark
moves as the document's own did, and each row stays in the partition of its record, since ties of the time are
decided by partition and offset; otherwise the second has no state, and asks for neither. Identities made of
records differ: they name the topic.
"""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from jobs.base.types import TypeTextError, type_text
from jobs.plan import Plan
from tests.oracle.answers import node_of, references
from tests.oracle.cases import Case, Content, differences
from tests.oracle.records import PARTITION, has_heartbeats
from tests.oracle.relations.variants import Document, document_of, fresh, plan_of

ONE_FOR_ONE = {"source", "derive", "select", "rename", "drop", "cast", "flatten"}
ELSEWHERE = ("_source", "_partition", "_offset", "_timestamp")  # what a row loses on its way
TOPIC, TIME = "passed", "passed_us"


@dataclass(frozen=True)
class Split:
    """Two documents.

    Attributes:
        first: gives the rows as its output `passed`.
        second: reads them as its source `passed`; its outputs are those of the document.
        contract: of the topic between.
        one_for_one: the first gives one row for each record.
        by_values: outputs whose identities are of records, and are left out of what is compared.
    """

    first: Document
    second: Document
    contract: dict[str, Any]
    one_for_one: bool
    by_values: frozenset[str]

    def between(self, rows: Content, seen: int) -> list[tuple[int, dict[str, Any]]]:
        """Records of the topic for rows after the first `seen`, in the order of the source's offsets."""
        added = list(rows.items())[seen:]
        if not self.one_for_one:
            return [(row[TIME], row) for _, row in added]
        by_record = sorted((json.loads(identity)[1:], row) for identity, row in added)
        return [(row[TIME], {**row, PARTITION: partition}) for (partition, _), row in by_record]

    def differing(self, case: Case, number: int, actual: dict[str, Content]) -> list[str]:
        """What differs after a batch."""
        found: list[str] = []
        for name, expected in case.expected_after[number].items():
            if name not in self.by_values:
                found += differences(expected, actual[name], case.approximate)
            else:
                found += differences(
                    _bag(expected, case.approximate), _bag(actual[name], case.approximate), case.approximate
                )
        return found


def split_at_topic(case: Case, random: Random) -> Split | None:
    """One of the steps at which the document can be cut; None where there is none."""
    document = document_of(case)
    plan = plan_of(document, case.contracts)
    if (
        len(document["sources"]) > 1
        or len(plan.queries) > 1
        or any(word in case.document for word in ELSEWHERE)
    ):
        return None
    names = [node.name for node in plan.live_nodes if not node.only_ports]
    for name in random.sample(names, len(names)):
        if (made := _split_at(name, case, document, plan)) is not None:
            return made
    return None


def _split_at(name: str, case: Case, document: Document, plan: Plan) -> Split | None:
    rows, above = plan.relation(name), {*plan.upstream_of(name), name}
    after = {
        step: written
        for step, written in document["steps"].items()
        if step not in above and step in plan.live
    }
    read = {reference for step in after.values() for reference in references(step)} | set(
        case.outputs.values()
    )
    if rows.kind != "append" or {reference for reference in read if node_of(reference) not in after} != {
        name
    }:
        return None
    if any(
        step["op"] == "sample" for step in after.values()
    ):  # it chooses rows by their identities, and these name the topic
        return None
    # Heartbeats move the watermark, and do not go through the topic.
    one_for_one = not has_heartbeats(case.batches) and all(
        plan.node(step).op in ONE_FOR_ONE for step in above
    )
    if not one_for_one and any(plan.node(step).state.kind != "none" for step in after):
        return None
    try:
        fields = [
            {"name": field.name, "type": type_text(field.type), "nullable": field.nullable}
            for field in rows.schema
        ]
    except TypeTextError:
        return None
    delay = _delay(case, document)
    contract = {
        "fields": [*fields, {"name": TIME, "type": "long", "nullable": False}],
        "event_time": {"kind": "field", "field": TIME, "unit": "us"},
        "delay": delay,
    }
    timed, source = fresh(document["steps"], "timed"), fresh(document["steps"], TOPIC)
    first = {
        **document,
        "steps": {
            **{step: written for step, written in document["steps"].items() if step in above},
            timed: {"op": "derive", "input": name, "fields": {TIME: "unix_micros(_time)"}},
        },
        "outputs": {TOPIC: {"input": timed, "to": "result"}},
    }
    second = {
        **document,
        "sources": {source: {"stream": TOPIC}},
        "steps": {
            name: {"op": "drop", "input": source, "fields": [TIME]},
            **after,
        },  # the name is data to a union
    }
    planned = plan_of(second, {TOPIC: contract})
    if not (planned.ok and plan_of(first, case.contracts).ok):
        return None
    of_records = {
        output
        for output, reference in case.outputs.items()
        if planned.relation(reference).identity_kind != "key"
    }
    return Split(first, second, contract, one_for_one, frozenset(of_records))


def _delay(case: Case, document: Document) -> str:
    (source,) = document["sources"].values()
    return source.get("delay", case.contracts[source.get("stream") or source["table"]].get("delay", "10s"))


def _bag(content: Content, approximate: dict[str, float]) -> Content:
    """The rows in an order of their values, in which those stand alike that are only about equal."""

    def about(value: Any) -> str:
        if isinstance(value, dict):
            return repr([(name, about(part)) for name, part in value.items() if name not in approximate])
        if isinstance(value, list):
            return repr([about(part) for part in value])
        return f"{value:.6g}" if isinstance(value, float) else repr(value)

    return {str(number): row for number, row in enumerate(sorted(content.values(), key=about))}
