"""What an engine reports may be more than a message holds."""

from pathlib import Path
from typing import Any, cast

from confluent_kafka import KafkaError, KafkaException

from jobs.connections import ClusterProfile
from jobs.engine.failures import MAX_RAW
from jobs.engine.reporter import HeartbeatLoop, Reporter
from jobs.engine.run_reports import RunReports
from jobs.kafka_messages import Failure, PartitionProgress, RunHeartbeat
from tests.support.desired_runs import desired_run, engine_settings

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")


def failed(raw: str) -> RunHeartbeat:
    failure = Failure(code="BROKER_UNREACHABLE", message="Kafka is unreachable.", raw=raw)
    return RunHeartbeat(epoch=1, revision=1, state="waiting", failure=failure)


def test_a_heartbeat_of_many_runs_that_wait_with_long_errors_is_sent(tmp_path: Path) -> None:
    runs = {f"{number}.1": failed("ü" * MAX_RAW) for number in range(300)}
    loop = HeartbeatLoop(engine_settings(HOME, tmp_path), lambda: runs, lambda: 0)
    loop.send()  # what the client refuses, it raises; the engine would end
    assert len(loop._producer) == 1


def test_positions_of_more_partitions_than_a_message_holds_end_nothing(tmp_path: Path) -> None:
    """What the client refuses, it raises; the watcher of all runs would end, and the engine with it."""
    settings = engine_settings(HOME, tmp_path)
    seen = PartitionProgress(committed=10**9, fetched=10**9, end=10**9)
    sources = {f"s{number}": dict.fromkeys(range(1_000), seen) for number in range(20)}
    reports = RunReports(settings, desired_run({}))
    reporter = Reporter(settings)
    reporter.send(reports.positions(sources, draining=False, catching_up=None))
    assert len(reporter._producer) == 0
    reporter.send(reports.positions({}, draining=False, catching_up=None))
    assert len(reporter._producer) == 1


def test_a_heartbeat_for_which_there_is_no_topic_ends_nothing(tmp_path: Path) -> None:
    """The engine ends with the thread that sends them, and all its runs with it."""

    class Client:
        refused = 0

        def produce(self, *_: object, **__: object) -> None:
            self.refused += 1
            raise KafkaException(KafkaError(KafkaError._UNKNOWN_TOPIC))

        def poll(self, _: float) -> None:
            pass

    loop, client = HeartbeatLoop(engine_settings(HOME, tmp_path), dict, lambda: 0), Client()
    loop._producer = cast(Any, client)
    loop.send()
    assert client.refused == 1
