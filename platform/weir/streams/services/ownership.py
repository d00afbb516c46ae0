"""Owners of topics on the home cluster. All workspaces share that cluster; topics that one created or
registered are hidden from others.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Self

from django.db.models import Sum

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

    @classmethod
    def of_stream(cls, stream: Stream) -> Self:
        """As its own workspace reads a stream."""
        return cls(stream.workspace_id, stream.cluster_id, stream.topic, stream.pk)


@dataclass(slots=True)
class TopicOwners:
    """Workspaces that registered a topic of the home cluster, and the one that created it: slugs by id."""

    registered: dict[int, str] = field(default_factory=dict)
    created: dict[int, str] = field(default_factory=dict)

    @property
    def only(self) -> str:
        """The only workspace that has to do with the topic; empty where several or none have."""
        slugs = [*(self.registered | self.created).values()]
        return slugs[0] if len(slugs) == 1 else ""

    def show(self, workspace_id: int) -> bool:
        """Whether a workspace sees the topic: it has a stream on it, or no other one has to do with it."""
        return workspace_id in self.registered or not (
            (self.registered | self.created).keys() - {workspace_id}
        )


def home_owners(**which: Any) -> dict[str, TopicOwners]:
    """The owners of topics of the home cluster; one that is missing belongs to nobody. Two queries.

    Args:
        which: lookups that choose among the topics; none: all of them.
    """
    found: defaultdict[str, TopicOwners] = defaultdict(TopicOwners)
    columns = ("topic", "workspace_id", "workspace__slug")
    streams = Stream.objects.filter(cluster=HOME, **which)
    for topic, workspace_id, slug in streams.values_list(*columns):
        found[topic].registered[workspace_id] = slug
    created = OwnedTopic.objects.filter(cluster=HOME, workspace__isnull=False, **which)
    for topic, workspace_id, slug in created.values_list(*columns):
        found[topic].created[workspace_id] = slug
    return dict(found)


def lock_topics(cluster: Cluster) -> None:
    """Hold a cluster until the end of the transaction, so that nobody else registers a topic of it meanwhile:
    of two workspaces that want the same one, the second sees the first.
    """
    Cluster.objects.select_for_update(no_key=True).get(pk=cluster.pk)


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
    return frozenset(topic for topic, owners in home_owners().items() if not owners.show(workspace.pk))


def allowed_readings(wanted: Collection[TopicReading]) -> frozenset[TopicReading]:
    """Those of these readings that would be allowed now: the workspace has the cluster or stream, and the
    topic is not another's. Four queries at most, however many there are; the right of a person is another
    question.
    """
    if not wanted:
        return frozenset()
    foreign = {one.cluster_id for one in wanted if one.cluster_id != HOME and one.stream_id is None}
    own_clusters = set(Cluster.objects.filter(pk__in=foreign).values_list("pk", "workspace_id"))
    ids = {one.stream_id for one in wanted if one.stream_id is not None}
    streams = {
        TopicReading(workspace_id, cluster_id, topic, pk)
        for pk, workspace_id, cluster_id, topic in Stream.objects.filter(pk__in=ids).values_list(
            "pk", "workspace_id", "cluster_id", "topic"
        )
    }
    at_home = {one.topic for one in wanted if one.cluster_id == HOME and one.stream_id is None}
    owners = home_owners(topic__in=at_home) if at_home else {}

    def allowed(one: TopicReading) -> bool:
        if one.stream_id is not None:
            return one in streams
        if one.cluster_id != HOME:
            return (one.cluster_id, one.workspace_id) in own_clusters
        return owners.get(one.topic, TopicOwners()).show(one.workspace_id)

    return frozenset(one for one in wanted if allowed(one))


def has_streams_of_others(cluster: Cluster, workspace: Workspace, topic: str) -> bool:
    """Whether another workspace has a stream on this topic."""
    return bool(Stream.objects.filter(cluster=cluster, topic=topic).exclude(workspace=workspace).exists())


def is_owner(cluster: Cluster, workspace: Workspace, topic: str) -> bool:
    """Whether a workspace made this topic of the home cluster, or tried to."""
    return bool(OwnedTopic.objects.filter(cluster=cluster, topic=topic, workspace=workspace).exists())


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
    """Record whose topic this is, None: the installation's; this replaces the owner of an earlier topic of
    the same name.
    """
    if cluster.id == HOME:
        OwnedTopic.objects.update_or_create(
            cluster=cluster, topic=topic, defaults={"workspace": workspace, "partitions": partitions}
        )


def claim(cluster: Cluster, workspace: Workspace, topic: str, partitions: int) -> bool:
    """Record that a topic is this workspace's, unless somebody made it; returns whether that is new. Call it
    under `lock_topics`.
    """
    if cluster.id != HOME:
        return False
    given = {"workspace": workspace, "partitions": partitions}
    return OwnedTopic.objects.get_or_create(cluster=cluster, topic=topic, defaults=given)[1]


def set_partitions(cluster: Cluster, topic: str, partitions: int) -> None:
    """Record that a topic got more partitions: with its owner, where a workspace created it, and with its
    streams, whose records would be shown without those of the new partitions.
    """
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).update(partitions=partitions)
    Stream.objects.filter(cluster=cluster, topic=topic).update(partitions=partitions)


def delete_owner(cluster: Cluster, workspace: Workspace, topic: str) -> None:
    """Record that a workspace deleted its topic; one of that name that another has created since keeps its
    owner.
    """
    OwnedTopic.objects.filter(cluster=cluster, topic=topic, workspace=workspace).delete()
