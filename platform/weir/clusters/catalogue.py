"""A cluster's topics as it last told them, and when: a list of thousands costs one request, and a cluster that is down keeps its list."""

import threading
import time
from dataclasses import dataclass
from typing import Final

from jobs.connections import ClusterProfile
from weir.clusters.clients import admin
from weir.clusters.topic_changes import changed_at
from weir.clusters.topics import TIMEOUT_S, asking
from weir.workspaces.errors import ServiceError

LIFE_S: Final = 10.0


@dataclass(frozen=True)
class Listed:
    """A topic of the list; `under_replicated` counts partitions that lack a replica, `leaderless` those that nobody leads."""

    name: str
    partitions: int
    replicas: int
    under_replicated: int
    leaderless: int


@dataclass(frozen=True)
class Catalogue:
    """All topics, by name.

    Attributes:
        asked_at: epoch seconds of the answer.
        topics: in order.
        error: why it could not be asked anew; empty when it is fresh.
    """

    asked_at: float
    topics: tuple[Listed, ...]
    error: str = ""


_known: Final[dict[ClusterProfile, Catalogue]] = {}
_lock: Final = threading.Lock()


def catalogue(profile: ClusterProfile, *, fresh: bool = False) -> Catalogue:
    """The topics of a cluster, at most `LIFE_S` old while it answers, else as it last told them.

    Args:
        profile: which cluster.
        fresh: ask now, however new the last answer is.

    Raises:
        ServiceError: it does not answer and never did.
    """
    known = _known.get(profile)
    if known is not None and not fresh and known.asked_at > changed_at(profile) and time.time() - known.asked_at < LIFE_S:
        return known
    try:
        asked_at = time.time()
        found = Catalogue(asked_at, _ask(profile))
    except ServiceError as error:
        if known is None:
            raise
        return Catalogue(known.asked_at, known.topics, error.detail)
    with _lock:
        _known[profile] = found
    return found


def _ask(profile: ClusterProfile) -> tuple[Listed, ...]:
    with asking(profile):
        topics = admin(profile).list_topics(timeout=TIMEOUT_S).topics
    rows = []
    for name, topic in topics.items():
        parts = topic.partitions.values()
        rows.append(
            Listed(
                name=name,
                partitions=len(parts),
                replicas=max((len(part.replicas) for part in parts), default=0),
                under_replicated=sum(len(part.isrs) < len(part.replicas) for part in parts),
                leaderless=sum(part.leader < 0 for part in parts),
            )
        )
    return tuple(sorted(rows, key=lambda row: row.name))
