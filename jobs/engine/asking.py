"""Questions to clusters, each cluster on a thread of its own: one that does not answer holds up no other."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from confluent_kafka import KafkaException

from jobs.cluster_identity import ClusterRefusedError
from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
from jobs.sealing import SealError

Place = tuple[str, int]  # topic, partition


@dataclass(frozen=True)
class Question:
    """What is asked of a cluster at once.

    Attributes:
        profile: which cluster, and how it is reached.
        places: whose end offsets are wanted.
        topics: whose ids are wanted.
    """

    profile: ClusterProfile
    places: frozenset[Place]
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Answer:
    """What a cluster said; with an `error` it did not answer.

    Attributes:
        profile: of the question.
        ends: end offsets of the partitions that exist.
        topic_ids: Kafka's ids of the topics that were asked for; None for one that is not there.
        error: why it did not answer; None when it did.
    """

    profile: ClusterProfile
    ends: Mapping[Place, int] = field(default_factory=dict)
    topic_ids: Mapping[str, str | None] = field(default_factory=dict)
    error: str | None = None


class Asking:
    """At most one question at a time to each cluster.

    Args:
        clusters: clients.
        heard: gets every answer, on the thread that asked.
    """

    def __init__(self, clusters: Clusters, heard: Callable[[Answer], None]) -> None:
        self._clusters = clusters
        self._heard = heard
        self._open: set[ClusterProfile] = set()

    def is_open(self, profile: ClusterProfile) -> bool:
        """Whether the last question to this cluster is still on its way."""
        return profile in self._open

    def ask(self, question: Question) -> None:
        """Ask; returns at once. Only when no question to this cluster is open."""
        self._open.add(question.profile)
        name = f"asks {question.profile.cluster_id}"
        threading.Thread(target=self._ask, args=(question,), name=name, daemon=True).start()

    def _ask(self, question: Question) -> None:
        try:
            self._heard(self._answer(question))
        finally:
            self._open.discard(question.profile)

    def _answer(self, question: Question) -> Answer:
        profile = question.profile
        try:
            ends = self._clusters.end_offsets(profile, sorted(question.places))
            ids = self._clusters.topic_ids(profile, sorted(question.topics)) if question.topics else {}
        except (KafkaException, SealError, ClusterRefusedError) as error:
            return Answer(profile, error=str(error))
        return Answer(profile, ends, ids)
