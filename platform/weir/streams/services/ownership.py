"""Owners of topics on the home cluster. All workspaces share that cluster; topics that one created or
registered are hidden from others.
"""

from collections.abc import Iterable

from django.db.models import Sum

from weir.clusters.models import HOME, Cluster
from weir.streams.models import OwnedTopic, Stream
from weir.workspaces.models import Workspace
from weir.workspaces.services.quotas import require_room


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
    ours = set(Stream.objects.of(workspace).filter(cluster=cluster).values_list("topic", flat=True))
    theirs = set(
        Stream.objects.filter(cluster=cluster).exclude(workspace=workspace).values_list("topic", flat=True)
    )
    created = set(
        OwnedTopic.objects.filter(cluster=cluster)
        .exclude(workspace=workspace)
        .values_list("topic", flat=True)
    )
    return frozenset((theirs | created) - ours)


class TopicOwners:
    """Whose the topics of the home cluster are, for many workspaces; two queries."""

    def __init__(self) -> None:
        self._registered = _by_topic(Stream.objects.filter(cluster=HOME).values_list("topic", "workspace_id"))
        self._created = _by_topic(
            OwnedTopic.objects.filter(cluster=HOME).values_list("topic", "workspace_id")
        )

    def hides(self, workspace_id: int, topic: str) -> bool:
        """Whether a topic is of others, as `topics_of_others` says of a workspace."""
        registered = self._registered.get(topic, set())
        if workspace_id in registered:
            return False
        return bool(registered or self._created.get(topic, set()) - {workspace_id})


def _by_topic(rows: Iterable[tuple[str, int]]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for topic, workspace_id in rows:
        found.setdefault(topic, set()).add(workspace_id)
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


def set_owner(cluster: Cluster, workspace: Workspace, topic: str, partitions: int) -> None:
    """Record that a workspace has just created a topic; this replaces the owner of an
    earlier topic of the same name.
    """
    if cluster.id == HOME:
        OwnedTopic.objects.update_or_create(
            cluster=cluster, topic=topic, defaults={"workspace": workspace, "partitions": partitions}
        )


def set_partitions(cluster: Cluster, topic: str, partitions: int) -> None:
    """Record that a topic got more partitions; nothing for a topic that no workspace created."""
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).update(partitions=partitions)


def delete_owner(cluster: Cluster, topic: str) -> None:
    """Record that a topic was deleted."""
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).delete()
