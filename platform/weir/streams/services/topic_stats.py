"""Number of records in topics and their growth, fetched from the broker and cached for a few seconds."""

import time
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from django.core.cache import cache

from jobs.connections import ClusterProfile
from weir.clusters.services.offsets import known_offsets
from weir.clusters.services.topics import describe_topics
from weir.workspaces.errors import NotFoundError, ServiceError

CACHE_TTL_S: Final = 5
FETCH_TIMEOUT_S: Final = 0.8  # a healthy cluster answers faster; a page waits no longer for others
RATE_WINDOW_S: Final = 60
_THREADS: Final = 8


@dataclass(frozen=True)
class Traffic:
    """Records that the broker retains, and records per second over the last minute (by Kafka timestamp); None
    while a partition has no leader. `partitions`: how many the topic has now.
    """

    partitions: int
    records: int | None
    rate_per_second: float | None


def fetch_traffic(profile: ClusterProfile, topics: Collection[str]) -> dict[str, Traffic]:
    """Traffic by topic, at most `CACHE_TTL_S` old; of several topics, those that do not exist are left out.

    Args:
        profile: of the cluster.
        topics: their names.

    Raises:
        NotFoundError: none of the topics exists.
        UnreachableError: no answer in time.
    """
    known: dict[str, Traffic] = {}
    for name in topics:
        cached = cache.get(_key(profile, name))
        if cached is not None:
            known[name] = cached
    missing = [name for name in topics if name not in known]
    if missing:
        known |= _measure(profile, missing)
    return known


def fetch_within(
    topics: Mapping[ClusterProfile, Collection[str]],
) -> tuple[dict[ClusterProfile, dict[str, Traffic]], dict[ClusterProfile, str]]:
    """Traffic of several clusters, fetched in parallel within `FETCH_TIMEOUT_S`, whichever of them are down.

    Args:
        topics: cluster → names of topics.

    Returns:
        Traffic by cluster and topic, and an error message for each cluster that did not answer.
    """
    # Its own threads: clusters of one workspace that hang must not keep those of another from being asked.
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="traffic")
    requests = {
        profile: pool.submit(fetch_traffic, profile, names) for profile, names in topics.items() if names
    }
    wait(requests.values(), FETCH_TIMEOUT_S)
    pool.shutdown(wait=False, cancel_futures=True)
    found: dict[ClusterProfile, dict[str, Traffic]] = {}
    errors: dict[ClusterProfile, str] = {}
    for profile, request in requests.items():
        try:
            if request.cancelled():
                errors[profile] = f"Kafka cluster {profile.bootstrap} wasn't asked: too many others hang."
            elif request.done():
                found[profile] = request.result()
            else:
                errors[profile] = f"Kafka cluster {profile.bootstrap} timed out."
        except ServiceError as error:
            errors[profile] = error.detail
    return found, errors


def _measure(profile: ClusterProfile, topics: list[str]) -> dict[str, Traffic]:
    counts = {name: info.partitions for name, info in describe_topics(profile, topics).items()}
    if not counts:
        raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")
    partitions = [TopicPartition(name, number) for name, count in counts.items() for number in range(count)]
    since = OffsetSpec.for_timestamp(int((time.time() - RATE_WINDOW_S) * 1000))
    low, high, before = (
        known_offsets(profile, dict.fromkeys(partitions, spec))
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest(), since)
    )
    found = {}
    for name, count in counts.items():
        ids = [(name, number) for number in range(count)]
        found[name] = traffic = (
            _traffic([(low[at], high[at], before[at]) for at in ids])
            if all(at in low and at in high and at in before for at in ids)
            else Traffic(count, None, None)
        )
        cache.set(_key(profile, name), traffic, CACHE_TTL_S)
    return found


def _traffic(partitions: list[tuple[int, int, int]]) -> Traffic:
    """Traffic from the first and next offset of each partition, and the first one within the window; -1: no
    record is that new.
    """
    recent = sum(max(0, high - before) for _, high, before in partitions if before >= 0)
    return Traffic(len(partitions), sum(high - low for low, high, _ in partitions), recent / RATE_WINDOW_S)


def _key(profile: ClusterProfile, topic: str) -> str:
    # The key covers the whole connection: different users of a cluster may see different topics.
    return f"topic-traffic:{sha256(profile.model_dump_json().encode()).hexdigest()}:{topic}"
