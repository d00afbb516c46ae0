"""What a tracker of an exchange topic does, and leaves behind, when its broker or topic is away."""

import gc
import json
import weakref
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

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


class Client:
    """A client that takes nothing while its topic is gone."""

    def __init__(self) -> None:
        self.gone, self.taken = True, list[int]()

    def produce(self, _: str, *, value: bytes, **__: object) -> None:
        if self.gone:
            raise KafkaException(KafkaError(KafkaError._UNKNOWN_TOPIC))
        self.taken.append(json.loads(value)["watermark_ms"])

    def poll(self, _: float) -> None:
        pass


def test_a_watermark_that_the_client_refuses_is_published_again() -> None:
    """The supervisor's thread goes on: why the topic is gone, the watcher tells."""
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    topic = ExchangeTopic(topic="exchange", topic_id="")
    tracker, client = ExchangeTracker(home, topic, KafkaAdmins(), truncate_after_s=0.0), Client()
    tracker._producer = cast(Any, client)
    tracker.upstream_committed(5_000_000, {})
    assert not tracker.is_idle
    client.gone = False
    tracker.tick()
    assert client.taken == [4_900]


def test_a_job_that_starts_again_and_again_deletes_what_it_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As each refresh of a broadcast table does; what was read is deleted a minute later."""
    home = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
    deleted: list[int] = []
    monkeypatch.setattr(ExchangeTracker, "_truncate", lambda _, offset: deleted.append(offset))
    before: ExchangeTracker | None = None
    for start in range(4):
        topic = ExchangeTopic(topic="exchange", topic_id="")
        tracker = ExchangeTracker(home, topic, KafkaAdmins(), truncate_after_s=0.0)
        if before is not None:
            tracker.goes_on(before)
        tracker.downstream_committed(10 * (start + 1))
        tracker.tick()
        before = tracker
    assert deleted == [10, 20, 30]
