"""A validator's dead-letter topic on a real broker: created once, identified by its id, deleted with it."""

import uuid
from collections.abc import Callable
from typing import Any, Final

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec

from jobs.connections import ClusterProfile
from jobs.kafka_messages import dead_letter_topic
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import offsets
from weir.clusters.services.topics import create_topic, delete_topics, describe_topics
from weir.dead_letters.models import DeadLetter, Validator
from weir.dead_letters.services.indexing import index_dead_letters
from weir.dead_letters.services.lifecycle import ensure_validator
from weir.runs.models import Desired, Generation, Job, Run
from weir.runs.services.dead_letter_topics import ensure_dead_letter_topic
from weir.runs.services.deletion import finish_deletion
from weir.runs.services.run_publisher import publish_run
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
BASE = "/api/v1/workspaces/ops/streams"
Enable = Callable[[], Run]
REQUESTED: Final = {"result_topic_id": "", "topics_ready": False, "topic_requested": True}


@pytest.fixture
def validator(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    topic = f"orders.{uuid.uuid4().hex[:8]}"
    made = {"name": "orders", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(BASE, made).status_code == 201
    created_validator = ensure_validator(Stream.objects.get())
    yield created_validator
    delete_topics(home_profile(), [topic, dead_letter_topic(created_validator.job_id)])


@pytest.fixture
def enable(validator: Validator, owner: User, start_run: Callable[[str], str]) -> Enable:
    """A user turns contract validation on, and the worker starts the run."""

    def restart() -> Run:
        client = client_of(owner)
        client.put(f"{BASE}/orders/validation", {"on": False})
        Run.objects.update(observed="stopped")
        assert client.put(f"{BASE}/orders/validation", {"on": True}).status_code == 200
        run: Run = Run.objects.get()
        start_run(run.generation.job_id)
        run.refresh_from_db()
        return run

    return restart


def id_of(topic: str) -> str | None:
    info = describe_topics(home_profile(), [topic]).get(topic)
    return None if info is None else info.topic_id


def records_in(topic: str) -> int:
    info = describe_topics(home_profile(), [topic])[topic]
    ends = {TopicPartition(topic, partition): OffsetSpec.latest() for partition in range(info.partitions)}
    return sum(offsets(home_profile(), ends).values())


def test_it_is_made_under_the_validators_id_and_found_again(validator: Validator, enable: Enable) -> None:
    topic = dead_letter_topic(validator.job_id)
    assert topic == f"weir.dead.{validator.job_id}"
    run = enable()
    assert run.failure is None
    made = Generation.objects.get()
    assert (made.result_topic, made.result_topic_id) == (topic, id_of(topic))
    assert enable().failure is None
    assert Generation.objects.get().result_topic_id == id_of(topic)


@pytest.mark.parametrize("is_empty", [True, False], ids=["empty", "with records"])
def test_a_topic_of_its_name_that_it_did_not_make_is_refused(
    validator: Validator, enable: Enable, producer: Any, owner: User, is_empty: bool
) -> None:
    """It was planted, as a forger or somebody who wants to read along would."""
    topic = dead_letter_topic(validator.job_id)
    create_topic(home_profile(), topic, 1, {})
    if not is_empty:
        producer.produce(topic, b"planted")
        producer.flush()
    planted, records = id_of(topic), records_in(topic)
    run = enable()
    assert run.failure is not None
    assert (run.observed, run.failure["code"], run.failure["permanent"]) == ("failed", "TOPIC_FOREIGN", True)
    assert topic in run.failure["message"]
    seen = client_of(owner).get(f"{BASE}/orders/validation").json()
    assert (seen["observed"], seen["failure"]["code"]) == ("failed", "TOPIC_FOREIGN")
    assert not index_dead_letters(Validator.objects.get())
    assert not DeadLetter.objects.exists()
    assert (id_of(topic), records_in(topic)) == (planted, records)

    delete_topics(home_profile(), [topic])  # with the cluster's own tools, as the message says
    assert enable().failure is None
    assert id_of(topic) not in (None, planted)


def test_one_that_takes_its_place_is_neither_read_nor_used(
    validator: Validator, enable: Enable, producer: Any
) -> None:
    topic = dead_letter_topic(validator.job_id)
    enable()
    delete_topics(home_profile(), [topic])
    create_topic(home_profile(), topic, 1, {})
    producer.produce(topic, b"forged")
    producer.flush()
    assert not index_dead_letters(Validator.objects.get())
    assert Validator.objects.get().dead_letter_topic_id == ""
    assert (enable().failure or {}).get("code") == "TOPIC_FOREIGN"


def test_a_start_that_was_cut_short_finds_its_own_topic(validator: Validator, enable: Enable) -> None:
    """The topic was made, and the worker ended before it noted the id."""
    topic = dead_letter_topic(validator.job_id)
    enable()
    made = id_of(topic)
    Generation.objects.update(**REQUESTED)
    assert enable().failure is None
    assert Generation.objects.get().result_topic_id == made == id_of(topic)


@pytest.mark.parametrize("is_noted", [True, False], ids=["its id is noted", "its id is not noted yet"])
def test_a_topic_that_the_broker_does_not_show_yet_is_its_own(
    validator: Validator, enable: Enable, producer: Any, monkeypatch: pytest.MonkeyPatch, is_noted: bool
) -> None:
    """Another start made it a moment ago, or this one did, and the broker's answer was lost."""
    topic = dead_letter_topic(validator.job_id)
    enable()
    made = id_of(topic)
    if is_noted:
        producer.produce(topic, b"a dead letter")
        producer.flush()
    else:
        Generation.objects.update(**REQUESTED)
    shown = [{}]  # the first answer

    def describe(profile: ClusterProfile, names: list[str]) -> dict[str, Any]:
        return shown.pop() if shown else describe_topics(profile, names)

    monkeypatch.setattr("weir.runs.services.dead_letter_topics.describe_topics", describe)
    assert enable().failure is None
    assert Generation.objects.get().result_topic_id == made == id_of(topic)


def test_a_topic_that_another_start_makes_meanwhile_is_its_own(validator: Validator, enable: Enable) -> None:
    """It is there when this start asks the broker, and was not asked for when this start read its row."""
    enable()
    made = id_of(dead_letter_topic(validator.job_id))
    Generation.objects.update(**REQUESTED | {"topic_requested": False})
    read = Generation.objects.get()
    Generation.objects.update(**REQUESTED)
    ensure_dead_letter_topic(read)
    assert Generation.objects.get().result_topic_id == made


def test_a_run_is_not_published_while_its_topic_is_being_made(validator: Validator, enable: Enable) -> None:
    """An engine that knows no id would take the topic for somebody else's."""
    enable()
    Generation.objects.update(**REQUESTED)  # a start has asked for the topic
    Run.objects.update(published_at=None)
    publish_run(Run.objects.get())
    assert Run.objects.get().published_at is None
    Run.objects.update(desired=Desired.STOPPED)
    publish_run(Run.objects.get())
    assert Run.objects.get().published_at is not None


@pytest.mark.parametrize("is_own", [True, False], ids=["its own", "another of its name"])
def test_it_goes_with_its_stream(validator: Validator, enable: Enable, owner: User, is_own: bool) -> None:
    topic, job_id = dead_letter_topic(validator.job_id), validator.job_id
    enable()
    if not is_own:
        delete_topics(home_profile(), [topic])
        create_topic(home_profile(), topic, 1, {})
    assert client_of(owner).delete(f"{BASE}/orders").status_code == 204
    Run.objects.update(observed="stopped")
    assert finish_deletion(job_id)
    assert not Job.objects.filter(pk=job_id).exists()
    assert (id_of(topic) is None) == is_own


def test_it_is_made_and_goes_although_the_home_cluster_has_another_address_since(
    validator: Validator, enable: Enable, owner: User
) -> None:
    topic, job_id = dead_letter_topic(validator.job_id), validator.job_id
    enable()
    delete_topics(home_profile(), [topic])
    generation = Generation.objects.get()
    generation.sources["records"]["cluster"]["bootstrap"] = "127.0.0.1:9"
    generation.save()
    ensure_dead_letter_topic(generation)
    assert id_of(topic) is not None
    assert client_of(owner).delete(f"{BASE}/orders").status_code == 204
    Run.objects.update(observed="stopped")
    assert finish_deletion(job_id)
    assert id_of(topic) is None
