"""Describes, creates and deletes topics of a cluster; every call succeeds or fails within a few seconds."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import NewTopic, OffsetSpec
from django.conf import settings

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import admin
from weir.clusters.services.offsets import offsets
from weir.clusters.services.reachability import MISSING_TOPIC, TIMEOUT_S, translate_errors
from weir.clusters.services.topic_changes import note_change
from weir.workspaces.errors import ConflictError, NotFoundError, UnreachableError


@dataclass(frozen=True)
class TopicInfo:
    """Description of a topic; `topic_id` is Kafka's UUID as text."""

    name: str
    topic_id: str
    partitions: int
    internal: bool = False


class ForeignTopicError(ConflictError):
    """A topic with the name of one to create exists already. The code is TOPIC_FOREIGN."""


def describe_topics(profile: ClusterProfile, names: list[str]) -> dict[str, TopicInfo]:
    """The topics among `names` that exist.

    Raises:
        UnreachableError: no answer in time.
    """
    if not names:
        return {}
    found: dict[str, TopicInfo] = {}
    with translate_errors(profile):
        futures: Mapping[str, Future[Any]] = admin(profile).describe_topics(
            TopicCollection(names), request_timeout=TIMEOUT_S
        )
        for name, future in futures.items():
            try:
                topic = future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() in MISSING_TOPIC:
                    continue
                raise
            found[name] = TopicInfo(name, str(topic.topic_id), len(topic.partitions), topic.is_internal)
    return found


def describe_topic(profile: ClusterProfile, name: str) -> TopicInfo:
    """Description of a topic.

    Raises:
        NotFoundError: no such topic.
        UnreachableError: no answer in time.
    """
    found = describe_topics(profile, [name]).get(name)
    if found is None:
        raise NotFoundError("TOPIC_NOT_FOUND", f"Topic {name!r} doesn't exist on the cluster.")
    return found


def create_topic(profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]) -> TopicInfo:
    """Create a topic, unless it exists already.

    Raises:
        UnreachableError: no answer in time.
    """
    return start_topic_creation(profile, name, partitions, config)()


def create_new_topic(
    profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]
) -> TopicInfo:
    """Create a topic that must not exist yet.

    Raises:
        ForeignTopicError: a topic with this name exists.
        UnreachableError: no answer in time.
    """
    return start_topic_creation(profile, name, partitions, config, must_be_new=True)()


def start_topic_creation(
    profile: ClusterProfile, name: str, partitions: int, config: dict[str, str], *, must_be_new: bool = False
) -> Callable[[], TopicInfo]:
    """Request the creation of a topic, as `create_topic` does, and return a function that waits for it.

    Raises:
        UnreachableError: the cluster is known to be down.
    """
    new = NewTopic(
        name, num_partitions=partitions, replication_factor=settings.KAFKA_REPLICATION, config=config
    )
    with translate_errors(profile):
        future = admin(profile).create_topics([new], operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S)[
            name
        ]

    def wait() -> TopicInfo:
        with translate_errors(profile):
            try:
                future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise
                if must_be_new:
                    raise ForeignTopicError(
                        "TOPIC_FOREIGN", f"Topic {name!r} already exists on the cluster."
                    ) from error
        note_change(profile)
        return _await_topic(profile, name)

    return wait


def _await_topic(profile: ClusterProfile, name: str) -> TopicInfo:
    """Wait until a new topic exists and every partition has a leader.

    A broker confirms a creation before its metadata shows the topic, and shows it before it accepts records.
    A producer that writes in that moment can lose a batch without an error: Kafka rejects the first batch for
    want of a leader, takes the second, which is in flight already, for the producer's first, and then the
    retried first batch for a duplicate.

    Raises:
        UnreachableError: it is not shown in time, although it was made.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            info = describe_topic(profile, name)
            offsets(
                profile,
                {
                    TopicPartition(name, partition): OffsetSpec.latest()
                    for partition in range(info.partitions)
                },
            )
            return info
        except NotFoundError as error:
            if time.monotonic() > deadline:
                raise UnreachableError(
                    "CLUSTER_UNREACHABLE",
                    f"The cluster doesn't list {name} {TIMEOUT_S} s after its creation.",
                ) from error
        time.sleep(0.01)


def delete_topics(profile: ClusterProfile, names: list[str]) -> None:
    """Delete topics, and wait until the brokers no longer show them. Topics that do not exist are no error.

    Raises:
        UnreachableError: no answer in time.
    """
    if not names:
        return
    before = describe_topics(profile, names)
    with translate_errors(profile):
        for future in (
            admin(profile)
            .delete_topics(names, operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S)
            .values()
        ):
            try:
                future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() not in MISSING_TOPIC:
                    raise
    _await_deletion(profile, before)
    note_change(profile)


def _await_deletion(profile: ClusterProfile, before: Mapping[str, TopicInfo]) -> None:
    """Wait until none of these topics is shown any more: a broker confirms a deletion before its
    metadata drops the topic.

    In that moment the creation of a topic with that name fails, or the old topic's description is taken for
    the new one's. A topic with another id is a new one.

    Raises:
        UnreachableError: one is still shown at the deadline.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while left := [
        name
        for name, info in describe_topics(profile, list(before)).items()
        if info.topic_id == before[name].topic_id
    ]:
        if time.monotonic() > deadline:
            raise UnreachableError(
                "CLUSTER_UNREACHABLE",
                (f"The cluster still lists {', '.join(left)} {TIMEOUT_S} s after their deletion."),
            )
        time.sleep(0.01)
