"""The engine's Kafka admin clients: one per cluster, cached because creating one costs more than a request.

The identity of a cluster other than the home cluster is checked (`jobs.cluster_identity`) before its client
is first used, and again every few seconds while it is used.
"""

import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from jobs.broker_addresses import Endpoint, endpoints_of
from jobs.cluster_identity import (
    ClusterIdentity,
    ClusterRefusedError,
    Home,
    SlowNamesError,
    home_of,
    identity_of,
    require_foreign,
)
from jobs.cluster_probe import ProbeError, probe
from jobs.connections import BOUNDED_ANSWERS, FRESH_METADATA, ClusterProfile, librdkafka_options
from jobs.engine.key_file import decryptor
from jobs.kafka_errors import LEADERLESS, OF_ONE_TOPIC, STALE_METADATA, offset_result
from jobs.kafka_replaced import keep_for_answers

REQUEST_TIMEOUT_S: Final = 5.0
IDENTITY_CHECK_INTERVAL_S: Final = 5.0
_GONE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION)


@dataclass(frozen=True, slots=True)
class DescribedTopic:
    """A topic as its cluster describes it: Kafka's UUID, as text, and the number of partitions."""

    topic_id: str
    partitions: int


class KafkaAdmins:
    """Fetches topic ids and offsets from clusters; safe to use from several threads.

    Args:
        home: the home cluster; None: the identity of clusters is not checked.
        private_allowed: whether brokers of other clusters may have loopback and private addresses.
        listeners: further addresses of the home cluster besides those of its profile, as
            host:port[,host:port…].
    """

    def __init__(
        self, home: ClusterProfile | None = None, *, private_allowed: bool = True, listeners: str = ""
    ) -> None:
        self._home = home
        self._listeners = tuple(endpoints_of(listeners)) if listeners else ()
        self._private_allowed = private_allowed
        self._home_seen: Home | None = None
        self._admins: dict[ClusterProfile, AdminClient] = {}
        # Monotonic seconds until which the last identity check is valid.
        self._checked_until: dict[ClusterProfile, float] = {}
        self._accepted: dict[ClusterProfile, frozenset[Endpoint]] = {}  # brokers at the last check
        self._lock = threading.Lock()

    def admin(self, profile: ClusterProfile) -> AdminClient:
        """The admin client of a cluster.

        Raises:
            ClusterRefusedError: the cluster is the home cluster, or names a broker with a forbidden address.
            DecryptionError: its password can't be decrypted.
            KafkaException: the cluster does not respond, or rejects the user, or the names of its brokers
                take too long to look up.
        """
        is_foreign = self._home is not None and profile.cluster_id != self._home.cluster_id
        if is_foreign and profile not in self._admins:
            # A client connects to all brokers that the cluster names, so their addresses are checked before
            # it is created.
            self._require_foreign(profile, _probed(profile))
        with self._lock:
            if profile not in self._admins:
                self._admins[profile] = _client(profile)
            client = self._admins[profile]
        if is_foreign and self._checked_until.get(profile, 0.0) < time.monotonic():
            self._require_foreign(profile, self._identity_of(profile, client))
            self._checked_until[profile] = time.monotonic() + IDENTITY_CHECK_INTERVAL_S
        return client

    def _identity_of(self, profile: ClusterProfile, client: AdminClient) -> ClusterIdentity:
        try:
            return identity_of(client, REQUEST_TIMEOUT_S)
        except KafkaException:
            # To librdkafka a rejected password is a cluster that does not respond, and it goes on trying it.
            # Without a client the next call asks in a way that tells them apart.
            with self._lock:
                if self._admins.get(profile) is client:
                    keep_for_answers(self._admins.pop(profile))
            raise

    def _require_foreign(self, profile: ClusterProfile, identity: ClusterIdentity) -> None:
        if self._home is None:
            return
        if self._home_seen is None:
            listeners = (*endpoints_of(self._home.bootstrap), *self._listeners)
            self._home_seen = home_of(identity_of(self.admin(self._home), REQUEST_TIMEOUT_S), listeners)
        try:
            require_foreign(identity, self._home_seen, private_allowed=self._private_allowed)
        except SlowNamesError as error:
            accepted = self._accepted.get(profile)
            if accepted is not None and not accepted.issuperset(identity.brokers):  # one may hide behind them
                raise ClusterRefusedError(str(error)) from error
            raise KafkaException(KafkaError(KafkaError._TRANSPORT, str(error))) from error
        self._accepted[profile] = frozenset(identity.brokers)

    def drop_stale(self, used: Collection[ClusterProfile]) -> None:
        """Drop clients of other connections than these: they would retry with an old password forever. What
        they were asked is still answered.
        """
        with self._lock:
            for profile in [known for known in self._admins if known not in used]:
                keep_for_answers(self._admins.pop(profile))
        # Other threads check clusters meanwhile.
        for profile in [known for known in list(self._accepted) if known not in used]:
            self._checked_until.pop(profile, None)
            self._accepted.pop(profile, None)

    def topic_ids(self, profile: ClusterProfile, names: list[str]) -> dict[str, str | None]:
        """As `topics`, but only Kafka's UUID of each."""
        return {
            name: None if topic is None else topic.topic_id
            for name, topic in self.topics(profile, names).items()
        }

    def topics(self, profile: ClusterProfile, names: list[str]) -> dict[str, DescribedTopic | None]:
        """The topics of these names; None for one that does not exist.

        Raises:
            ClusterRefusedError: see `admin`.
            KafkaException: the cluster does not respond, or doesn't describe one of them to the user.
        """
        found, failed = self._described(profile, names)
        for error in failed.values():
            raise error
        return found

    def known_topics(self, profile: ClusterProfile, names: list[str]) -> dict[str, DescribedTopic | None]:
        """As `topics`, without those of which the cluster says nothing for a reason of their own: the user
        may not describe them, or they have no leader.
        """
        found, failed = self._described(profile, names)
        for error in failed.values():
            if error.args[0].code() not in (*OF_ONE_TOPIC, *LEADERLESS):
                raise error
        return found

    def _described(
        self, profile: ClusterProfile, names: list[str]
    ) -> tuple[dict[str, DescribedTopic | None], dict[str, KafkaException]]:
        futures = self.admin(profile).describe_topics(
            TopicCollection(names), request_timeout=REQUEST_TIMEOUT_S
        )
        found: dict[str, DescribedTopic | None] = {}
        failed: dict[str, KafkaException] = {}
        for name, future in futures.items():
            try:
                topic = future.result()
                found[name] = DescribedTopic(str(topic.topic_id), len(topic.partitions))
            except KafkaException as error:
                if error.args[0].code() in _GONE:
                    found[name] = None
                else:
                    failed[name] = error
        return found, failed

    def end_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        """End offsets by partition: where jobs read to, so before what belongs to an open transaction.

        Partitions that do not exist, have no known leader, or that the user may not read or the broker can't
        are left out; a later call may return them.

        Raises:
            ClusterRefusedError: see `admin`.
            KafkaException: the cluster does not respond.
        """
        return self._offsets(profile, partitions, OffsetSpec.latest())

    def start_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        """Offsets of the earliest records; otherwise as `end_offsets`."""
        return self._offsets(profile, partitions, OffsetSpec.earliest())

    def _offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]], spec: OffsetSpec
    ) -> dict[tuple[str, int], int]:
        if not partitions:
            return {}
        requests = {TopicPartition(topic, partition): spec for topic, partition in partitions}
        found: dict[tuple[str, int], int] = {}
        stale: set[str] = set()
        answers = self.admin(profile).list_offsets(
            requests, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=REQUEST_TIMEOUT_S
        )
        for partition, future in answers.items():
            try:
                found[partition.topic, partition.partition] = offset_result(future)
            except KafkaException as error:
                code = error.args[0].code()
                if code in STALE_METADATA:
                    stale.add(partition.topic)
                elif code not in (*_GONE, *LEADERLESS, *OF_ONE_TOPIC):
                    raise
        for topic in stale:
            self.admin(profile).list_topics(topic, timeout=REQUEST_TIMEOUT_S)
        return found


def _client(profile: ClusterProfile) -> AdminClient:
    # Failed requests already show that brokers are unreachable; don't log every connection attempt.
    options: dict[str, Any] = {
        **librdkafka_options(profile, decryptor()),
        "log_level": 2,
        "reconnect.backoff.max.ms": 1000,
        **FRESH_METADATA,
        **BOUNDED_ANSWERS,
    }
    return AdminClient(options)


def _probed(profile: ClusterProfile) -> ClusterIdentity:
    try:
        return probe(profile, decryptor(), REQUEST_TIMEOUT_S).identity
    except ProbeError as error:
        is_rejected = error.reason in ("user_refused", "mechanism_unknown")
        code = KafkaError._AUTHENTICATION if is_rejected else KafkaError._TRANSPORT
        raise KafkaException(KafkaError(code, str(error))) from error
