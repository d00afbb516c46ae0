"""Owners of topics on the home cluster. All workspaces share that cluster; topics that one created or
registered are hidden from others.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, Sum

from weir.clusters.models import HOME, Cluster
from weir.streams.models import OwnedTopic, Stream
from weir.workspaces.models import Workspace
from weir.workspaces.roles import Right
from weir.workspaces.services.quotas import require_room


@dataclass(frozen=True, slots=True)
class TopicReading:
    """What it rests on that a workspace reads a topic for longer than one answer.

    Attributes:
        workspace_id: of the reader.
        cluster_id: of the topic.
        topic: its name.
        stream_id: of the stream as which it is read; None: it is read as a topic.
    """

    workspace_id: int
    cluster_id: str
    topic: str
    stream_id: int | None = None

    @property
    def right(self) -> Right:
        """That the reader must have."""
        return Right.BROWSE_TOPICS if self.stream_id is None else Right.READ


@dataclass(slots=True)
class _Holders:
    """Ids of the workspaces that have a stream on a topic, and of the one that created it."""

    streams: set[int] = field(default_factory=set)
    owner: set[int] = field(default_factory=set)

    def hide_from(self, workspace_id: int) -> bool:
        """Whether the topic is another workspace's, and this one has no stream on it."""
        return workspace_id not in self.streams and bool((self.streams | self.owner) - {workspace_id})


def topics_of_others(cluster: Cluster, workspace: Workspace) -> frozenset[str]:
    """Topics of the home cluster that other workspaces created or registered, unless this
    workspace has a stream on them.

    A workspace's own cluster has none: Kafka's permissions for its password decide there.

    Args:
        cluster: of the topics.
        workspace: the one that reads.
    """
    if cluster.id != HOME:
        return frozenset()
    return frozenset(topic for topic, held in _holders().items() if held.hide_from(workspace.pk))


def allowed_readings(wanted: Collection[TopicReading]) -> frozenset[TopicReading]:
    """Those of these readings that would be allowed now: the workspace has the cluster or stream, and the
    topic is not another's. Four queries at most, however many there are; the right of a person is another
    question.
    """
    if not wanted:
        return frozenset()
    own_clusters = set(
        Cluster.objects.filter(pk__in={one.cluster_id for one in wanted}).values_list("pk", "workspace_id")
    )
    ids = {one.stream_id for one in wanted if one.stream_id is not None}
    streams = {
        TopicReading(workspace_id, cluster_id, topic, pk)
        for pk, workspace_id, cluster_id, topic in Stream.objects.filter(pk__in=ids).values_list(
            "pk", "workspace_id", "cluster_id", "topic"
        )
    }
    at_home = {one.topic for one in wanted if one.cluster_id == HOME and one.stream_id is None}
    holders = _holders(topic__in=at_home) if at_home else {}

    def allowed(one: TopicReading) -> bool:
        if one.stream_id is not None:
            return one in streams
        if one.cluster_id != HOME:
            return (one.cluster_id, one.workspace_id) in own_clusters
        held = holders.get(one.topic)
        return held is None or not held.hide_from(one.workspace_id)

    return frozenset(one for one in wanted if allowed(one))


def _holders(**which: Any) -> dict[str, _Holders]:
    """Who holds the topics of the home cluster, by name; two queries."""
    found: defaultdict[str, _Holders] = defaultdict(_Holders)
    for topic, workspace_id in Stream.objects.filter(cluster=HOME, **which).values_list(
        "topic", "workspace_id"
    ):
        found[topic].streams.add(workspace_id)
    for topic, workspace_id in OwnedTopic.objects.filter(cluster=HOME, **which).values_list(
        "topic", "workspace_id"
    ):
        if workspace_id is not None:  # otherwise the installation's, which everybody sees
            found[topic].owner.add(workspace_id)
    return found


def require_partitions(cluster: Cluster, workspace: Workspace, wanted: int) -> None:
    """Refuse more partitions on the home cluster than a workspace may have; its own cluster sets its own.

    Args:
        cluster: of the topic.
        workspace: its owner.
        wanted: how many more.

    Raises:
        ServiceError: QUOTA_REACHED.
    """
    if cluster.id == HOME:
        owned = OwnedTopic.objects.filter(cluster=cluster, workspace=workspace)
        require_room("partitions", owned.aggregate(used=Sum("partitions", default=0))["used"], wanted)


def set_owner(cluster: Cluster, workspace: Workspace | None, topic: str, partitions: int) -> None:
    """Record whose topic this is, None: the installation's; this replaces the owner of an
    earlier topic of the same name.
    """
    if cluster.id == HOME:
        OwnedTopic.objects.update_or_create(
            cluster=cluster, topic=topic, defaults={"workspace": workspace, "partitions": partitions}
        )


def set_partitions(cluster: Cluster, topic: str, partitions: int) -> None:
    """Record that a topic got more partitions; nothing for a topic that no workspace created."""
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).update(partitions=partitions)


def delete_owner(cluster: Cluster, workspace: Workspace, topic: str) -> None:
    """Record that a workspace deleted a topic, its own or the installation's; one that another workspace has
    made of that name since keeps its owner.
    """
    rows = OwnedTopic.objects.filter(cluster=cluster, topic=topic)
    rows.filter(Q(workspace=workspace) | Q(workspace=None)).delete()
