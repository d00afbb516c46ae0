"""A case of the oracle's on Spark in micro-batch mode, without a broker: what differs."""

import json
from pathlib import Path

from pyspark.sql import SparkSession

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.oracle.answers import node_of, references
from tests.oracle.cases import Case, all_differences
from tests.oracle.relations.through_topic import TOPIC, Split
from tests.support.spark_document import SparkDocument

# More of them take more processor time each (docs/decisions/2026-11-22-how-documents-are-played.md).
SIDE_BY_SIDE = 2


def play(
    spark: SparkSession, folder: Path, case: Case, *, compiled: bool = True, partitions: int = 1
) -> list[str]:
    """What differs, by batch.

    Whether Spark counts late rows where there are some; and the errors that it counts.

    Args:
        spark: a session.
        folder: for the case alone.
        case: what to play, and what it must give.
        compiled: as in `SparkDocument`.
        partitions: as there.
    """
    played = SparkDocument(
        spark,
        folder / "played",
        json.loads(case.document),
        case.contracts,
        compiled=compiled,
        partitions=partitions,
    )
    found: list[str] = []
    try:
        for number, batch in enumerate(case.batches):
            after = played.batch(batch)
            if case.only_end and number + 1 < len(case.batches):
                continue
            differing = all_differences(case.expected_after[number], after, case.approximate)
            found += [f"after batch {number + 1}: {text}" for text in differing]
    finally:
        played.stop()
    if played.late not in allowed_late(case):
        found.append(f"{played.late} late rows instead of {case.late}")
    return found + count_differences(case, played.errors, played.malformed)


def play_through_topic(spark: SparkSession, folder: Path, case: Case, split: Split) -> list[str]:
    """Differences, by batch, when two jobs run a document.

    The first's output of a batch is the second's next batch.
    """
    first = SparkDocument(spark, folder / "first", split.first, case.contracts, compiled=False)
    second = SparkDocument(spark, folder / "second", split.second, {TOPIC: split.contract}, compiled=False)
    (source,) = split.second["sources"]
    found: list[str] = []
    try:
        seen = 0
        for number, batch in enumerate(case.batches):
            rows = first.batch(batch)[TOPIC]
            after = second.batch({source: split.between(rows, seen)})
            seen = len(rows)
            found += [f"after batch {number + 1}: {text}" for text in split.differing(case, number, after)]
    finally:
        first.stop()
        second.stop()
    return found


def allowed_late(case: Case) -> range:
    """How many late rows Spark may count.

    It counts after partial aggregation: at least one when there is one, and no more than there are.
    """
    sees_some = not (_may_ask_before(case) or _lacks_keys(case) or _asks_in_join(case))
    return range(min(1, case.late) * sees_some, case.late + 1)


def _may_ask_before(case: Case) -> bool:
    """True when a condition on keys follows an aggregate.

    Spark applies it first, so fewer rows can be late.
    """
    steps = json.loads(case.document)["steps"]
    behind: set[str] = set()
    for name, step in steps.items():
        read = {node_of(reference) for reference in references(step)}
        if read & behind or any(
            steps[above]["op"] in ("aggregate", "change") for above in read & steps.keys()
        ):
            behind.add(name)
    return any(steps[name]["op"] in ("filter", "sample", "branch") for name in behind)


def _asks_in_join(case: Case) -> bool:
    """A join has a condition: Spark asks of a row alone what it can, before the row would be late."""
    steps = json.loads(case.document)["steps"].values()
    return any(step["op"] == "join" and "where" in step for step in steps)


def _lacks_keys(case: Case) -> bool:
    """A row has no key of a join: where it can meet nobody, Spark leaves it out before it would be late."""
    steps = json.loads(case.document)["steps"].values()
    keys = {name for step in steps if step["op"] == "join" for pair in step["on"].items() for name in pair}
    records = [
        values
        for batch in case.batches
        for sent in batch.values()
        for _, values in sent
        if isinstance(values, dict)
    ]
    return any(values.get(name, "") is None for values in records for name in keys)


def count_differences(
    case: Case, errors: dict[str, int], malformed: dict[str, int], left_out: frozenset[str] = frozenset()
) -> list[str]:
    """Where the engine counts other errors, or leaves other records out, than a case says; but for nodes that
    are left out.
    """

    def compared(counts: dict[str, int]) -> dict[str, int]:
        return {name: count for name, count in counts.items() if name not in left_out}

    both = {"errors": (errors, case.errors), "malformed": (malformed, case.malformed)}
    return [
        f"{what} {found} instead of {expected}"
        for what, (found, expected) in both.items()
        if compared(found) != compared(expected)
    ]


def play_with_restarts(spark: SparkSession, folder: Path, case: Case, *, compiled: bool = True) -> list[str]:
    """Final differences, when the query is killed after a batch and stopped after the next one."""
    played = SparkDocument(
        spark, folder / "played", json.loads(case.document), case.contracts, restarts=True, compiled=compiled
    )
    repeated, fresh = restarts_of(case)
    try:
        for number, batch in enumerate(case.batches):
            after = played.batch(batch)
            if number == repeated:
                played.kill()
            elif number == fresh - 1:
                played.stop()
        return all_differences(case.expected_after[-1], after, case.approximate)
    finally:
        played.stop()


def restarts_of(case: Case) -> tuple[int, int]:
    """First batches (from 0) of new processes: one that ran before without a commit, and one after it."""
    middle = len(case.batches) // 2
    return middle - 1, middle + 1


def can_be_restarted(case: Case) -> bool:
    """There is state and a batch to stop after; no broadcast table changes, since a start reloads it."""
    plan = plan_job(
        case.document,
        {name: StreamContract.model_validate(written) for name, written in case.contracts.items()},
    )
    if len(case.batches) < 2 or not plan.ok or all(node.state.kind == "none" for node in plan.live_nodes):
        return False
    return not any(batch.get(name) for name in plan.static for batch in case.batches[1:])
