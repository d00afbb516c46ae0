"""The engine's questions to clusters that may be away."""

import time
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from jobs.cluster_identity import ClusterRefusedError
from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
from jobs.engine.failures import failure_of
from jobs.engine.lost_topics import lost_topic
from jobs.formats.contract import StreamContract
from jobs.messages import BoundSource, Start
from tests.support.bad_records import CONTRACT
from tests.support.desired_runs import desired_run
from tests.support.forwarder import Forwarder, target_of
from tests.support.kafka_node import KafkaServer

pytestmark = pytest.mark.integration


def test_to_ask_a_cluster_that_went_away_takes_no_processor(tmp_path: Path) -> None:
    server = KafkaServer(tmp_path)
    server.start()
    server.create_topic("asked")
    clusters, profile = Clusters(), ClusterProfile(cluster_id="c1", bootstrap=server.bootstrap)
    assert clusters.end_offsets(profile, [("asked", 0)]) == {("asked", 0): 0}
    server.kill()
    used, began = time.process_time(), time.monotonic()
    with pytest.raises(KafkaException):
        clusters.end_offsets(profile, [("asked", 0)])
    cores = (time.process_time() - used) / (time.monotonic() - began)
    assert cores < 0.5  # 1.1 with sparse connections, 0.0 without


def test_a_source_whose_cluster_leads_home_is_refused(tmp_path: Path) -> None:
    """A forwarder stands at its address; the run fails for good, and says why."""
    server = KafkaServer(tmp_path)
    server.start()
    server.create_topic("theirs")
    forwarder = Forwarder(target_of(server.bootstrap))
    home = ClusterProfile(cluster_id="home", bootstrap=server.bootstrap)
    far = ClusterProfile(cluster_id="c1", bootstrap=forwarder.address)
    source = BoundSource(
        stream="s", cluster=far, topic="theirs", topic_id=server.topic_id("theirs"), partitions=1,
        contract=StreamContract.model_validate(CONTRACT), start=Start(kind="earliest"),
    )  # fmt: skip
    clusters = Clusters(home)
    assert clusters.topic_ids(home, ["theirs"])["theirs"]
    with pytest.raises(ClusterRefusedError) as refused:
        lost_topic(desired_run({"s": source}), clusters, home)
    failure = failure_of(refused.value)
    assert (failure.code, failure.permanent) == ("CLUSTER_REFUSED", True)
    assert forwarder.connections
    forwarder.close()
    server.stop()
