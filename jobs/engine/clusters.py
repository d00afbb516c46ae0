"""The engine's own Kafka clients: one admin client per cluster, kept, because making one costs more than asking."""

import threading
from collections.abc import Collection
from typing import Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from jobs.broker_answers import LEADERLESS, OUTDATED, answered_offset
from jobs.connections import ClusterProfile, librdkafka_options
from jobs.engine.key_file import secrets

ASK_SECONDS: Final = 5.0
_GONE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION)


class Clusters:
    """Asks clusters about topics and positions; safe to use from several threads."""

    def __init__(self) -> None:
        self._admins: dict[ClusterProfile, AdminClient] = {}
        self._lock = threading.Lock()

    def admin(self, profile: ClusterProfile) -> AdminClient:
        """The admin client of a cluster."""
        with self._lock:
            if profile not in self._admins:
                # Brokers that are away are told by answers that fail; a line per attempt says nothing more.
                options = librdkafka_options(profile, secrets())
                self._admins[profile] = AdminClient({**options, "log_level": 2, "reconnect.backoff.max.ms": 1000})
            return self._admins[profile]

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
