"""Declared fields in another order: the same rows, with fields in the new order."""

from random import Random

from tests.oracle.cases import Case
from tests.oracle.relations.variants import changed, document_of, plan_of, writes_names


def fields_reordered(case: Case, random: Random) -> Case | None:
    """Each contract's fields are shuffled."""
    contracts = {
        name: {**written, "fields": random.sample(written["fields"], len(written["fields"]))}
        for name, written in case.contracts.items()
    }
    document = document_of(case)
    plan = plan_of(document, contracts)
    if contracts == case.contracts or not plan.ok or writes_names(document):
        return None
    orders = {name: plan.relation(reference).schema.names for name, reference in case.outputs.items()}
    after = [
        {
            name: {key: {field: row[field] for field in orders[name]} for key, row in content.items()}
            for name, content in contents.items()
        }
        for contents in case.expected_after
    ]
    return changed(case, document, contracts=contracts, expected_after=after)
