"""The engine's own Kafka clients: one admin client per cluster, kept, because making one costs more than asking.

A cluster other than the home cluster is asked where it leads (`jobs.cluster_identity`) before its client is used, and again every
few seconds of use.
"""

import threading
import time
from collections.abc import Collection
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from jobs.broker_addresses import endpoints_of
from jobs.broker_answers import LEADERLESS, OUTDATED, answered_offset
from jobs.cluster_identity import ClusterIdentity, Home, home_of, identity_of, require_foreign
from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile, librdkafka_options
from jobs.engine.key_file import secrets

ASK_SECONDS: Final = 5.0
RECHECK_SECONDS: Final = 5.0
_GONE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION)


class Clusters:
    """Asks clusters about topics and positions; safe to use from several threads.

    Args:
        home: the home cluster; None: there is none, and no cluster is taken for it.
        private_allowed: whether brokers of other clusters may have loopback and private addresses.
        listeners: host:port[,host:port…] of the home cluster beside those of its profile.
    """

    def __init__(self, home: ClusterProfile | None = None, *, private_allowed: bool = True, listeners: str = "") -> None:
        self._home = home
        self._listeners = tuple(endpoints_of(listeners)) if listeners else ()
        self._private_allowed = private_allowed
        self._home_seen: Home | None = None
        self._admins: dict[ClusterProfile, AdminClient] = {}
        self._asked: dict[ClusterProfile, float] = {}  # monotonic seconds until which the last answer of where it leads stands
        self._lock = threading.Lock()

    def admin(self, profile: ClusterProfile) -> AdminClient:
        """The admin client of a cluster.

        Raises:
            ClusterRefusedError: it leads home, or to a broker that no cluster may have.
            KafkaException: it does not answer.
        """
        is_foreign = self._home is not None and profile.cluster_id != self._home.cluster_id
        if is_foreign and profile not in self._admins:
            # Clients connect to all brokers that a cluster names: these are looked at before there is a client.
            self._require_foreign(_probed(profile))
        with self._lock:
            if profile not in self._admins:
                self._admins[profile] = _client(profile)
            client = self._admins[profile]
        if is_foreign and self._asked.get(profile, 0.0) < time.monotonic():
            self._require_foreign(identity_of(client, ASK_SECONDS))
            self._asked[profile] = time.monotonic() + RECHECK_SECONDS
        return client

    def _require_foreign(self, identity: ClusterIdentity) -> None:
        if self._home is None:
            return
        if self._home_seen is None:
            listeners = (*endpoints_of(self._home.bootstrap), *self._listeners)
            self._home_seen = home_of(identity_of(self.admin(self._home), ASK_SECONDS), listeners)
        require_foreign(identity, self._home_seen, private_allowed=self._private_allowed)

    def forget_others(self, used: Collection[ClusterProfile]) -> None:
        """Drop clients by another connection than these to the same clusters: with an old password they would go on trying."""
        ids = {profile.cluster_id for profile in used}
        with self._lock:
            for profile in [known for known in self._admins if known not in used and known.cluster_id in ids]:
                del self._admins[profile]

    def topic_ids(self, profile: ClusterProfile, topics: list[str]) -> dict[str, str | None]:
        """Kafka's UUID of each topic, as text; None for a topic that is not there.

        Raises:
            KafkaException: the cluster does not answer.
        """
        asked = self.admin(profile).describe_topics(TopicCollection(topics), request_timeout=ASK_SECONDS)
        found: dict[str, str | None] = {}
        for topic, future in asked.items():
            try:
                found[topic] = str(future.result().topic_id)
            except KafkaException as error:
                if error.args[0].code() not in _GONE:
                    raise
                found[topic] = None
        return found

    def end_offsets(self, profile: ClusterProfile, partitions: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """End offsets of the partitions that exist and are led by somebody the client knows; of others the next call may tell.

        Raises:
            KafkaException: the cluster does not answer.
        """
        if not partitions:
            return {}
        wanted = {TopicPartition(topic, partition): OffsetSpec.latest() for topic, partition in partitions}
        found: dict[tuple[str, int], int] = {}
        outdated: set[str] = set()
        for place, future in self.admin(profile).list_offsets(wanted, request_timeout=ASK_SECONDS).items():
            try:
                found[place.topic, place.partition] = answered_offset(future)
            except KafkaException as error:
                code = error.args[0].code()
                if code in OUTDATED:
                    outdated.add(place.topic)
                elif code not in (*_GONE, *LEADERLESS):
                    raise
        for topic in outdated:
            self.admin(profile).list_topics(topic, timeout=ASK_SECONDS)
        return found


def _client(profile: ClusterProfile) -> AdminClient:
    # Brokers that are away are told by answers that fail; a line per attempt says nothing more.
    options: dict[str, Any] = {**librdkafka_options(profile, secrets()), "log_level": 2, "reconnect.backoff.max.ms": 1000}
    return AdminClient(options)


def _probed(profile: ClusterProfile) -> ClusterIdentity:
    try:
        return probe(profile, secrets(), ASK_SECONDS).identity
    except ProbeError as error:
        raise KafkaException(KafkaError(KafkaError._TRANSPORT, str(error))) from error
