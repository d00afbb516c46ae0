"""What an engine reads of weir.runs, from a real broker."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from confluent_kafka import Producer

from jobs.connections import ClusterProfile
from jobs.engine.desired_runs import Change, DesiredRuns
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.kafka_messages import RUNS_TOPIC
from tests.support.kafka_node import KafkaServer
from tests.support.kafka_topics import topic_id
from tests.support.processes import wait_until

pytestmark = pytest.mark.integration


@pytest.fixture
def broker(kafka: KafkaServer) -> Iterator[KafkaServer]:
    """With an empty weir.runs, which is gone afterwards."""
    _delete(kafka)
    kafka.create_topic(RUNS_TOPIC, 1, {"cleanup.policy": "compact"})
    yield kafka
    _delete(kafka)


def test_a_recreated_topic_is_read_from_its_beginning(broker: KafkaServer) -> None:
    home = ClusterProfile(cluster_id="home", bootstrap=broker.bootstrap)
    admins = KafkaAdmins()
    _write(broker, "a", "b", "c")
    with closing(DesiredRuns(home, "tests")) as desired:
        changes: list[Change] = []

        def receives(*runs: str) -> None:
            def all_received() -> bool:
                changes.extend(desired.changes())
                topic_id = admins.topic_ids(home, [RUNS_TOPIC])[RUNS_TOPIC]
                if topic_id is not None:
                    desired.set_topic_id(topic_id)
                return {run_id for run_id, _ in changes} >= set(runs)

            wait_until(all_received, 60, f"{runs} are received")

        receives("a", "b", "c")
        broker.kill()
        broker.start()
        _write(broker, "d")
        receives("d")
        _delete(broker)
        broker.create_topic(RUNS_TOPIC, 1, {"cleanup.policy": "compact"})
        _write(
            broker, "e", "f", "g", "h", "i"
        )  # as many as there were: an offset that is kept would miss them
        receives("e", "f", "g", "h", "i")


def test_of_what_was_there_only_the_newest_is_read(
    broker: KafkaServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A start reads the topic from its beginning, and most of a long life has been replaced by then."""
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for value in (b"not a run", None):
        producer.produce(RUNS_TOPIC, value, b"a")
    producer.produce(RUNS_TOPIC, b"not a run either", b"b")
    assert producer.flush(60) == 0
    with closing(
        DesiredRuns(ClusterProfile(cluster_id="home", bootstrap=broker.bootstrap), "tests")
    ) as desired:
        changes: list[Change] = []
        wait_until(lambda: changes.extend(desired.changes()) or desired.complete, 60, "the topic is read")
        assert changes == [("a", None)]
        assert len([record for record in caplog.records if "is not a desired run" in record.msg]) == 1


def _write(broker: KafkaServer, *runs: str) -> None:
    """Tombstones, which need no valid run."""
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for run_id in runs:
        producer.produce(RUNS_TOPIC, None, run_id.encode())
    assert producer.flush(60) == 0


def _delete(broker: KafkaServer) -> None:
    if topic_id(broker.bootstrap, RUNS_TOPIC) is not None:
        broker.delete_topic(RUNS_TOPIC)
