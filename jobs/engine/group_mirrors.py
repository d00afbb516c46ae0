"""Commits positions to mirror groups, which have no members, so that Kafka tools show jobs' progress."""

import logging
import threading
from collections.abc import Collection, Mapping
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from jobs.connections import ClusterProfile, librdkafka_options
from jobs.encryption import DecryptionError
from jobs.engine.key_file import decryptor

log = logging.getLogger(__name__)

Group = tuple[ClusterProfile, str]
# Failed commits already show that brokers are unreachable; don't log every connection attempt.
_OPTIONS: Final = {"enable.auto.commit": False, "log_level": 2, "reconnect.backoff.max.ms": 1000}


class GroupMirrors:
    """One consumer per group, which only commits. Not thread-safe.

    The admin API for this crashes the process when the connection breaks during a request, because librdkafka
    uses freed memory (its pull request 5397, not merged as of 2.15.0).
    """

    def __init__(self) -> None:
        self._consumers: dict[Group, Consumer] = {}

    def commit(self, profile: ClusterProfile, group: str, positions: Mapping[tuple[str, int], int]) -> None:
        """Commit positions asynchronously. A commit that fails is logged; the next one replaces it.

        Args:
            profile: of the cluster.
            group: consumer group.
            positions: (topic, partition) → next offset to read.
        """
        offsets = [
            TopicPartition(topic, partition, offset) for (topic, partition), offset in positions.items()
        ]
        try:
            if (profile, group) not in self._consumers:
                self._consumers[profile, group] = _open(profile, group)
            consumer = self._consumers[profile, group]
            consumer.commit(offsets=offsets, asynchronous=True)
            consumer.poll(0)  # serves the callbacks of earlier commits
        except (KafkaException, DecryptionError) as error:
            log.warning("group %s is not mirrored: %s", group, error)

    def keep_only(self, groups: Collection[Group]) -> None:
        """Close the consumers of all other groups; pending commits are still sent."""
        for group in self._consumers.keys() - set(groups):
            consumer = self._consumers.pop(group)  # may wait for an unreachable broker
            threading.Thread(target=consumer.close, name="close group mirror", daemon=True).start()


def _open(profile: ClusterProfile, group: str) -> Consumer:
    def on_commit(error: KafkaError | None, _: list[TopicPartition]) -> None:
        if error is not None:
            log.warning("group %s is not mirrored: %s", group, error)

    return Consumer(
        {**librdkafka_options(profile, decryptor()), **_OPTIONS, "group.id": group, "on_commit": on_commit}
    )
