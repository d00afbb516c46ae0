"""How much is in a topic and how fast it grows, asked of the broker and kept for a few seconds."""

import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec
from django.core.cache import cache

from jobs.connections import ClusterProfile
from weir.clusters.topics import offsets, watermarks
from weir.workspaces.errors import ServiceError

LIFE_S: Final = 5
PATIENCE_S: Final = 0.8  # a cluster that is well answers in less; a page waits no longer for one that is not
SPAN_S: Final = 60


@dataclass(frozen=True)
class Traffic:
    """Records that the broker holds, and records per second over the last minute (by Kafka timestamp)."""

    records: int
    rate_per_second: float


def traffic(profile: ClusterProfile, topics: dict[str, int]) -> dict[str, Traffic]:
    """Traffic by topic, at most `LIFE_S` old.

    Args:
        profile: which cluster.
        topics: name → number of partitions; each must exist.

    Raises:
        NotFoundError: a topic does not exist.
        UnreachableError: no answer in time.
    """
    known: dict[str, Traffic] = {}
    for name in topics:
        cached = cache.get(_key(profile, name))
        if cached is not None:
            known[name] = cached
    asked = {name: count for name, count in topics.items() if name not in known}
    if asked:
        known |= _measure(profile, asked)
    return known


_pool: Final = ThreadPoolExecutor(8, thread_name_prefix="traffic")


def patient_traffic(
    asked: dict[ClusterProfile, dict[str, int]],
) -> tuple[dict[ClusterProfile, dict[str, Traffic]], dict[ClusterProfile, str]]:
    """Traffic of several clusters, asked at once; a page waits at most `PATIENCE_S`, whichever of them are down.

    Args:
        asked: cluster → topic → number of partitions.

    Returns:
        By cluster what was measured, and why nothing was of those that did not answer.
    """
    questions = {profile: _pool.submit(traffic, profile, topics) for profile, topics in asked.items() if topics}
    wait(questions.values(), PATIENCE_S)
    found: dict[ClusterProfile, dict[str, Traffic]] = {}
    silent: dict[ClusterProfile, str] = {}
    for profile, question in questions.items():
        try:
            if question.done():
                found[profile] = question.result()
            else:
                silent[profile] = f"Kafka cluster {profile.bootstrap} timed out."
        except ServiceError as error:
            silent[profile] = error.detail
    return found, silent


def _measure(profile: ClusterProfile, topics: dict[str, int]) -> dict[str, Traffic]:
    ends = watermarks(profile, topics)
    since = int((time.time() - SPAN_S) * 1000)
    before = offsets(profile, {TopicPartition(*place): OffsetSpec.for_timestamp(since) for place in ends})
    found: dict[str, Traffic] = {}
    for name in topics:
        places = [place for place in ends if place[0] == name]
        records = sum(high - low for low, high in (ends[place] for place in places))
        # -1: no record is that new, so none came within the span.
        recent = sum(max(0, ends[place][1] - before[place]) for place in places if before[place] >= 0)
        found[name] = Traffic(records, recent / SPAN_S)
        cache.set(_key(profile, name), found[name], LIFE_S)
    return found


def _key(profile: ClusterProfile, topic: str) -> str:
    # By the whole connection: what one user of a cluster may count is not another's to see.
    return f"traffic:{sha256(profile.model_dump_json().encode()).hexdigest()}:{topic}"
