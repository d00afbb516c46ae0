"""Cached topic list of a cluster. Thousands of topics cost one request, and a cluster that is
down keeps its last list.
"""

import threading
import time
from dataclasses import dataclass, replace
from typing import Final

from jobs.connections import ClusterProfile
from weir.clusters.models import HOME
from weir.clusters.services.clients import IDLE_S, admin
from weir.clusters.services.reachability import TIMEOUT_S, translate_errors
from weir.clusters.services.topic_changes import changed_at
from weir.workspaces.errors import ServiceError

LIST_TTL_S: Final = 10.0
MAX_TOPICS: Final = 20_000  # of a workspace's cluster


@dataclass(frozen=True)
class TopicSummary:
    """A topic of the list. `under_replicated`: partitions that lack an in-sync replica; `leaderless`:
    partitions without a leader.
    """

    name: str
    partitions: int
    replicas: int
    under_replicated: int
    leaderless: int


@dataclass(frozen=True)
class TopicList:
    """All topics of a cluster.

    Attributes:
        fetched_at: epoch seconds of the request.
        topics: by name.
        error: why the last refresh failed; empty if it succeeded.
    """

    fetched_at: float
    topics: tuple[TopicSummary, ...]
    error: str = ""


@dataclass(frozen=True)
class _Known:
    """A list, the connection that it came over, and the monotonic seconds of its last use."""

    profile: ClusterProfile
    listed: TopicList
    used_at: float


_cache: Final[dict[str, _Known]] = {}  # by cluster id; without those that nobody has used for `IDLE_S`
_lock: Final = threading.Lock()


def list_topics(profile: ClusterProfile, *, fresh: bool = False) -> TopicList:
    """The topics of a cluster, at most `LIST_TTL_S` old; older if the cluster does not answer.

    Args:
        profile: of the cluster.
        fresh: bypass the cache.

    Raises:
        ServiceError: it does not answer, or has more than `MAX_TOPICS`, and there is no cached list.
    """
    known = _known(profile)
    if (
        known is not None
        and not fresh
        and known.fetched_at > changed_at(profile)
        and time.time() - known.fetched_at < LIST_TTL_S
    ):
        return known
    try:
        fetched_at = time.time()
        found = TopicList(fetched_at, _fetch(profile))
    except ServiceError as error:
        if known is None:
            raise
        return TopicList(known.fetched_at, known.topics, error.detail)
    with _lock:
        _cache[profile.cluster_id] = _Known(profile, found, time.monotonic())
    return found


def _known(profile: ClusterProfile) -> TopicList | None:
    """The cached list, which is used now."""
    now = time.monotonic()
    with _lock:
        for cluster_id in [each for each, known in _cache.items() if known.used_at < now - IDLE_S]:
            del _cache[cluster_id]
        known = _cache.get(profile.cluster_id)
        if known is None or known.profile != profile:
            return None
        _cache[profile.cluster_id] = replace(known, used_at=now)
        return known.listed


def _fetch(profile: ClusterProfile) -> tuple[TopicSummary, ...]:
    with translate_errors(profile):
        topics = admin(profile).list_topics(timeout=TIMEOUT_S).topics
    if profile.cluster_id != HOME and len(topics) > MAX_TOPICS:
        raise ServiceError(
            "BROKER_REJECTED",
            f"Kafka cluster {profile.bootstrap} lists {len(topics):,} topics; the limit is {MAX_TOPICS:,}. "
            "Let its user describe fewer of them.",
        )
    rows = []
    for name, topic in topics.items():
        parts = topic.partitions.values()
        rows.append(
            TopicSummary(
                name=name,
                partitions=len(parts),
                replicas=max((len(part.replicas) for part in parts), default=0),
                under_replicated=sum(len(part.isrs) < len(part.replicas) for part in parts),
                leaderless=sum(part.leader < 0 for part in parts),
            )
        )
    return tuple(sorted(rows, key=lambda row: row.name))
