"""Fields get other names before an output, which writes them under their own: the records are the same."""

from random import Random

from tests.oracle.cases import Case
from tests.oracle.relations.variants import changed, document_of, fresh, plan_of, writes_names


def written_back(case: Case, random: Random) -> Case | None:
    """A field of an output is renamed, or two are swapped. The result stays, so it gets a topic beside it."""
    document = document_of(case)
    if writes_names(document):
        return None
    plan = plan_of(document, case.contracts)
    for name, output in random.sample(list(document["outputs"].items()), len(document["outputs"])):
        fields = list(plan.relation(output["input"]).schema.names)
        one, other = random.choice(fields), random.choice([*fields, fresh(fields, "other")])
        there = (
            {one: other, other: one} if other in fields and one != other else {one: fresh(fields, "other")}
        )
        step = fresh(document["steps"].keys() | document["sources"].keys(), "renamed")
        beside = fresh(document["outputs"], "written") if output["to"] == "result" else name
        target = {"topic": beside} if output["to"] == "result" else output["to"]
        made = {
            **document,
            "steps": {**document["steps"], step: {"op": "rename", "input": output["input"], "fields": there}},
            "outputs": {
                **document["outputs"],
                beside: {"input": step, "to": {**target, "names": {new: old for old, new in there.items()}}},
            },
        }
        if plan_of(made, case.contracts).ok:
            return changed(
                case,
                made,
                expected_after=[{**contents, beside: contents[name]} for contents in case.expected_after],
            )
    return None
