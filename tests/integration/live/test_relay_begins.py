"""How a relay begins beside many jobs: what it asks, and what it does about a topic that goes meanwhile."""

from contextlib import closing

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.connections import ClusterProfile
from tests.integration.live.conftest import topic_of
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.clusters.services.offsets import known_offsets
from weir.relay import consumer
from weir.relay.result_topics import followed_topics
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


@pytest.fixture
def topics(broker: KafkaServer, workspace: Workspace, owner: User) -> list[str]:
    """Result topics of five jobs."""
    jobs = [
        job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: stats-{number}"))
        for number in range(5)
    ]
    return [topic_of(broker, running(job)) for job in jobs]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The topics of each question for offsets, which goes to the broker."""
    found: list[set[str]] = []

    def ask(profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
        found.append({at.topic for at in specs})
        return known_offsets(profile, specs)

    monkeypatch.setattr(consumer, "known_offsets", ask)
    return found


def test_it_asks_for_all_topics_at_once(topics: list[str], asked: list[set[str]]) -> None:
    with closing(consumer.RelayConsumer()) as reading:
        reading.assign_results(followed_topics())
        assert reading.buffers.keys() == set(topics)
    assert asked == [set(topics)] * 3, "for the first offsets, the next ones, and those of a time"


def test_a_topic_that_goes_meanwhile_is_left_out(
    broker: KafkaServer, topics: list[str], asked: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    described = consumer.describe_topics

    def describe_and_delete(profile: ClusterProfile, names: list[str]) -> object:
        found = described(profile, names)
        broker.delete_topic(topics[0])
        return found

    monkeypatch.setattr(consumer, "describe_topics", describe_and_delete)
    with closing(consumer.RelayConsumer()) as reading:
        reading.assign_results(followed_topics())
        assert reading.buffers.keys() == set(topics[1:])
