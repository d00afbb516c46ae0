"""A query that is stopped between a batch and the empty one behind it gives what that would have given when
it starts again, though no record comes any more.
"""

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.checkpoint_files import checkpoint_files
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.listener import ProgressListener
from jobs.engine.owed_batch import TopicOffsets, plan_owed_batch
from jobs.engine.query import plan_of, start_query
from jobs.engine.run_supervisor import RunSupervisor
from jobs.kafka_messages import DesiredRun, ProgressReport
from tests.support.desired_runs import engine_settings
from tests.support.event_count_job import CONTRACT, COUNTS, counted, events_of_one_key
from tests.support.open_gate import open_gate
from tests.support.processes import wait_until
from tests.support.recording_reporter import RecordingReporter
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

FINAL: dict[str, Any] = {**COUNTS, "steps": {"n": {**COUNTS["steps"]["n"], "emit": "final"}}}


def started(
    spark: SparkSession, bench: Bench, run: DesiredRun, attempt: int, ends: TopicOffsets
) -> tuple[StreamingQuery, list[str]]:
    """A query, and what is heard at its commits. ends: of its topics."""
    heard: list[str] = []
    listener = ProgressListener(heard.append, lambda: None)
    query = start_query(
        spark, run, plan_of(run), bench.home, listener, attempt, nothing_waits=lambda ended: ended == ends
    )
    return query, heard


def test_windows_that_were_left_open_by_a_stop_are_closed_by_the_next_start(
    spark: SparkSession, bench: Bench
) -> None:
    topic = bench.topic("in")
    # After an hour there would be another batch: it is stopped before.
    run = bench.run(FINAL, {"s": (topic, CONTRACT)}).model_copy(update={"trigger_ms": 3_600_000})
    results = bench.results(run)
    bench.produce(topic, [*events_of_one_key(0, 5), *events_of_one_key(7_200, 7_201)])
    query, heard = started(spark, bench, run, 0, {})
    wait_until(lambda: heard, 60, "its batch has ended")
    query.stop()
    assert counted(results) == 0
    assert not plan_owed_batch(spark, run.checkpoint, lambda _: False), "what waits is read first"
    query, heard = started(spark, bench, run, 1, {topic: {0: 6}})
    wait_until(lambda: counted(results) == 5, 60, "the window is closed", results.read)
    wait_until(lambda: heard, 60, "the batch has ended")
    query.stop()
    assert not plan_owed_batch(spark, run.checkpoint, lambda _: True), "it owes nothing any more"
    assert len(results.records) == 1
    results.close()


def test_a_run_that_was_stopped_there_asks_whether_records_wait(spark: SparkSession, bench: Bench) -> None:
    topic = bench.topic("in")
    run = bench.run(FINAL, {"s": (topic, CONTRACT)}).model_copy(update={"trigger_ms": 3_600_000})
    results = bench.results(run)
    bench.produce(topic, [*events_of_one_key(0, 5), *events_of_one_key(7_200, 7_201)])
    settings = engine_settings(bench.home, bench.folder)
    for epoch in (1, 2):
        reporter = RecordingReporter(settings)
        begun = run.model_copy(update={"epoch": epoch})
        supervisor = RunSupervisor(begun, spark, settings, reporter, KafkaAdmins(), open_gate())
        supervisor.start()
        try:
            wait_until(
                lambda sent=reporter.sent: [one for one in sent if isinstance(one, ProgressReport)],
                90,
                "a batch has ended",
            )
        finally:
            supervisor.stop()
            assert supervisor.join(30)
        assert counted(results) == (0 if epoch == 1 else 5)
    results.close()


def test_a_batch_that_another_process_has_planned_meanwhile_stays(spark: SparkSession, bench: Bench) -> None:
    """It executes that, so a query of ours has to repeat it."""
    files, folder = checkpoint_files(spark), str(bench.folder / "meanwhile")
    about = json.dumps({"batchWatermarkMs": 10, "batchTimestampMs": 70, "conf": {}})
    files.write(f"{folder}/offsets/0", f'v1\n{about}\n{{"t":{{"0":5}}}}')
    files.write(f"{folder}/commits/0", 'v1\n{"nextBatchWatermarkMs":20}')

    def plans_meanwhile(_: TopicOffsets) -> bool:
        files.write(f"{folder}/offsets/1", "another's")
        return True

    assert not plan_owed_batch(spark, folder, plans_meanwhile)
    assert files.read(f"{folder}/offsets/1") == "another's"
    files.delete(f"{folder}/offsets/1")
    assert plan_owed_batch(spark, folder, lambda _: True)
    assert '"batchWatermarkMs":20' in files.read(f"{folder}/offsets/1")
