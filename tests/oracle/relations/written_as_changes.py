"""A stream's or table's records as change events of Debezium: the same rows, whatever they are wrapped in."""

from random import Random

from tests.oracle.cases import Case
from tests.oracle.relations.variants import changed, document_of, plan_of


def written_as_changes(case: Case, random: Random) -> Case | None:
    """One of the registered topics, where all of its records are rows or deletions; `SparkDocument` writes
    them as the contract says.

    A malformed record may be a good change event: a whole number is a time there.
    """
    plain = [name for name, written in case.contracts.items() if not {"encoding", "format"} & written.keys()]
    if case.malformed or not plain or not _are_rows(case):
        return None
    name = random.choice(plain)
    encoding = {"format": "debezium", "time_unit": random.choice(("ms", "us", "ns"))}
    contracts = {**case.contracts, name: {**case.contracts[name], "encoding": encoding}}
    document = document_of(case)
    return changed(case, document, contracts=contracts) if plan_of(document, contracts).ok else None


def _are_rows(case: Case) -> bool:
    return all(
        isinstance(values, dict)
        for batch in case.batches
        for records in batch.values()
        for _, values in records
    )
