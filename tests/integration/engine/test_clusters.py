"""The engine's questions to clusters that may be away."""

import time
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
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
