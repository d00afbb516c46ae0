"""Questions to a cluster about its topics, and their creation and deletion; each answers or fails within a few seconds."""

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
from jobs.connections import ClusterProfile, Secrets
from jobs.kafka_errors import LEADERLESS, STALE_METADATA, offset_result
from jobs.sealing import SealError
from weir.clusters.clients import admin
from weir.clusters.topic_changes import note_change
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError, UnreachableError

TIMEOUT_S: Final = 4.0
_DOWN_LIFE_S: Final = 2  # after a cluster did not answer, others need not wait for it as well
_DOWN: Final = (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError._RESOLVE)
_GONE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._NOENT)


@dataclass(frozen=True)
class TopicFacts:
    """What a cluster says of a topic; `topic_id` is Kafka's UUID in its own text form."""

    name: str
    topic_id: str
    partitions: int
    internal: bool = False


class ForeignTopicError(ConflictError):
    """A topic of the name that is to be made is there, and it was not made for this purpose; its code is TOPIC_FOREIGN."""


@contextmanager
def asking(profile: ClusterProfile) -> Iterator[None]:
    """Turn the client's errors into refusals; while a cluster is known to be down, refuse at once.

    Raises:
        UnreachableError: no answer in time.
        NotFoundError: no such topic.
        ServiceError: the cluster answered that it will not.
    """
    key = _down_key(profile)
    if cache.get(key):
        raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} is unreachable.")
    try:
        yield
    except FutureTimeoutError as error:
        cache.set(key, True, _DOWN_LIFE_S)
        raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap} timed out.") from error
    except KafkaException as error:
        cause = error.args[0]
        if cause.code() in _GONE:
            raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.") from error
        if cause.code() in _DOWN:
            cache.set(key, True, _DOWN_LIFE_S)
        if cause.code() in _DOWN or cause.retriable():
            raise UnreachableError("BROKER_UNREACHABLE", f"Kafka cluster {profile.bootstrap}: {cause.str()}") from error
        raise ServiceError("BROKER_REJECTED", f"Kafka rejected the request: {cause.str()}") from error


def _down_key(profile: ClusterProfile) -> str:
    """By the whole connection: a wrong password says nothing about the right one, nor about others' at the same address."""
    return f"cluster-down:{sha256(profile.model_dump_json().encode()).hexdigest()}"


def reachable(profile: ClusterProfile, timeout_s: float = 2.0) -> str:
    """Ask the cluster for its metadata; the empty text when it answered, else why not."""
    try:
        admin(profile).list_topics(topic="__consumer_offsets", timeout=timeout_s)
    except KafkaException as error:
        return _user_refused(profile, timeout_s) or str(error.args[0].str())
    except ServiceError as error:
        return error.detail
    return ""


def _user_refused(profile: ClusterProfile, timeout_s: float) -> str:
    """Whether it is the user whom a cluster refuses: librdkafka calls that a failure of transport. Empty: no, or it is not known."""
    if not profile.sasl:
        return ""
    try:
        probe(profile, Secrets(settings.SEAL_KEY_FILE), timeout_s)
    except ProbeError as error:
        if error.reason == "user_refused":
            why = f"wrong name or password, or {profile.mechanism} isn't set up for it"
            return f"The cluster rejected user {profile.username!r}: {why}."
    except SealError as error:
        return str(error)
    return ""


def describe_topics(profile: ClusterProfile, names: list[str]) -> dict[str, TopicFacts]:
    """The topics among `names` that exist.

    Raises:
        UnreachableError: no answer in time.
    """
    if not names:
        return {}
    found: dict[str, TopicFacts] = {}
    with asking(profile):
        futures: Mapping[str, Future[Any]] = admin(profile).describe_topics(TopicCollection(names), request_timeout=TIMEOUT_S)
        for name, future in futures.items():
            try:
                topic = future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() in _GONE:
                    continue
                raise
            found[name] = TopicFacts(name, str(topic.topic_id), len(topic.partitions), topic.is_internal)
    return found


def describe_topic(profile: ClusterProfile, name: str) -> TopicFacts:
    """A topic's facts.

    Raises:
        NotFoundError: no such topic.
        UnreachableError: no answer in time.
    """
    found = describe_topics(profile, [name]).get(name)
    if found is None:
        raise NotFoundError("TOPIC_NOT_FOUND", f"Topic {name!r} doesn't exist on the cluster.")
    return found


