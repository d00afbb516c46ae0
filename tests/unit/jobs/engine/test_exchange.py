"""What a tracker of an exchange topic leaves behind when its broker is away."""

import gc
import weakref

from jobs.connections import ClusterProfile
from jobs.engine.exchange import ExchangeTracker
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.kafka_messages import ExchangeTopic


def test_a_closed_tracker_keeps_no_client_though_its_broker_is_away() -> None:
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    tracker = ExchangeTracker(home, ExchangeTopic(topic="exchange", topic_id=""), KafkaAdmins())
    tracker.upstream_committed(0, {})
    tracker.close()
    gone = weakref.ref(tracker)
    del tracker
    gc.collect()
    assert gone() is None
