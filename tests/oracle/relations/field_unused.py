"""One more field in every record, which nothing reads: the same answer, once each output leaves it out."""

from random import Random
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.records import TOMBSTONE
from tests.oracle.relations.variants import changed, document_of, fresh, plan_of

VALUES: dict[str, list[Any]] = {
    "int": [0, 7, -1],
    "string": ["", "unused", "é"],
    "boolean": [True, False],
    "array<string>": [[], ["a", "b"]],
}


def field_unused(case: Case, random: Random) -> Case | None:
    """A stream or table gets it somewhere among its fields."""
    document = document_of(case)
    reference = random.choice(list(document["sources"].values()))
    registered = reference.get("stream") or reference.get("table")
    taken = {field["name"] for written in case.contracts.values() for field in written["fields"]}
    name, type_ = fresh(taken, "unused"), random.choice(list(VALUES))
    fields = list(case.contracts[registered]["fields"])
    fields.insert(random.randint(0, len(fields)), {"name": name, "type": type_, "nullable": True})
    contracts = {**case.contracts, registered: {**case.contracts[registered], "fields": fields}}
    plan = plan_of(document, contracts)
    if not plan.ok:
        return None
    before = plan_of(document, case.contracts)
    for output in document["outputs"].values():
        # A join of its rows with each other has it twice, once with a prefix.
        known = before.relation(output["input"]).schema.names
        if more := [found for found in plan.relation(output["input"]).schema.names if found not in known]:
            dropping = fresh(document["steps"].keys() | document["sources"].keys(), "drop_unused")
            document["steps"][dropping] = {"op": "drop", "input": output["input"], "fields": more}
            output["input"] = dropping
    read = {
        of for of, ref in document["sources"].items() if registered in (ref.get("stream"), ref.get("table"))
    }
    choices = [None, *VALUES[type_]]
    batches = [
        {
            of: [
                (
                    at,
                    values
                    if TOMBSTONE in values or of not in read
                    else {**values, name: random.choice(choices)},
                )
                for at, values in records
            ]
            for of, records in batch.items()
        }
        for batch in case.batches
    ]
    return (
        changed(case, document, contracts=contracts, batches=batches)
        if plan_of(document, contracts).ok
        else None
    )
