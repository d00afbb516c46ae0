"""Describes, creates and deletes topics of a cluster; every call succeeds or fails within a few seconds."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import NewTopic, OffsetSpec
from django.conf import settings
from django.core.cache import cache

from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile, PasswordDecryptor
from jobs.encryption import DecryptionError
from jobs.kafka_errors import LEADERLESS, STALE_METADATA, offset_result
from weir.clusters.clients import admin
from weir.clusters.topic_changes import note_change
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError, UnreachableError

TIMEOUT_S: Final = 4.0
_DOWN_TTL_S: Final = 2  # after a cluster did not answer, other calls fail at once
_DOWN: Final = (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError._RESOLVE)
_GONE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._NOENT)


@dataclass(frozen=True)
class TopicInfo:
    """Description of a topic; `topic_id` is Kafka's UUID as text."""

    name: str
    topic_id: str
    partitions: int
    internal: bool = False


class ForeignTopicError(ConflictError):
    """A topic with the name of one to create exists already. The code is TOPIC_FOREIGN."""


@contextmanager
def translate_errors(profile: ClusterProfile) -> Iterator[None]:
    """Translate the client's errors into service errors; while a cluster is known to be down, fail at once.

    Raises:
        UnreachableError: no answer in time.
        NotFoundError: no such topic.
        ServiceError: the cluster rejected the request.
    """
    key = _down_key(profile)
    if cache.get(key):
        raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} is unreachable.")
    try:
        yield
    except FutureTimeoutError as error:
        cache.set(key, True, _DOWN_TTL_S)
        raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} timed out.") from error
    except KafkaException as error:
        cause = error.args[0]
        if cause.code() in _GONE:
            raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.") from error
        if cause.code() in _DOWN:
            cache.set(key, True, _DOWN_TTL_S)
        if cause.code() in _DOWN or cause.retriable():
            raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap}: {cause.str()}") from error
        raise ServiceError("BROKER_REJECTED", f"Kafka rejected the request: {cause.str()}") from error


def _down_key(profile: ClusterProfile) -> str:
    """Cache key of a connection. It includes the password: a wrong one says nothing about the right one."""
    return f"cluster-down:{sha256(profile.model_dump_json().encode()).hexdigest()}"


def reachable(profile: ClusterProfile, timeout_s: float = 2.0) -> str:
    """Request the cluster's metadata. Returns an empty text if it answered, else the error."""
    try:
        admin(profile).list_topics(topic="__consumer_offsets", timeout=timeout_s)
    except KafkaException as error:
        return _user_refused(profile, timeout_s) or str(error.args[0].str())
    except ServiceError as error:
        return error.detail
    return ""


def _user_refused(profile: ClusterProfile, timeout_s: float) -> str:
    """Message if the cluster rejects the user, which librdkafka reports as a transport failure; empty if not, or if unknown."""
    if not profile.sasl:
        return ""
    try:
        probe(profile, PasswordDecryptor(settings.ENCRYPTION_KEY_FILE), timeout_s)
    except ProbeError as error:
        if error.reason == "user_refused":
            reason = f"wrong name or password, or {profile.mechanism} isn't set up for it"
            return f"The cluster rejected user {profile.username!r}: {reason}."
    except DecryptionError as error:
        return str(error)
    return ""


def describe_topics(profile: ClusterProfile, names: list[str]) -> dict[str, TopicInfo]:
    """The topics among `names` that exist.

    Raises:
        UnreachableError: no answer in time.
    """
    if not names:
        return {}
    found: dict[str, TopicInfo] = {}
    with translate_errors(profile):
        futures: Mapping[str, Future[Any]] = admin(profile).describe_topics(TopicCollection(names), request_timeout=TIMEOUT_S)
        for name, future in futures.items():
            try:
                topic = future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() in _GONE:
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


