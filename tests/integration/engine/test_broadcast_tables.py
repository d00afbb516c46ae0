"""Broadcast tables on Spark (`docs/semantics/table-join.md#broadcast`): their limits and their refresh."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.operators.broadcast_join import BroadcastTooLargeError
from jobs.engine.reporter import Reporter
from jobs.engine.run_supervisor import RunSupervisor
from tests.oracle.cases import Case, all_differences, load_cases
from tests.support.desired_runs import engine_settings
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.spark_case import play
from tests.support.spark_document import SparkDocument
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
STREAM = contract({"k": "string", "n": "int"})
TABLE = contract({"id": "string", "v": "int"}, kind="table", key=["id"])
CASES = [case for case in load_cases() if "broadcast table" in case.title]


def document(**broadcast: Any) -> dict[str, Any]:
    join = {
        "op": "table_join",
        "input": "s",
        "table": "t",
        "type": "left",
        "on": {"k": "id"},
        "broadcast": broadcast,
    }
    return {
        "format": 1,
        "name": "copies",
        "sources": {"s": {"stream": "s"}, "t": {"table": "t"}},
        "steps": {"joined": join},
        "outputs": {"out": {"input": "joined", "to": "result"}},
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_case(spark: SparkSession, tmp_path: Path, case: Case) -> None:
    played = SparkDocument(spark, tmp_path / "played", json.loads(case.document), case.contracts)
    try:
        for number, batch in enumerate(case.batches):
            assert all_differences(case.expected_after[number], played.batch(batch), {}) == []
    finally:
        played.stop()


def test_a_table_without_rows_ends_no_query_with_state(spark: SparkSession, tmp_path: Path) -> None:
    """Interpreted, as Spark runs wide rows (over 100 fields).

    An inner join then leaves upstream state unread.
    """
    found = [case for case in load_cases() if case.title.startswith("an inner join with a broadcast table")]
    assert len(found) == 3
    assert [play(spark, tmp_path / str(at), case, compiled=False) for at, case in enumerate(found)] == [
        [],
        [],
        [],
    ]


def test_a_table_with_too_many_rows_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    contracts = {"s": STREAM.model_dump(mode="json"), "t": TABLE.model_dump(mode="json")}
    played = SparkDocument(spark, tmp_path / "played", document(max_rows=2), contracts)
    with pytest.raises(BroadcastTooLargeError, match="'joined' has more than 2 rows") as raised:
        played.batch({"t": [(AT, {"id": name, "v": 1}) for name in "abca"]})
    failure = failure_of(raised.value)
    assert (failure.code, failure.permanent) == ("BROADCAST_TOO_LARGE", True)


@pytest.mark.long
def test_a_copy_is_taken_again(spark: SparkSession, bench: Bench) -> None:
    """A query that refreshes goes on where it was, with the table as it is by then."""
    source, table = bench.topic("in"), bench.topic("in")
    bench.produce(table, [(AT, {"id": "a", "v": 1})], keys=[b'{"id": "a"}'])
    run = bench.run(document(refresh="10s"), {"s": (source, STREAM), "t": (table, TABLE)})
    settings = engine_settings(bench.home, bench.folder)
    supervisor = RunSupervisor(run, spark, settings, Reporter(settings), KafkaAdmins(), open_gate())
    results = bench.results(run)
    supervisor.start()
    states: list[str] = []
    try:
        sent = 0

        def joined(value: int) -> bool:
            nonlocal sent
            bench.produce(source, [(AT, {"k": "a", "n": sent})])
            sent += 1
            states.append(supervisor.state)
            return any(row["v"] == value for row in results.read().values())

        wait_until(lambda: joined(1), 60, "the first copy is joined")
        states.clear()
        bench.produce(table, [(AT, {"id": "a", "v": 2})], keys=[b'{"id": "a"}'])
        wait_until(lambda: joined(2), 60, "the second copy is joined")
        wait_until(lambda: len(results.read()) == sent, 60, "every row came once")
        assert sorted(row["n"] for row in results.content.values()) == list(range(sent))
        assert set(states) == {"running"}, "a new copy is nobody's business"
    finally:
        supervisor.stop()
        assert supervisor.join(30)
        results.close()
