"""A cluster that lists more topics than anybody needs is refused; what was listed is not kept for ever."""

import time

import pytest

from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile
from jobs.engine import kafka_admins
from tests.support.talkative_kafka import talkative_kafka
from weir.clusters.services import topic_list
from weir.clusters.services.clients import IDLE_S, door, shared_producer
from weir.clusters.services.connection_test import ConnectionTest, _Attempt
from weir.clusters.services.topic_list import MAX_TOPICS, TopicSummary, list_topics
from weir.workspaces.errors import ServiceError


@pytest.fixture(autouse=True)
def _open_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "require_open", lambda *_: None)
    monkeypatch.setattr(door, "require_leads_there", lambda *_: None)


def test_topics_up_to_the_limit_are_listed() -> None:
    with talkative_kafka(MAX_TOPICS) as kafka:
        found = list_topics(kafka.profile).topics
        assert (len(found), found[0].name, found[0].partitions) == (MAX_TOPICS, "topic-000000", 1)
        assert probe(kafka.profile, with_topics=True).topics == MAX_TOPICS


def test_more_topics_are_refused_with_what_to_do() -> None:
    with (
        talkative_kafka(MAX_TOPICS + 1) as kafka,
        pytest.raises(ServiceError, match="describe fewer") as told,
    ):
        list_topics(kafka.profile)
    assert (told.value.code, "20,001 topics" in told.value.detail) == ("BROKER_REJECTED", True)


def test_an_answer_of_many_megabytes_is_not_taken() -> None:
    """The length is in its first four bytes; the client took up to 100 MB."""
    with talkative_kafka(150_000) as kafka:
        with pytest.raises(ServiceError, match="above 4 MiB"):
            list_topics(kafka.profile)
        for client in (shared_producer(kafka.profile), kafka_admins._client(kafka.profile)):
            with pytest.raises(Exception, match="Bad message"):
                client.list_topics(timeout=4.0)
        with pytest.raises(ProbeError, match="more than 4 MiB") as told:
            probe(kafka.profile, with_topics=True)
        attempt = _Attempt(kafka.profile, ConnectionTest())
        assert attempt._unanswered(told.value) == str(told.value)
        assert probe(kafka.profile).identity.kafka_id == "talkative"


def test_the_first_question_has_a_short_answer() -> None:
    with talkative_kafka(10_000, unasked=True) as kafka, pytest.raises(ProbeError):
        probe(kafka.profile)


def test_a_list_goes_when_nobody_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that were edited or deleted left theirs for as long as the process lived."""
    monkeypatch.setattr(topic_list, "_cache", {})
    fetched: list[ClusterProfile] = []

    def fetch(profile: ClusterProfile) -> tuple[TopicSummary, ...]:
        fetched.append(profile)
        return ()

    monkeypatch.setattr(topic_list, "_fetch", fetch)
    one = ClusterProfile(cluster_id="edited", bootstrap="127.0.0.1:1")
    other = one.model_copy(update={"bootstrap": "127.0.0.1:2"})
    for profile in (one, other, other):
        list_topics(profile)
    assert (fetched, len(topic_list._cache)) == ([one, other], 1)
    later = time.monotonic() + IDLE_S + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    list_topics(ClusterProfile(cluster_id="another", bootstrap="127.0.0.1:3"))
    assert list(topic_list._cache) == ["another"]