def offsets(profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
    """Offsets by (topic, partition): earliest, latest, or of the first record at or after a timestamp.

    For a partition without a record at or after the timestamp, the offset is -1.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: no answer in time.
    """
    if not specs:
        return {}
    with translate_errors(profile):
        return _list_offsets(profile, specs)


def _list_offsets(profile: ClusterProfile, specs: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
    """List offsets, and retry while a partition has no leader, as for a moment after a topic was created or a broker came back."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            futures = admin(profile).list_offsets(specs, request_timeout=TIMEOUT_S)
            return {(at.topic, at.partition): offset_result(future, TIMEOUT_S) for at, future in futures.items()}
        except KafkaException as error:
            code = error.args[0].code()
            if code not in (*LEADERLESS, *STALE_METADATA) or time.monotonic() > deadline:
                raise
            if code in STALE_METADATA:
                _refresh_leaders(profile, specs)
        time.sleep(0.05)


def _refresh_leaders(profile: ClusterProfile, partitions: Iterable[TopicPartition]) -> None:
    for topic in {partition.topic for partition in partitions}:
        admin(profile).list_topics(topic, timeout=TIMEOUT_S)


def watermarks(profile: ClusterProfile, topics: dict[str, int]) -> dict[tuple[str, int], tuple[int, int]]:
    """First and next offset of every partition.

    Args:
        profile: of the cluster.
        topics: name → number of partitions.
    """
    partitions = [TopicPartition(name, partition) for name, count in topics.items() for partition in range(count)]
    low = offsets(profile, {partition: OffsetSpec.earliest() for partition in partitions})
    high = offsets(profile, {partition: OffsetSpec.latest() for partition in partitions})
    return {partition: (low[partition], high[partition]) for partition in low}


def end_offsets(profile: ClusterProfile, partitions: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """End offsets of these partitions, by (topic, partition), in one request.

    Partitions that do not exist or have no leader are left out.

    Raises:
        UnreachableError: no answer in time.
    """
    specs = {TopicPartition(topic, partition): OffsetSpec.latest() for topic, partition in partitions}
    found: dict[tuple[str, int], int] = {}
    outdated: list[TopicPartition] = []
    with translate_errors(profile):
        for at, future in (admin(profile).list_offsets(specs, request_timeout=TIMEOUT_S) if specs else {}).items():
            try:
                found[at.topic, at.partition] = offset_result(future, TIMEOUT_S)
            except KafkaException as error:
                code = error.args[0].code()
                if code in STALE_METADATA:
                    outdated.append(at)
                elif code not in (*_GONE, *LEADERLESS):
                    raise
        _refresh_leaders(profile, outdated)
    return found


def create_topic(profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]) -> TopicInfo:
    """Create a topic, unless it exists already.

    Raises:
        UnreachableError: no answer in time.
    """
    return start_topic_creation(profile, name, partitions, config)()


def create_new_topic(profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]) -> TopicInfo:
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
    new = NewTopic(name, num_partitions=partitions, replication_factor=settings.KAFKA_REPLICATION, config=config)
    with translate_errors(profile):
        future = admin(profile).create_topics([new], operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S)[name]

    def wait() -> TopicInfo:
        with translate_errors(profile):
            try:
                future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise
                if must_be_new:
                    raise ForeignTopicError("TOPIC_FOREIGN", f"Topic {name!r} already exists on the cluster.") from error
        note_change(profile)
        return _await_topic(profile, name)

    return wait


def _await_topic(profile: ClusterProfile, name: str) -> TopicInfo:
    """Wait until a new topic exists and every partition has a leader.

    A broker confirms a creation before its metadata shows the topic, and shows it before it accepts records. A producer that writes in
    that moment can lose a batch without an error: Kafka rejects the first batch for want of a leader, takes the second, which is in
    flight already, for the producer's first, and then the retried first batch for a duplicate.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            info = describe_topic(profile, name)
            offsets(profile, {TopicPartition(name, partition): OffsetSpec.latest() for partition in range(info.partitions)})
            return info
        except NotFoundError:
            if time.monotonic() > deadline:
                raise
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
        for future in admin(profile).delete_topics(names, operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S).values():
            try:
                future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() not in _GONE:
                    raise
    _await_deletion(profile, before)
    note_change(profile)


def _await_deletion(profile: ClusterProfile, before: Mapping[str, TopicInfo]) -> None:
    """Wait until none of these topics is shown any more: a broker confirms a deletion before its metadata drops the topic.

    In that moment the creation of a topic with that name fails, or the old topic's description is taken for the new one's. A topic with
    another id is a new one.

    Raises:
        UnreachableError: one is still shown at the deadline.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while left := [name for name, info in describe_topics(profile, list(before)).items() if info.topic_id == before[name].topic_id]:
        if time.monotonic() > deadline:
            raise UnreachableError(
                "CLUSTER_UNREACHABLE", (f"The cluster still lists {', '.join(left)} {TIMEOUT_S} s after their deletion.")
            )
        time.sleep(0.01)
