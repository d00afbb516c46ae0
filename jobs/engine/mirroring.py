"""Positions written into consumer groups that nobody joins, so that Kafka's own tools see how far a job has come."""

import logging
import threading
from collections.abc import Collection, Mapping
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from jobs.connections import ClusterProfile, librdkafka_options
from jobs.engine.key_file import secrets

log = logging.getLogger(__name__)

Group = tuple[ClusterProfile, str]
# Brokers that are away are told by commits that fail; a line per attempt to connect says nothing more.
_OPTIONS: Final = {"enable.auto.commit": False, "log_level": 2, "reconnect.backoff.max.ms": 1000}


class Mirrors:
    """A consumer per group that commits and does nothing else; for one thread.

    The admin request for the same ends the process when the connection breaks under it: librdkafka uses memory that it has
    freed (its pull request 5397, not merged as of 2.15.0).
    """

    def __init__(self) -> None:
        self._consumers: dict[Group, Consumer] = {}

    def commit(self, profile: ClusterProfile, group: str, positions: Mapping[tuple[str, int], int]) -> None:
        """Hand positions over; returns at once. A commit that fails is logged, and made up for by the next.

        Args:
            profile: which cluster.
            group: consumer group.
            positions: (topic, partition) → next offset to read.
        """
        places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in positions.items()]
        if (profile, group) not in self._consumers:
            self._consumers[profile, group] = _opened(profile, group)
        consumer = self._consumers[profile, group]
        try:
            consumer.commit(offsets=places, asynchronous=True)
            consumer.poll(0)  # hears of earlier commits
        except KafkaException as error:
            log.warning("group %s is not mirrored: %s", group, error)

    def keep_only(self, groups: Collection[Group]) -> None:
        """Leave all other groups; what was handed over is still committed."""
        for group in self._consumers.keys() - set(groups):
            consumer = self._consumers.pop(group)  # may wait for a broker that is away
            threading.Thread(target=consumer.close, name="leaves a group", daemon=True).start()


def _opened(profile: ClusterProfile, group: str) -> Consumer:
    def heard(error: KafkaError | None, _: list[TopicPartition]) -> None:
        if error is not None:
            log.warning("group %s is not mirrored: %s", group, error)

    return Consumer({**librdkafka_options(profile, secrets()), **_OPTIONS, "group.id": group, "on_commit": heard})
