"""Retention, compaction and number of partitions of a topic."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from confluent_kafka import KafkaException
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import admin
from weir.clusters.services.reachability import TIMEOUT_S, translate_errors
from weir.clusters.services.topic_changes import note_change
from weir.workspaces.errors import ForbiddenByKafkaError

Cleanup = Literal["delete", "compact", "compact,delete"]
CLEANUPS: Final[tuple[Cleanup, ...]] = ("delete", "compact", "compact,delete")
UNLIMITED: Final = -1


@dataclass(frozen=True)
class TopicSettings:
    """Settings of a topic; None: not known, because the cluster's user may not read it or the cluster has no
    such setting.

    Attributes:
        retention_ms: how long a record is kept, or `UNLIMITED`; only used if `cleanup` contains delete.
        retention_bytes: max. size of a partition, or `UNLIMITED`.
        cleanup: delete old records, compact by key, or both.
        max_message_bytes: max. size of a batch.
        min_insync_replicas: replicas that must have a record before it is committed.
    """

    retention_ms: int | None
    retention_bytes: int | None
    cleanup: str | None
    max_message_bytes: int | None
    min_insync_replicas: int | None


@dataclass(frozen=True)
class PartitionInfo:
    """A partition; `leader` is a broker's id, -1 if it has none."""

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
    entries: dict[str, Any] = {}
    with suppress(ForbiddenByKafkaError), translate_errors(profile):
        asked = admin(profile).describe_configs([resource], request_timeout=TIMEOUT_S)[resource]
        entries = asked.result(TIMEOUT_S)
    texts = {name: entry.value for name, entry in entries.items() if entry.value is not None}
    cleanup = texts.get("cleanup.policy")
    return TopicSettings(
        retention_ms=_number(texts, "retention.ms"),
        retention_bytes=_number(texts, "retention.bytes"),
        cleanup=None if cleanup is None else ",".join(sorted(cleanup.split(","))),
        max_message_bytes=_number(texts, "max.message.bytes"),
        min_insync_replicas=_number(texts, "min.insync.replicas"),
    )


def _number(texts: dict[str, str], name: str) -> int | None:
    return int(texts[name]) if name in texts else None


def read_partitions(profile: ClusterProfile, topic: str) -> list[PartitionInfo]:
    """Leader and replicas of each partition.

    Raises:
        NotFoundError: no such topic.
        UnreachableError: no answer in time.
    """
    with translate_errors(profile):
        found = admin(profile).list_topics(topic, timeout=TIMEOUT_S).topics[topic]
        if found.error is not None:
            raise KafkaException(found.error)
    return [
        PartitionInfo(number, part.leader, len(part.replicas), len(part.isrs))
        for number, part in sorted(found.partitions.items())
    ]


def config_of(retention_ms: int | None, cleanup: str | None) -> dict[str, str]:
    """Kafka's settings; None leaves the cluster's default."""
    config = {} if retention_ms is None else {"retention.ms": str(retention_ms)}
    return config if cleanup is None else {**config, "cleanup.policy": cleanup}


def change_topic_settings(
    profile: ClusterProfile,
    topic: str,
    retention_ms: int | None,
    cleanup: str | None,
    partitions: int | None,
) -> None:
    """Change the given settings; None leaves one as it is. The cluster is asked first whether it would take
    each of them: of a change that it rejects nothing is made.

    Raises:
        NotFoundError: no such topic.
        ServiceError: the cluster rejects the change, such as where it has as many partitions or more.
        UnreachableError: no answer in time.
    """
    for only_check in (True, False):
        _change_config(profile, topic, config_of(retention_ms, cleanup), only_check=only_check)
        if partitions is not None:
            _add_partitions(profile, topic, partitions, only_check=only_check)
    note_change(profile)
    _await_change(profile, topic, retention_ms, cleanup, partitions)


def _await_change(
    profile: ClusterProfile,
    topic: str,
    retention_ms: int | None,
    cleanup: str | None,
    partitions: int | None,
) -> None:
    """Wait until the cluster shows a change: a broker confirms it before its metadata has it. What is not
    shown in time was made all the same.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        shown = read_settings(profile, topic)
        settings = ((shown.retention_ms, retention_ms), (shown.cleanup, cleanup))
        is_set = all(None in (found, wanted) or found == wanted for found, wanted in settings)
        if is_set and (partitions is None or len(read_partitions(profile, topic)) >= partitions):
            return
        time.sleep(0.01)


def _change_config(profile: ClusterProfile, topic: str, config: dict[str, str], *, only_check: bool) -> None:
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        for name, value in config.items()
    ]
    if not entries:
        return
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
    with translate_errors(profile):
        admin(profile).incremental_alter_configs(
            [resource], validate_only=only_check, request_timeout=TIMEOUT_S
        )[resource].result(TIMEOUT_S)


def _add_partitions(profile: ClusterProfile, topic: str, count: int, *, only_check: bool) -> None:
    with translate_errors(profile):
        admin(profile).create_partitions(
            [NewPartitions(topic, count)], validate_only=only_check, request_timeout=TIMEOUT_S
        )[topic].result(TIMEOUT_S)
