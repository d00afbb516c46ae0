"""The engine's questions to clusters that may be away."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import NewTopic

from jobs.cluster_identity import ClusterRefusedError
from jobs.connections import ClusterProfile
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.topic_checks import find_lost_topic
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, StartPosition
from tests.support.bad_records import CONTRACT
from tests.support.desired_runs import desired_run
from tests.support.forwarder import Forwarder, target_of
from tests.support.kafka_cluster import KafkaCluster
from tests.support.kafka_node import KafkaServer
from tests.support.misleading_kafka import misleading_kafka
from tests.support.processes import wait_until

pytestmark = pytest.mark.integration


@pytest.mark.long
def test_to_ask_a_cluster_that_went_away_takes_no_processor(tmp_path: Path) -> None:
    server = KafkaServer(tmp_path)
    server.start()
    server.create_topic("asked")
    clusters, profile = KafkaAdmins(), ClusterProfile(cluster_id="c1", bootstrap=server.bootstrap)
    assert clusters.end_offsets(profile, [("asked", 0)]) == {("asked", 0): 0}
    server.kill()
    used, began = time.process_time(), time.monotonic()
    with pytest.raises(KafkaException):
        clusters.end_offsets(profile, [("asked", 0)])
    cores = (time.process_time() - used) / (time.monotonic() - began)
    assert cores < 0.5  # 1.1 with sparse connections, 0.0 without


@pytest.mark.long
def test_the_partitions_of_a_broker_that_died_are_asked_of_its_successor(tmp_path: Path) -> None:
    cluster = KafkaCluster(tmp_path)
    cluster.start()
    try:
        clusters, profile = KafkaAdmins(), ClusterProfile(cluster_id="c1", bootstrap=cluster.bootstrap)
        admin = clusters.admin(profile)
        admin.create_topics([NewTopic("asked", 3, 3)])["asked"].result(30)
        partitions = [("asked", number) for number in range(3)]
        ends = dict.fromkeys(partitions, 0)
        wait_until(lambda: clusters.end_offsets(profile, partitions) == ends, 30, "all have leaders")
        cluster.nodes[0].kill()

        def answers() -> bool:
            try:
                return clusters.end_offsets(profile, partitions) == ends
            except KafkaException:
                return False

        wait_until(answers, 30, "all have leaders again")
    finally:
        cluster.stop()


def test_what_a_client_was_asked_is_answered_though_another_takes_its_place(kafka: KafkaServer) -> None:
    """Else a run that starts while a cluster's password changes would stand at its start for ever."""
    kafka.create_topic("asked.replaced")
    port = kafka.bootstrap.rpartition(":")[2]
    asked, used = (
        ClusterProfile(cluster_id="c1", bootstrap=f"{host}:{port}") for host in ("127.0.0.1", "localhost")
    )
    clusters = KafkaAdmins()

    def ask() -> None:
        for _ in range(20):
            assert clusters.topic_ids(asked, ["asked.replaced"])["asked.replaced"] is not None
            assert clusters.end_offsets(asked, [("asked.replaced", 0)]) == {("asked.replaced", 0): 0}

    with ThreadPoolExecutor(1) as pool:
        answered = pool.submit(ask)
        while not answered.done():
            clusters.drop_stale([used])
        answered.result()


def test_a_source_whose_cluster_leads_home_is_refused(kafka: KafkaServer) -> None:
    """A forwarder stands at its address; the run fails for good, and says why."""
    kafka.create_topic("theirs")
    forwarder = Forwarder(target_of(kafka.bootstrap))
    home = ClusterProfile(cluster_id="home", bootstrap=kafka.bootstrap)
    far = ClusterProfile(cluster_id="c1", bootstrap=forwarder.address)
    source = BoundSource(
        stream="s", cluster=far, topic="theirs", topic_id=kafka.topic_id("theirs"), partitions=1,
        contract=StreamContract.model_validate(CONTRACT), start=StartPosition(kind="earliest"),
    )  # fmt: skip
    clusters = KafkaAdmins(home)
    assert clusters.topic_ids(home, ["theirs"])["theirs"]
    with pytest.raises(ClusterRefusedError) as refused:
        find_lost_topic(desired_run({"s": source}), clusters, home)
    failure = failure_of(refused.value)
    assert (failure.code, failure.permanent) == ("CLUSTER_REFUSED", True)
    assert forwarder.connections
    forwarder.close()


def test_a_broker_that_names_a_private_address_is_refused_where_these_are_not_allowed(
    tmp_path: Path, kafka: KafkaServer
) -> None:
    """Both live on loopback: that is where a test may have brokers, and as private as any."""
    far_server = KafkaServer(tmp_path)
    try:
        far_server.start()
        home = ClusterProfile(cluster_id="home", bootstrap=kafka.bootstrap)
        far = ClusterProfile(cluster_id="c1", bootstrap=far_server.bootstrap)
        assert KafkaAdmins(home).topic_ids(far, ["any"]) == {"any": None}
        with pytest.raises(ClusterRefusedError, match="WEIR_PRIVATE_CLUSTERS"):
            KafkaAdmins(home, private_allowed=False).topic_ids(far, ["any"])
    finally:
        far_server.stop()


@pytest.mark.thorough
def test_nobody_goes_to_another_listener_of_the_home_cluster(tmp_path: Path) -> None:
    """A broker that advertises the home broker's address: the engine's own user must not be sent to it."""
    server = KafkaServer(tmp_path / "home")
    with socket.create_server(("127.0.0.1", 0)) as bell:
        bell.setblocking(False)
        listener = f"127.0.0.1:{bell.getsockname()[1]}"
        try:
            server.start()
            home = ClusterProfile(cluster_id="home", bootstrap=server.bootstrap)
            with misleading_kafka(tmp_path, listener) as far:
                profile = ClusterProfile(cluster_id="c1", bootstrap=far.bootstrap)
                with pytest.raises(ClusterRefusedError, match=listener):
                    KafkaAdmins(home, listeners=listener).topic_ids(profile, ["any"])
            with pytest.raises(BlockingIOError):
                bell.accept()
        finally:
            server.stop()
