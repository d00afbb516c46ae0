import json

import pytest

from jobs.kafka_messages import CopyReport, MalformedExample, ProgressReport, SourceRead, StepState
from weir.lag.services.run_counts import RunCounts

HEADER = {"at_us": 1, "engine_id": "e", "incarnation": "i", "run_id": "r", "epoch": 1}


def batch(read: SourceRead, late: int = 0) -> ProgressReport:
    return ProgressReport(
        **HEADER, batch=1, began_us=0, duration_ms=1, rows_in=read.records, rows_out=2, sources={},
        late=late, read={"trades": read}, expression_nulls={"a": 1, "b": 2},
    )  # fmt: skip


def example(reason: str, offset: int) -> MalformedExample:
    return MalformedExample(reason=reason, partition=0, offset=offset)


def test_reasons_add_up_each_with_its_newest_example() -> None:
    counts = RunCounts()
    counts.add(batch(SourceRead(records=10, malformed={"A": 1}, example=example("A", 3)), late=1))
    counts.add(batch(SourceRead(records=10, malformed={"A": 1, "B": 4}, example=example("B", 12))))
    counts.add(batch(SourceRead(records=10, malformed={"A": 1}, example=example("A", 25))))
    found = counts.as_json()
    assert (found["batches"], found["rows_in"], found["rows_out"], found["late"]) == (3, 30, 6, 1)
    assert found["expression_nulls"] == 9
    assert found["sources"]["trades"] == {
        "records": 30,
        "malformed": 7,
        "reasons": [
            {"reason": "B", "records": 4, "example": {"reason": "B", "partition": 0, "offset": 12}},
            {"reason": "A", "records": 3, "example": {"reason": "A", "partition": 0, "offset": 25}},
        ],
    }


def test_what_is_stored_is_read_again() -> None:
    counts = RunCounts()
    counts.add(batch(SourceRead(records=10, malformed={"A": 1, "B": 2}, example=example("A", 3))))
    assert RunCounts.of_json(counts.as_json()) == counts


@pytest.mark.parametrize(
    ("query", "number", "began_us", "known"),
    [
        ("up", 7, 70, True),  # given twice
        ("up", 6, 60, True),  # from before
        ("up", 8, 80, False),
        ("up", 7, 71, False),  # computed again after a crash
        ("up", 0, 90, False),  # of a checkpoint that begins anew
        ("up", 8, 60, False),  # after the clock was set back
        ("down", 3, 30, False),  # each query has its own batches
        (None, 7, 70, False),
    ],
)
def test_a_batch_is_counted_once_however_often_it_is_told(
    query: str | None, number: int, began_us: int, known: bool
) -> None:
    counts = RunCounts()
    counts.add(numbered("up", 7, 70))
    stored = RunCounts.of_json(json.loads(json.dumps(counts.as_json())))
    for one in (counts, stored):
        assert one.knows(numbered(query, number, began_us)) == known


def numbered(query: str | None, number: int, began_us: int) -> ProgressReport:
    of = {"query": query, "batch": number, "began_us": began_us}
    return batch(SourceRead(records=1)).model_copy(update=of)


def test_steps_are_counted_by_themselves() -> None:
    counts = RunCounts()
    for _ in range(2):
        counts.add(
            batch(SourceRead(records=1)).model_copy(
                update={
                    "limit_reached": {"b": 4},
                    "malformed": {"trades": 9, "c": 3},
                    "steps": {"b": StepState(rows=1, bytes=1, late=2)},
                    "given": {"b": 5},
                }
            )
        )
    nothing = {"expression_nulls": 0, "limit_reached": 0, "late": None, "keyless": None}
    assert counts.as_json()["steps"] == {
        "a": {**nothing, "expression_nulls": 2},
        "b": {**nothing, "expression_nulls": 4, "limit_reached": 8, "late": 4},
        "c": {**nothing, "keyless": 6},
    }
    assert counts.as_json()["given"] == {"b": 10}
    assert RunCounts.of_json(counts.as_json()) == counts


def test_what_an_older_relay_stored_has_no_steps() -> None:
    counts = RunCounts()
    counts.add(batch(SourceRead(records=1)))
    stored = counts.as_json()
    del stored["steps"], stored["given"]
    found = RunCounts.of_json(stored)
    assert (found.steps, found.expression_nulls) == ({}, 3)


def test_a_copied_table_is_counted_from_its_first_record_each_time() -> None:
    counts = RunCounts()
    for _ in range(2):
        counts.add_copy(CopyReport(**HEADER, read={"rates": SourceRead(records=5, malformed={"A": 2})}))
    assert counts.as_json()["sources"]["rates"]["records"] == 5
