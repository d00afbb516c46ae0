"""Owners of topics on the home cluster. All workspaces share that cluster; topics that one created or
registered are hidden from others.
"""

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
        OwnedTopic.objects.filter(cluster=cluster, workspace__isnull=False)
        .exclude(workspace=workspace)
        .values_list("topic", flat=True)
    )
    return frozenset((theirs | created) - ours)


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


def delete_owner(cluster: Cluster, topic: str) -> None:
    """Record that a topic was deleted."""
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).delete()
