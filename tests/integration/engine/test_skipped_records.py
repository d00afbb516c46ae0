"""The job counts malformed records with reason and example: of streams, stateful and broadcast tables."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.run_supervisor import RunSupervisor
from jobs.kafka_messages import CopyReport, MalformedExample, ProgressReport, SourceRead
from tests.support.desired_runs import engine_settings
from tests.support.open_gate import open_gate
from tests.support.plan_helpers import contract
from tests.support.processes import wait_until
from tests.support.recording_reporter import RecordingReporter
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

AT = 1_767_261_600_000_000
STREAM = contract({"k": "string", "n": "int"})
TABLE = contract({"id": "string", "v": "int"}, kind="table", key=["id"], delay="0s")
BROADCAST = contract({"id": "string", "v": "int"}, kind="table", key=["id"])


def read_of(sent: list[Any], source: str) -> SourceRead:
    """All that was said of a source."""
    found = [
        report.read[source]
        for report in list(sent)
        if isinstance(report, ProgressReport | CopyReport) and source in report.read
    ]
    reasons: dict[str, int] = {}
    for read in found:
        for reason, count in read.malformed.items():
            reasons[reason] = reasons.get(reason, 0) + count
    example = next((read.example for read in reversed(found) if read.example is not None), None)
    return SourceRead(records=sum(read.records for read in found), malformed=reasons, example=example)


@pytest.mark.parametrize("is_broadcast", [True, False], ids=["broadcast", "with state"])
def test_a_table_whose_every_key_is_invalid(spark: SparkSession, bench: Bench, is_broadcast: bool) -> None:
    source, table = bench.topic("in"), bench.topic("in")
    for number in range(30):
        bench.produce(table, [(AT, {"id": f"k{number}", "v": number})], keys=[f"k{number}".encode()])
    join: dict[str, Any] = {"op": "table_join", "input": "s", "table": "t", "type": "left", "on": {"k": "id"}}
    document = {
        "format": 1,
        "name": "skips",
        "sources": {"s": {"stream": "s"}, "t": {"table": "t"}},
        "steps": {"joined": {**join, **({"broadcast": {}} if is_broadcast else {})}},
        "outputs": {"out": {"input": "joined", "to": "result"}},
    }
    run = bench.run(document, {"s": (source, STREAM), "t": (table, BROADCAST if is_broadcast else TABLE)})
    settings = engine_settings(bench.home, bench.folder)
    reporter = RecordingReporter(settings)
    supervisor = RunSupervisor(run, spark, settings, reporter, KafkaAdmins(), open_gate())
    supervisor.start()
    try:
        bench.produce(source, [(AT, {"k": "a", "n": 1}), (AT, {"k": "b", "n": "x"})])
        wait_until(lambda: read_of(reporter.sent, "t").records == 30, 90, "the table was read")
        wait_until(lambda: read_of(reporter.sent, "s").records == 2, 90, "the stream was read")
        # A table that is read once has no position, which the job's lag would wait for.
        assert supervisor.positions.now().keys() == ({"s"} if is_broadcast else {"s", "t"})
    finally:
        supervisor.stop()
        assert supervisor.join(30)
    assert read_of(reporter.sent, "t") == SourceRead(
        records=30,
        malformed={"KEY_INVALID": 30},
        example=MalformedExample(reason="KEY_INVALID", partition=0, offset=29),
    )
    assert read_of(reporter.sent, "s") == SourceRead(
        records=2,
        malformed={"FIELD_TYPE": 1},
        example=MalformedExample(reason="FIELD_TYPE", partition=0, offset=1),
    )


def test_a_table_that_is_copied_and_read_as_it_changes_is_counted_once(
    spark: SparkSession, bench: Bench
) -> None:
    source, table = bench.topic("in"), bench.topic("in")
    bench.produce(table, [(AT, {"id": "a", "v": 1}), (AT, {"id": "b", "v": 2})], keys=[b'"a"', b"b"])
    join: dict[str, Any] = {"op": "table_join", "input": "s", "table": "t", "type": "left", "on": {"k": "id"}}
    document = {
        "format": 1,
        "name": "both",
        "sources": {"s": {"stream": "s"}, "t": {"table": "t"}},
        "steps": {"copied": {**join, "broadcast": {}}, "joined": join},
        "outputs": {
            "out": {"input": "copied", "to": "result"},
            "other": {"input": "joined", "to": {"topic": "other"}},
        },
    }
    topics = {"other": bench.topic("other")}
    run = bench.run(document, {"s": (source, STREAM), "t": (table, TABLE)}, topics=topics)
    settings = engine_settings(bench.home, bench.folder)
    reporter = RecordingReporter(settings)
    supervisor = RunSupervisor(run, spark, settings, reporter, KafkaAdmins(), open_gate())
    supervisor.start()
    try:
        bench.produce(source, [(AT, {"k": "a", "n": 1})])
        wait_until(lambda: read_of(reporter.sent, "s").records == 1, 90, "the stream was read")
        wait_until(lambda: read_of(reporter.sent, "t").records == 2, 90, "the table was read")
    finally:
        supervisor.stop()
        assert supervisor.join(30)
    assert not [report for report in reporter.sent if isinstance(report, CopyReport)]
    read = read_of(reporter.sent, "t")
    assert (read.records, read.malformed) == (2, {"KEY_INVALID": 1})
