"""Batches cut elsewhere: equal final content where no row can be late and batch boundaries don't matter."""

from random import Random
from typing import Any

from tests.oracle.answers import Batch, Oracle
from tests.oracle.cases import Case
from tests.oracle.records import time_of
from tests.oracle.relations.variants import changed, document_of
from tests.oracle.values import micros

UNCUT = 2  # what closes at the end is what the last batches say


def batches_recut(case: Case, random: Random) -> Case | None:
    """Two batches become one, or one becomes two.

    A row that is newer than the watermark of all rows before its batch, whatever the cut, is not late in any
    step. What asks for more is left out: a table that rows look up, a time to live, and keys that are held
    for a while see rows in the order in which they come; and what is counted below a changelog, which
    gives one change of a key for each batch that has some.
    """
    steps = document_of(case)["steps"].values()
    if (
        case.late
        or any(
            step["op"] == "table_join" or "ttl" in step or step.get("within", "exact") != "exact"
            for step in steps
        )
        or _counts_changes(case)
    ):
        return None
    numbers = list(range(len(case.batches) - UNCUT))
    for number in random.sample(numbers, len(numbers)):
        batches = (
            _merged(case.batches, number)
            if number + 1 in numbers and random.random() < 0.5
            else _split(case.batches, number, random)
        )
        if batches is not None and _never_late(case, batches):
            return changed(
                case,
                document_of(case),
                batches=batches,
                expected_after=[case.expected_after[-1]] * len(batches),
                only_end=True,
            )
    return None


def _counts_changes(case: Case) -> bool:
    below = Oracle(case.document, case.contracts).below_changelogs
    return any(name in below for name in (*case.errors, *case.malformed))


def _merged(batches: list[Batch], number: int) -> list[Batch]:
    one, other = batches[number : number + 2]
    both = {name: [*one.get(name, []), *other.get(name, [])] for name in {**one, **other}}
    return [*batches[:number], both, *batches[number + 2 :]]


def _split(batches: list[Batch], number: int, random: Random) -> list[Batch] | None:
    first: Batch = {}
    second: Batch = {}
    for name, records in batches[number].items():
        split = random.randint(0, len(records))
        first |= {name: records[:split]} if split else {}
        second |= {name: records[split:]} if records[split:] else {}
    return [*batches[:number], first, second, *batches[number + 1 :]] if first and second else None


def _never_late(case: Case, batches: list[Batch]) -> bool:
    """True when each row is newer than the watermark that all rows of earlier batches could make at most."""
    sources = document_of(case)["sources"]
    watermark = 0
    for batch in batches:
        times = [
            (at, _delay(case, sources[name]))
            for name, records in batch.items()
            for timestamp, values in records
            if (at := _time(case, sources[name], timestamp, values)) is not None
        ]
        if any(delay is not None and at <= watermark for at, delay in times):
            return False
        watermark = max([watermark, *(at - delay for at, delay in times if delay is not None)])
    return True


def _time(case: Case, source: dict[str, Any], timestamp: int, values: dict[str, Any]) -> int | None:
    """A record's event time in µs, or what a heartbeat says. None: it has none."""
    return time_of(_contract(case, source), values, timestamp)


def _contract(case: Case, source: dict[str, Any]) -> dict[str, Any]:
    return case.contracts[source.get("stream") or source["table"]]


def _delay(case: Case, source: dict[str, Any]) -> int | None:
    """In µs; None for a table that takes no part in the watermark."""
    contract = _contract(case, source)
    written = source.get("delay", contract.get("delay", None if contract.get("kind") == "table" else "10s"))
    return None if written is None else micros(written)
