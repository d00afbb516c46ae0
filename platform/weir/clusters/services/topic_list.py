"""Cached topic list of a cluster. Thousands of topics cost one request, and a cluster that is
down keeps its last list.
"""

import threading
import time
from dataclasses import dataclass
from typing import Final

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import TIMEOUT_S, translate_errors
from weir.clusters.services.topic_changes import changed_at
from weir.workspaces.errors import ServiceError

LIST_TTL_S: Final = 10.0


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


_cache: Final[dict[ClusterProfile, TopicList]] = {}
_lock: Final = threading.Lock()


def list_topics(profile: ClusterProfile, *, fresh: bool = False) -> TopicList:
    """The topics of a cluster, at most `LIST_TTL_S` old; older if the cluster does not answer.

    Args:
        profile: of the cluster.
        fresh: bypass the cache.

    Raises:
        ServiceError: it does not answer, and there is no cached list.
    """
    known = _cache.get(profile)
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
        _cache[profile] = found
    return found


def _fetch(profile: ClusterProfile) -> tuple[TopicSummary, ...]:
    with translate_errors(profile):
        topics = admin(profile).list_topics(timeout=TIMEOUT_S).topics
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
