"""Records that were written in Kafka's transactions: only committed ones are rows."""

import json
import uuid
from pathlib import Path

import pytest
from confluent_kafka import Producer

from jobs.connections import ClusterProfile
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.kafka_messages import DesiredRun, PositionsReport, ProgressReport, Report, RunMode
from tests.support.event_count_job import CONTRACT, COUNTS, SECOND, START, counted
from tests.support.processes import wait_until
from tests.support.spark_engine import Bench, EngineProcess, Reports

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]


class Transactions:
    """Writes events, one a second of event time, in transactions."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._topic = topic
        self.producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex})
        self.producer.init_transactions(60)

    def begin(self, first: int, last: int) -> None:
        """Write these events, whose transaction stays open."""
        self.producer.begin_transaction()
        for number in range(first, last):
            value = {"at": START + number * SECOND, "k": "a"}
            self.producer.produce(self._topic, json.dumps(value), partition=0)
        assert self.producer.flush(20) == 0


def read_to(report: Report, run: DesiredRun, end: int) -> bool:
    """Whether the run has read to the end of its partition; the last transaction's marker may be left."""
    if not isinstance(report, PositionsReport | ProgressReport) or report.run_id != run.run_id:
        return False
    seen = report.sources["s"][0]
    return seen.end == end and (seen.fetched or seen.committed or 0) >= end - 1


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["realtime", "microbatch"])
def test_what_was_aborted_is_no_row_and_what_is_open_is_one_later(
    bench: Bench, engine: EngineProcess, reports: Reports, mode: RunMode
) -> None:
    reports.ready(engine)
    topic = bench.topic("in")
    run = bench.run(COUNTS, {"s": (topic, CONTRACT)}, mode, engine_id=engine.engine_id)
    results = bench.results(run)
    bench.publish(run)
    reports.state(run, "running", engine=engine)
    written = Transactions(bench.kafka.bootstrap, topic)
    written.begin(0, 5)
    written.producer.commit_transaction(60)
    wait_until(lambda: counted(results) == 5, 120, "the first are counted", engine.tail)
    written.begin(5, 10)
    written.producer.abort_transaction(60)
    if mode == "microbatch":  # a batch of its own, without a row
        reports.wait("it has passed what was aborted", lambda one: read_to(one, run, 12), engine=engine)
    written.begin(10, 15)
    written.producer.commit_transaction(60)
    wait_until(lambda: counted(results) >= 10, 120, "all are counted", engine.tail)
    reports.wait("it has read all", lambda one: read_to(one, run, 18), engine=engine)
    assert counted(results) == 10
    bench.publish(run.model_copy(update={"state": "stopped", "revision": 2}))
    reports.state(run, "stopped")
    # Behind the last record there is only the marker of its transaction, of which no batch tells.
    resumed = run.model_copy(update={"epoch": 2, "revision": 3, "replay_until": {"s": {0: 18}}})
    bench.publish(resumed)
    reports.state(resumed, "running", engine=engine)
    # In real-time mode a record is counted some milliseconds after it was read.
    wait_until(lambda: counted(results) == 10, 30, "all are counted again", engine.tail)
    bench.publish(run.run_id)
    reports.state(resumed, "stopped")
    results.close()


def test_the_end_of_a_partition_is_where_what_is_open_begins(bench: Bench, tmp_path: Path) -> None:
    """What is not committed can't be read, so it is no lag and no backlog."""
    topic = bench.topic("in")
    written = Transactions(bench.kafka.bootstrap, topic)
    written.begin(0, 5)
    written.producer.commit_transaction(60)
    written.begin(5, 10)
    home = ClusterProfile(cluster_id="home", bootstrap=bench.kafka.bootstrap)
    assert KafkaAdmins().end_offsets(home, [(topic, 0)]) == {(topic, 0): 6}
    written.producer.commit_transaction(60)
    assert KafkaAdmins().end_offsets(home, [(topic, 0)]) == {(topic, 0): 12}
