"""Writes what a pass concluded. Nothing else writes these tables, but history."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction
from django.db.models import Q, QuerySet

from jobs.base.storable import NUL, without_nul
from weir.clusters.models import Cluster
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupPoint, GroupTopic
from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.cluster_state import TopicLag
from weir.consumer_groups.services.lease import ALIAS, holds
from weir.row_deletion import delete_in_slices
from weir.runs.services.lag_health import Kind

PARTITION_FIELDS: Final = (
    "partition",
    "committed",
    "end",
    "start",
    "lag",
    "seconds",
    "seconds_by",
    "in_rate",
    "out_rate",
    "health",
    "cause",
    "since_us",
    "catch_up_s",
    "loss_s",
    "owner",
)
_FORGET_S: Final = 1.0
_GROUP_FIELDS: Final = ["state", "protocol", "members", "denied"]
_TOPIC_KEY: Final = ["cluster_id", "group", "topic"]
_TOPIC_FIELDS: Final = [
    field.name for field in GroupTopic._meta.concrete_fields if field.name not in ("id", *_TOPIC_KEY)
]
_UNKNOWN: Final[dict[str, Any]] = {
    "lag_records": None,
    "lag_seconds": None,
    "seconds_by": "",
    "in_rate": None,
    "out_rate": None,
    "health": Kind.UNKNOWN.value,
    "cause": "",
    "since_us": None,
    "counts": {},
    "catch_up_s": None,
    "loss_s": None,
    "lost_records": 0,
    "hot": None,
    "partitions": [],
}
_BATCH: Final = 500


class LeaseLostError(Exception):
    """Another process watches the cluster now; nothing was written."""


def store_pass(
    cluster_id: str,
    holder: str,
    read: ClusterRead,
    topics: Mapping[str, list[TopicLag]],
    changed_groups: Iterable[GroupRead],
    took_ms: int,
    interval_ms: int,
) -> None:
    """Write a pass in one transaction.

    Args:
        cluster_id: of the cluster.
        holder: the process that made the pass.
        read: what was read.
        topics: what was concluded, by group; groups that are missing stay as they are.
        changed_groups: whose state or members are not what was written before.
        took_ms: how long the pass took.
        interval_ms: until the next one.

    Raises:
        LeaseLostError: the process has not got the lease any more.
    """
    rows = [_topic_row(cluster_id, each, read.at_us) for found in topics.values() for each in found]
    groups = [_group_row(cluster_id, group) for group in changed_groups]
    with transaction.atomic(using=ALIAS):
        if not holds(holder, cluster_id):
            raise LeaseLostError(cluster_id)
        ConsumerGroup.objects.using(ALIAS).bulk_create(
            groups,
            batch_size=_BATCH,
            update_conflicts=True,
            unique_fields=["cluster_id", "name"],
            update_fields=_GROUP_FIELDS,
        )
        GroupTopic.objects.using(ALIAS).bulk_create(
            rows,
            batch_size=_BATCH,
            update_conflicts=True,
            unique_fields=_TOPIC_KEY,
            update_fields=_TOPIC_FIELDS,
        )
        _delete_gone(cluster_id, read, topics)
        denied = [group.name for group in groups if group.denied]
        # One with a NUL is never stored, and PostgreSQL can't be asked for it.
        unwatched = [name for name in read.left_out_names if NUL not in name]
        _forget_numbers(cluster_id, [*denied, *unwatched])
        ClusterWatch.objects.using(ALIAS).filter(pk=cluster_id).update(
            passed_at_us=read.at_us,
            error="",
            groups=len(read.groups) + read.left_out,
            left_out=read.left_out,
            requests=read.requests,
            pass_ms=took_ms,
            interval_ms=interval_ms,
        )


def stored_groups(cluster_id: str) -> set[str]:
    """Names of the groups of a cluster that are in the database."""
    return set(
        ConsumerGroup.objects.using(ALIAS).filter(cluster_id=cluster_id).values_list("name", flat=True)
    )


def store_failure(cluster_id: str, holder: str, error: str) -> None:
    """Write why a pass failed; what was known before stays, with its time."""
    ClusterWatch.objects.using(ALIAS).filter(pk=cluster_id, holder=holder).update(error=error[:500])


def forget_clusters() -> None:
    """Delete everything of clusters that are not registered any more."""
    # Watched ones are read first: whatever another process has begun to watch by then is registered.
    watched = set(ClusterWatch.objects.using(ALIAS).values_list("pk", flat=True))
    gone = watched - set(Cluster.objects.filter(pk__in=watched).values_list("pk", flat=True))
    if gone and _forget_topics(GroupTopic.objects.using(ALIAS).filter(cluster_id__in=gone)):
        with transaction.atomic(using=ALIAS):
            ConsumerGroup.objects.using(ALIAS).filter(cluster_id__in=gone).delete()
            ClusterWatch.objects.using(ALIAS).filter(pk__in=gone).delete()


def _forget_topics(topics: QuerySet[GroupTopic]) -> bool:
    """Delete topics of groups with their history, 4,700 points each, for a second: whoever writes, and the
    clusters that are watched meanwhile, wait for a slice of them alone. True: all are deleted.
    """
    if not delete_in_slices(GroupPoint.objects.using(ALIAS).filter(series__in=topics), _FORGET_S):
        return False
    topics.delete()
    return True


def forget_group(cluster_id: str, group: str) -> None:
    """Delete everything of a group that was deleted."""
    with transaction.atomic(using=ALIAS):
        GroupTopic.objects.using(ALIAS).filter(cluster_id=cluster_id, group=group).delete()
        ConsumerGroup.objects.using(ALIAS).filter(cluster_id=cluster_id, name=group).delete()


def _delete_gone(cluster_id: str, read: ClusterRead, topics: Mapping[str, list[TopicLag]]) -> None:
    """Delete groups that are not there any more, and topics that a group has no offsets of any more. The
    topics of groups that the pass left out stay, for their history, and those of groups whose offsets it may
    not read, and topics whose end is not known.
    """
    stored = set(GroupTopic.objects.using(ALIAS).filter(cluster_id=cluster_id).values_list("group", "topic"))
    current = {(group, each.topic) for group, found in topics.items() for each in found}
    present = read.groups.keys() | read.left_out_names
    readable = {group for group in topics if not read.groups[group].denied}
    missing = [each for each in stored - current if each[0] not in present or each[0] in readable]
    committed = {
        (group, topic)
        for group in {group for group, _ in missing} & read.groups.keys()
        for topic, _ in read.groups[group].committed
    }
    gone = [each for each in missing if each not in committed]
    for at in range(0, len(gone), 100):
        part = Q()
        for group, topic in gone[at : at + 100]:
            part |= Q(group=group, topic=topic)
        GroupTopic.objects.using(ALIAS).filter(part, cluster_id=cluster_id).delete()
    deleted = list(stored_groups(cluster_id) - present)
    for at in range(0, len(deleted), _BATCH):
        ConsumerGroup.objects.using(ALIAS).filter(
            cluster_id=cluster_id, name__in=deleted[at : at + _BATCH]
        ).delete()


def _forget_numbers(cluster_id: str, groups: list[str]) -> None:
    """Of groups whose offsets the pass did not get: the last ones would be taken for those of the present."""
    for at in range(0, len(groups), _BATCH):
        known = GroupTopic.objects.using(ALIAS).exclude(partitions=[])
        known.filter(cluster_id=cluster_id, group__in=groups[at : at + _BATCH]).update(**_UNKNOWN)


def group_json(group: GroupRead) -> list[Any] | None:
    """The members of a group as they are stored: their texts are those of whoever consumes."""
    if group.members is None:
        return None
    members: list[Any] = [
        [member.client_id, member.host, member.instance_id, [list(part) for part in member.partitions]]
        for member in group.members
    ]
    return list(without_nul(members))


def _group_row(cluster_id: str, group: GroupRead) -> ConsumerGroup:
    return ConsumerGroup(
        cluster_id=cluster_id,
        name=group.name,
        state=group.state,
        protocol=group.protocol,
        members=group_json(group),
        denied=group.denied,
    )


def _topic_row(cluster_id: str, found: TopicLag, at_us: int) -> GroupTopic:
    slowest = found.slowest
    parts = found.partitions
    # Where a partition is worse than that, no end of the whole is in sight.
    catching_up = [
        part.forecast.catch_up_s
        for part in parts
        if part.health.kind == found.health.kind == Kind.CATCHING_UP
    ]
    known = [seconds for seconds in catching_up if seconds is not None]
    losses = [part.forecast.loss_s for part in parts if part.forecast.loss_s is not None]
    lost = sum(max(0, part.start - part.committed) for part in parts)
    return GroupTopic(
        cluster_id=cluster_id,
        group=found.group,
        topic=found.topic,
        at_us=at_us,
        lag_records=found.lag_records,
        lag_seconds=slowest.seconds if slowest else None,
        seconds_by=(slowest.seconds_by or "") if slowest else "",
        in_rate=found.total("in_rate"),
        out_rate=found.total("out_rate"),
        health=found.health.kind.value,
        cause=found.health.cause.value,
        since_us=found.health.since_us,
        counts=found.counts,
        # one partition that does not catch up as it is going keeps the whole from it
        catch_up_s=max(known) if known and len(known) == len(catching_up) else None,
        loss_s=0.0 if lost else min(losses, default=None),
        lost_records=lost,
        hot=asdict(found.hot) if found.hot else None,
        partitions=[part.as_json() for part in parts],
    )
