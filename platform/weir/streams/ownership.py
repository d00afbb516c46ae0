"""Whose a topic of the home cluster is: all workspaces share the cluster, but what one has made or registered is not there for others."""

from weir.clusters.models import HOME, Cluster
from weir.streams.models import OwnedTopic, Stream
from weir.workspaces.models import Workspace


def topics_of_others(cluster: Cluster, workspace: Workspace) -> frozenset[str]:
    """Topics of the home cluster that others had made, or on which they have streams, and on which this workspace has none.

    A workspace's own cluster has none: who may register it has been given its password, and Kafka says what that opens.

    Args:
        cluster: where.
        workspace: who asks.
    """
    if cluster.id != HOME:
        return frozenset()
    ours = set(Stream.objects.of(workspace).filter(cluster=cluster).values_list("topic", flat=True))
    theirs = set(Stream.objects.filter(cluster=cluster).exclude(workspace=workspace).values_list("topic", flat=True))
    made = set(OwnedTopic.objects.filter(cluster=cluster).exclude(workspace=workspace).values_list("topic", flat=True))
    return frozenset((theirs | made) - ours)


def note_owner(cluster: Cluster, workspace: Workspace, topic: str) -> None:
    """A workspace had a topic made just now: it is its own, whosever a topic of that name was before."""
    if cluster.id == HOME:
        OwnedTopic.objects.update_or_create(cluster=cluster, topic=topic, defaults={"workspace": workspace})


def forget_owner(cluster: Cluster, topic: str) -> None:
    """A topic was deleted."""
    OwnedTopic.objects.filter(cluster=cluster, topic=topic).delete()
