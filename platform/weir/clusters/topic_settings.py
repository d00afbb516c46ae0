"""What a topic keeps and how: retention and compaction, as people say it; and more partitions."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from confluent_kafka import KafkaException
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions

from jobs.connections import ClusterProfile
from weir.clusters.clients import admin
from weir.clusters.topic_changes import note_change
from weir.clusters.topics import TIMEOUT_S, asking

Cleanup = Literal["delete", "compact", "compact,delete"]
CLEANUPS: Final[tuple[Cleanup, ...]] = ("delete", "compact", "compact,delete")
FOR_EVER: Final = -1


@dataclass(frozen=True)
class TopicSettings:
    """What a topic keeps.

    Attributes:
        retention_ms: how long a record is kept; `FOR_EVER`; it counts only where `cleanup` holds delete.
        retention_bytes: how much of a partition is kept; `FOR_EVER`.
        cleanup: what goes: old records, records with a newer one of the same key, or both.
        max_message_bytes: the largest batch that the broker takes.
        min_insync_replicas: replicas that must have a record before it counts as written.
    """

    retention_ms: int
    retention_bytes: int
    cleanup: str
    max_message_bytes: int
    min_insync_replicas: int


@dataclass(frozen=True)
class PartitionFacts:
    """A partition; `leader` is a broker's id, -1 while nobody leads it."""

    partition: int
    leader: int
    replicas: int
    in_sync: int


def read_settings(profile: ClusterProfile, topic: str) -> TopicSettings:
    """A topic's settings.

    Raises:
        NotFoundError: no such topic.
        UnreachableError: no answer in time.
    """
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    with asking(profile):
        entries: dict[str, Any] = admin(profile).describe_configs([resource], request_timeout=TIMEOUT_S)[resource].result(TIMEOUT_S)
    return TopicSettings(
        retention_ms=int(entries["retention.ms"].value),
        retention_bytes=int(entries["retention.bytes"].value),
        cleanup=",".join(sorted(entries["cleanup.policy"].value.split(","))),
        max_message_bytes=int(entries["max.message.bytes"].value),
        min_insync_replicas=int(entries["min.insync.replicas"].value),
    )


def read_partitions(profile: ClusterProfile, topic: str) -> list[PartitionFacts]:
    """Who leads and who holds each partition.

    Raises:
        NotFoundError: no such topic.
        UnreachableError: no answer in time.
    """
    with asking(profile):
        found = admin(profile).list_topics(topic, timeout=TIMEOUT_S).topics[topic]
        if found.error is not None:
            raise KafkaException(found.error)
    return [PartitionFacts(number, part.leader, len(part.replicas), len(part.isrs)) for number, part in sorted(found.partitions.items())]


def config_of(retention_ms: int | None, cleanup: str | None) -> dict[str, str]:
    """Kafka's own settings for these; None leaves the cluster's default."""
    config = {} if retention_ms is None else {"retention.ms": str(retention_ms)}
    return config if cleanup is None else {**config, "cleanup.policy": cleanup}


def change_settings(profile: ClusterProfile, topic: str, retention_ms: int | None, cleanup: str | None) -> None:
    """Change what is given; None leaves it as it is.

    Raises:
        NotFoundError: no such topic.
        ServiceError: the cluster will not.
        UnreachableError: no answer in time.
    """
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in config_of(retention_ms, cleanup).items()
    ]
    if not entries:
        return
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
    with asking(profile):
        admin(profile).incremental_alter_configs([resource], request_timeout=TIMEOUT_S)[resource].result(TIMEOUT_S)


def add_partitions(profile: ClusterProfile, topic: str, count: int) -> None:
    """Let the topic have this many partitions; Kafka cannot take any away.

    Raises:
        NotFoundError: no such topic.
        ServiceError: it has as many or more.
        UnreachableError: no answer in time.
    """
    with asking(profile):
        admin(profile).create_partitions([NewPartitions(topic, count)], request_timeout=TIMEOUT_S)[topic].result(TIMEOUT_S)
    note_change(profile)
