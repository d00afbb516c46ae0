"""What the rows of random documents are, counted: which steps find some late, and which records are none."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tests.oracle.answers import Oracle
from tests.oracle.cases import Case
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import cases
from tests.oracle.random_rows import NO_TIMES
from tests.oracle.records import HEARTBEAT, fields_of

LATE: Final = (
    *(f"{kind} window" for kind in ("tumbling", "hopping", "calendar", "session", "sliding")),
    *(f"{type_} join" for type_ in ("inner", "left", "right", "full", "semi", "anti")),
    *("as-of join", "deduplicate", "throttle"),
)
"""The steps that refuse late rows (`docs/semantics/watermarks-and-lateness.md#late-and-closed`)."""
HEARTBEATS: Final = (
    "of a stream",
    "of a table",
    "beside values",
    "no others in their batch",
    "without a time",
)
EXPECTED_ROWS: Final = (
    *(f"late rows: {step}" for step in LATE),
    *(f"heartbeats: {how}" for how in HEARTBEATS),
    *(f"records: {what}" for what in ("malformed", "an error that became null", "without a key")),
)
"""All that has to be drawn."""


def counted_rows(documents: int, seed: int) -> Counter[str]:
    """In how many documents each feature is."""
    found: Counter[str] = Counter()
    for case in drawn(documents, seed, cases()):
        found.update(set(_features(case)))
    return found


def missing_rows(found: Counter[str]) -> list[str]:
    """Features that should occur and do not."""
    return [feature for feature in EXPECTED_ROWS if not found[feature]]


def _features(case: Case) -> Iterator[str]:
    """Each as ``group: feature``; once or more."""
    oracle = Oracle(case.document, case.contracts)
    for batch in case.batches:
        oracle.batch(batch)
        for name, records in batch.items():
            yield from _heartbeats(oracle.sources[name].contract, [values for _, values in records])
    yield from (f"late rows: {_kind(step.written)}" for step in oracle.nodes.values() if step.late)
    if oracle.malformed.keys() & oracle.sources.keys():
        yield "records: malformed"
    if oracle.malformed.keys() - oracle.sources.keys():
        yield "records: without a key"
    if oracle.errors:
        yield "records: an error that became null"


def _heartbeats(contract: dict[str, Any], records: list[dict[str, Any]]) -> Iterator[str]:
    beats = [values for values in records if HEARTBEAT in values]
    if not beats:
        return
    yield f"heartbeats: of a {contract.get('kind', 'stream')}"
    if any(fields_of(values) for values in beats):
        yield "heartbeats: beside values"
    if len(beats) == len(records):
        yield "heartbeats: no others in their batch"
    if any(values[HEARTBEAT] in NO_TIMES for values in beats):
        yield "heartbeats: without a time"


def _kind(step: dict[str, Any]) -> str:
    match step["op"]:
        case "aggregate":
            return f"{next(iter(step['window']))} window"
        case "join":
            return f"{step['type']} join"
        case "table_join":
            return f"{step['version'].replace('_', '-')} join"
        case op:
            return op
