"""The platform's Kafka clients while connections change."""

import pytest
from confluent_kafka import TopicCollection
from pytest_django import Settings

from tests.support.kafka_node import KafkaServer
from weir.clusters.services.clients import admin, home_profile, shared_producer
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.system_topics import publish

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


def test_what_a_client_was_asked_is_answered_though_another_takes_its_place(
    broker: KafkaServer, settings: Settings
) -> None:
    broker.create_topic("replaced")
    port = broker.bootstrap.rpartition(":")[2]
    for number in range(6):
        settings.KAFKA_BOOTSTRAP_SERVERS = f"{('127.0.0.1', 'localhost')[number % 2]}:{port}"
        asked = admin(home_profile()).describe_topics(TopicCollection(["replaced"]), request_timeout=10)
        settings.KAFKA_BOOTSTRAP_SERVERS = f"{('localhost', '127.0.0.1')[number % 2]}:{port}"
        admin(home_profile())
        assert asked["replaced"].result(20).name == "replaced"


def test_who_tells_engines_something_does_not_wait_for_records_of_others(broker: KafkaServer) -> None:
    """As of those of a stream whose topic was deleted: its client asks for it for half a minute."""
    broker.create_topic("told")
    shared_producer(home_profile()).produce("gone", b"waits")
    publish("told", {"key": b"value"})
    (low, high) = watermarks(home_profile(), {"told": 1})["told", 0]
    assert (low, high) == (0, 1)
