"""Number of records in topics and their growth, fetched from the broker and cached for a few seconds."""

import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from django.core.cache import cache

from jobs.connections import ClusterProfile
from weir.clusters.services.offsets import offsets, watermarks
from weir.clusters.services.topics import describe_topics
from weir.workspaces.errors import NotFoundError, ServiceError

CACHE_TTL_S: Final = 5
FETCH_TIMEOUT_S: Final = 0.8  # a healthy cluster answers faster; a page waits no longer for others
RATE_WINDOW_S: Final = 60
_THREADS: Final = 8


@dataclass(frozen=True)
class Traffic:
    """Records that the broker retains, and records per second over the last minute (by Kafka timestamp)."""

    records: int
    rate_per_second: float


def fetch_traffic(profile: ClusterProfile, topics: dict[str, int]) -> dict[str, Traffic]:
    """Traffic by topic, at most `CACHE_TTL_S` old; of several topics, those that do not exist are left out.

    Args:
        profile: of the cluster.
        topics: name → number of partitions.

    Raises:
        NotFoundError: none of the topics exists.
        UnreachableError: no answer in time.
    """
    known: dict[str, Traffic] = {}
    for name in topics:
        cached = cache.get(_key(profile, name))
        if cached is not None:
            known[name] = cached
    missing = {name: count for name, count in topics.items() if name not in known}
    if missing:
        known |= _measure_those_there(profile, missing)
    return known


def fetch_within(
    topics: dict[ClusterProfile, dict[str, int]],
) -> tuple[dict[ClusterProfile, dict[str, Traffic]], dict[ClusterProfile, str]]:
    """Traffic of several clusters, fetched in parallel within `FETCH_TIMEOUT_S`, whichever of them are down.

    Args:
        topics: cluster → topic → number of partitions.

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


def _measure_those_there(profile: ClusterProfile, topics: dict[str, int]) -> dict[str, Traffic]:
    try:
        return _measure(profile, topics)
    except NotFoundError:  # one was deleted by other means, or made again with fewer partitions
        there = describe_topics(profile, list(topics))
        if not there:
            raise
        return _measure(profile, {name: info.partitions for name, info in there.items()})


def _measure(profile: ClusterProfile, topics: dict[str, int]) -> dict[str, Traffic]:
    ends = watermarks(profile, topics)
    since = int((time.time() - RATE_WINDOW_S) * 1000)
    before = offsets(
        profile, {TopicPartition(*partition): OffsetSpec.for_timestamp(since) for partition in ends}
    )
    found: dict[str, Traffic] = {}
    for name in topics:
        partitions = [partition for partition in ends if partition[0] == name]
        records = sum(high - low for low, high in (ends[partition] for partition in partitions))
        # -1: no record is that new, so none was written within the window.
        recent = sum(
            max(0, ends[partition][1] - before[partition])
            for partition in partitions
            if before[partition] >= 0
        )
        found[name] = Traffic(records, recent / RATE_WINDOW_S)
        cache.set(_key(profile, name), found[name], CACHE_TTL_S)
    return found


def _key(profile: ClusterProfile, topic: str) -> str:
    # The key covers the whole connection: different users of a cluster may see different topics.
    return f"traffic:{sha256(profile.model_dump_json().encode()).hexdigest()}:{topic}"