def offsets(profile: ClusterProfile, wanted: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
    """Offsets by (topic, partition) for one kind of question: earliest, latest, or the first record at or after an instant.

    A partition without a record at or after the instant answers -1.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: no answer in time.
    """
    if not wanted:
        return {}
    with asking(profile):
        return _led_offsets(profile, wanted)


def _led_offsets(profile: ClusterProfile, wanted: dict[TopicPartition, OffsetSpec]) -> dict[tuple[str, int], int]:
    """For a moment after a topic is made, or a broker came back, nobody leads the partition: asked again until somebody does."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            futures = admin(profile).list_offsets(wanted, request_timeout=TIMEOUT_S)
            return {(place.topic, place.partition): offset_result(future, TIMEOUT_S) for place, future in futures.items()}
        except KafkaException as error:
            code = error.args[0].code()
            if code not in (*LEADERLESS, *STALE_METADATA) or time.monotonic() > deadline:
                raise
            if code in STALE_METADATA:
                _learn_leaders(profile, wanted)
        time.sleep(0.05)


def _learn_leaders(profile: ClusterProfile, places: Iterable[TopicPartition]) -> None:
    for topic in {place.topic for place in places}:
        admin(profile).list_topics(topic, timeout=TIMEOUT_S)


def watermarks(profile: ClusterProfile, topics: dict[str, int]) -> dict[tuple[str, int], tuple[int, int]]:
    """First and next offset of every partition.

    Args:
        profile: which cluster.
        topics: name → number of partitions.
    """
    places = [TopicPartition(name, partition) for name, count in topics.items() for partition in range(count)]
    low = offsets(profile, {place: OffsetSpec.earliest() for place in places})
    high = offsets(profile, {place: OffsetSpec.latest() for place in places})
    return {place: (low[place], high[place]) for place in low}


def ends(profile: ClusterProfile, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """Next offset of these partitions, by (topic, partition), in one request.

    Those that are gone, or led by nobody for the moment, are left out.

    Raises:
        UnreachableError: no answer in time.
    """
    wanted = {TopicPartition(topic, partition): OffsetSpec.latest() for topic, partition in places}
    found: dict[tuple[str, int], int] = {}
    outdated: list[TopicPartition] = []
    with asking(profile):
        for place, future in (admin(profile).list_offsets(wanted, request_timeout=TIMEOUT_S) if wanted else {}).items():
            try:
                found[place.topic, place.partition] = offset_result(future, TIMEOUT_S)
            except KafkaException as error:
                code = error.args[0].code()
                if code in STALE_METADATA:
                    outdated.append(place)
                elif code not in (*_GONE, *LEADERLESS):
                    raise
        _learn_leaders(profile, outdated)
    return found


def create_topic(profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]) -> TopicFacts:
    """Create a topic, or find that it is there already.

    Raises:
        UnreachableError: no answer in time.
    """
    return begin_topic(profile, name, partitions, config)()


def create_new_topic(profile: ClusterProfile, name: str, partitions: int, config: dict[str, str]) -> TopicFacts:
    """Create a topic that must not be there yet.

    Raises:
        ForeignTopicError: there is one of that name.
        UnreachableError: no answer in time.
    """
    return begin_topic(profile, name, partitions, config, must_be_new=True)()


def begin_topic(
    profile: ClusterProfile, name: str, partitions: int, config: dict[str, str], *, must_be_new: bool = False
) -> Callable[[], TopicFacts]:
    """Ask for a topic, as `create_topic` does, without waiting: the answer is a function that waits for it.

    Raises:
        UnreachableError: the cluster is known not to answer.
    """
    new = NewTopic(name, num_partitions=partitions, replication_factor=settings.KAFKA_REPLICATION, config=config)
    with asking(profile):
        future = admin(profile).create_topics([new], operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S)[name]

    def wait() -> TopicFacts:
        with asking(profile):
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


def _await_topic(profile: ClusterProfile, name: str) -> TopicFacts:
    """Wait until a topic that was asked for is there and every partition has its leader.

    A broker answers a creation a moment before its own metadata shows the topic, and shows it a moment before it takes records. Who writes
    in that moment can lose a batch without an error: Kafka refuses the first as not led, takes the second, which is on its way already, for
    the first of this producer, and the first, sent again, for one that it has.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            facts = describe_topic(profile, name)
            offsets(profile, {TopicPartition(name, partition): OffsetSpec.latest() for partition in range(facts.partitions)})
            return facts
        except NotFoundError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def delete_topics(profile: ClusterProfile, names: list[str]) -> None:
    """Delete topics, and wait until the brokers show that they are gone; those that do not exist are no error.

    Raises:
        UnreachableError: no answer in time.
    """
    if not names:
        return
    before = describe_topics(profile, names)
    with asking(profile):
        for future in admin(profile).delete_topics(names, operation_timeout=TIMEOUT_S, request_timeout=TIMEOUT_S).values():
            try:
                future.result(TIMEOUT_S)
            except KafkaException as error:
                if error.args[0].code() not in _GONE:
                    raise
    _await_deletion(profile, before)
    note_change(profile)


def _await_deletion(profile: ClusterProfile, before: Mapping[str, TopicFacts]) -> None:
    """Wait until none of these topics is shown any more: a broker answers a deletion a moment before its own metadata forgets the topic.

    In that moment a new topic of the name is refused as existing, or the old one's facts are taken for the new one's. A topic of another
    id is somebody's new one.

    Raises:
        UnreachableError: one is still shown at the deadline.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while left := [name for name, facts in describe_topics(profile, list(before)).items() if facts.topic_id == before[name].topic_id]:
        if time.monotonic() > deadline:
            raise UnreachableError(
                "CLUSTER_UNREACHABLE", (f"The cluster still lists {', '.join(left)} {TIMEOUT_S} s after their deletion.")
            )
        time.sleep(0.01)
