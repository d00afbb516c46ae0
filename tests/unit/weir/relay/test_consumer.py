"""The consumer of result topics, beside a broker that does not answer its clients."""

from collections.abc import Collection, Mapping
from contextlib import closing

import pytest
from confluent_kafka import KafkaError, KafkaException
from pytest_django import Settings

from tests.support.processes import free_ports
from weir.clusters.services.topics import TopicInfo
from weir.relay import consumer
from weir.relay.consumer import RelayConsumer
from weir.relay.lanes import Lanes
from weir.relay.result_topics import FollowedTopic

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_topic_that_the_client_did_not_take_is_not_taken_for_read(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (port,) = free_ports(1)
    settings.KAFKA_BOOTSTRAP_SERVERS = f"127.0.0.1:{port}"
    monkeypatch.setattr(
        consumer, "describe_topics", lambda _, topics: {topic: TopicInfo(topic, "id", 1) for topic in topics}
    )
    monkeypatch.setattr(
        consumer, "known_offsets", lambda _, specs: {(at.topic, at.partition): 5 for at in specs}
    )
    assign, assigned = Lanes.assign, list[str]()

    def fail_once(lanes: Lanes, offsets: Mapping[str, Mapping[int, int]], heavy: Collection[str]) -> None:
        assigned.extend(offsets)
        if len(assigned) == 1:
            raise KafkaException(KafkaError(KafkaError._CONFLICT))
        assign(lanes, offsets, heavy)

    monkeypatch.setattr(Lanes, "assign", fail_once)
    followed = {"results": FollowedTopic("job", 1, "results", None, append_only=False)}
    with closing(RelayConsumer()) as reading:
        with pytest.raises(KafkaException):
            reading.assign_results(followed)
        assert not reading.buffers
        reading.assign_results(followed)
        assert (list(reading.buffers), assigned) == (["results"], ["results", "results"])
