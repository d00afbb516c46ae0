"""Polls clusters for end offsets and topics, each on a thread of its own, so that a slow cluster doesn't
delay the others.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from confluent_kafka import KafkaException

from jobs.cluster_identity import ClusterRefusedError
from jobs.connections import ClusterProfile
from jobs.encryption import DecryptionError
from jobs.engine.consumer_metrics import PartitionId
from jobs.engine.failures import failure_of
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.kafka_messages import Failure

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PollRequest:
    """What one poll fetches from a cluster.

    Attributes:
        profile: connection to the cluster.
        partitions: fetch their end offsets.
        starts: fetch their start offsets.
        topics: describe them.
    """

    profile: ClusterProfile
    partitions: frozenset[PartitionId]
    starts: frozenset[PartitionId] = frozenset()
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PollResult:
    """The response of a cluster, or the `error` of a request that failed.

    Attributes:
        profile: of the request.
        ends: end offsets of the requested partitions; None for one that `KafkaAdmins.end_offsets` leaves out.
        starts: start offsets of those that it doesn't.
        topics: the requested topics, as `KafkaAdmins.known_topics` finds them.
        error: why the request failed; None when it succeeded.
        refusal: the failure of runs that read from the cluster, which may not be used; None: it may.
    """

    profile: ClusterProfile
    ends: Mapping[PartitionId, int | None] = field(default_factory=dict)
    starts: Mapping[PartitionId, int] = field(default_factory=dict)
    topics: Mapping[str, DescribedTopic | None] = field(default_factory=dict)
    error: str | None = None
    refusal: Failure | None = None


class ClusterPoller:
    """Sends at most one request at a time to each cluster.

    Args:
        admins: Kafka clients.
        on_result: called with every result, on the thread that polled.
    """

    def __init__(self, admins: KafkaAdmins, on_result: Callable[[PollResult], None]) -> None:
        self._admins = admins
        self._on_result = on_result
        self._open: set[ClusterProfile] = set()

    def is_open(self, profile: ClusterProfile) -> bool:
        """Whether the last request to this cluster is still open."""
        return profile in self._open

    def poll(self, request: PollRequest) -> None:
        """Send a request; returns at once. Only call it when no request to this cluster is open."""
        self._open.add(request.profile)
        name = f"poll {request.profile.cluster_id}"
        threading.Thread(target=self._poll, args=(request,), name=name, daemon=True).start()

    def _poll(self, request: PollRequest) -> None:
        try:
            self._on_result(self._fetch(request))
        finally:
            self._open.discard(request.profile)

    def _fetch(self, request: PollRequest) -> PollResult:
        profile = request.profile
        try:
            starts = self._admins.start_offsets(profile, sorted(request.starts))
            ends = self._admins.end_offsets(profile, sorted(request.partitions))
            topics = self._admins.known_topics(profile, sorted(request.topics)) if request.topics else {}
        except ClusterRefusedError as error:
            return PollResult(profile, error=str(error), refusal=failure_of(error))
        except (KafkaException, DecryptionError) as error:
            return PollResult(profile, error=str(error))
        except Exception as error:  # what a cluster answers may be anything, and its runs go on
            log.exception("cluster %s", profile.cluster_id)
            return PollResult(profile, error=f"{type(error).__name__}: {error}")
        return PollResult(profile, dict.fromkeys(request.partitions) | ends, starts, topics)
