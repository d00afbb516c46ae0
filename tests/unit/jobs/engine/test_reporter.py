"""Heartbeats of an engine with very many failed runs."""

from pathlib import Path

from jobs.connections import ClusterProfile
from jobs.engine.failures import MAX_RAW
from jobs.engine.reporter import HeartbeatLoop
from jobs.kafka_messages import Failure, RunHeartbeat
from tests.support.desired_runs import engine_settings

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")


def failed(raw: str) -> RunHeartbeat:
    failure = Failure(code="BROKER_UNREACHABLE", message="Kafka is unreachable.", raw=raw)
    return RunHeartbeat(epoch=1, revision=1, state="waiting", failure=failure)


def test_a_heartbeat_of_many_runs_that_wait_with_long_errors_is_sent(tmp_path: Path) -> None:
    runs = {f"{number}.1": failed("ü" * MAX_RAW) for number in range(300)}
    loop = HeartbeatLoop(engine_settings(HOME, tmp_path), lambda: runs, lambda: 0)
    loop.send()  # what the client refuses, it raises; the engine would end
    assert len(loop._producer) == 1
