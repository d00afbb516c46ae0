"""What the watcher ends: runs whose cluster leads elsewhere while they read."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from jobs.engine import kafka_admins
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.watcher import Watcher
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, Failure, StartPosition
from tests.support.bad_records import CONTRACT
from tests.support.desired_runs import desired_run
from tests.support.forwarder import Forwarder, target_of
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.run_positions import run_positions

pytestmark = pytest.mark.integration


class Reading:
    """A run that reads, as the watcher sees its supervisor."""

    def __init__(self, source: BoundSource) -> None:
        self.run = desired_run({"s": source})
        self.state = "running"
        self.attempt = 1
        self.draining = False
        self.positions = run_positions(self.run)
        self.reports = SimpleNamespace(positions=lambda *_, **__: None)
        self.aborted: list[Failure] = []
        self.reachable: list[bool] = []

    def abort(self, failure: Failure) -> None:
        self.aborted.append(failure)

    def on_reachability(self, *, reachable: bool) -> None:
        self.reachable.append(reachable)

    def on_positions(self) -> None: ...

    def catching_up(self) -> None: ...

    def send(self, report: object) -> None: ...


def test_a_run_ends_when_its_cluster_leads_home_later(
    tmp_path: Path, kafka: KafkaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forwarder stands at its address, through which Spark would read the home cluster's topics."""
    monkeypatch.setattr(kafka_admins, "IDENTITY_CHECK_INTERVAL_S", 0.5)
    server = KafkaServer(tmp_path)
    server.start()
    server.create_topic("theirs")
    forwarder = Forwarder(target_of(server.bootstrap))
    home = ClusterProfile(cluster_id="home", bootstrap=kafka.bootstrap)
    source = BoundSource(
        stream="s", cluster=ClusterProfile(cluster_id="c1", bootstrap=forwarder.address), topic="theirs",
        topic_id=server.topic_id("theirs"), partitions=1, contract=StreamContract.model_validate(CONTRACT),
        start=StartPosition(kind="earliest"),
    )  # fmt: skip
    run: Any = Reading(source)
    watcher = Watcher(home, run, KafkaAdmins(home), None, lambda: [run], lambda _: None)
    watcher.start()
    try:
        wait_until(lambda: True in run.reachable, 60, "its cluster answers")
        assert run.aborted == []
        server.stop()
        forwarder.lead_to(target_of(kafka.bootstrap))
        wait_until(lambda: run.aborted, 60, "it is ended")
        assert (run.aborted[0].code, run.aborted[0].permanent) == ("CLUSTER_REFUSED", True)
    finally:
        watcher.stop()
        forwarder.close()
        server.stop()
