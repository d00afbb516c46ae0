"""Owners of topics on the home cluster. All workspaces share that cluster; topics that one created or
registered are hidden from others.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Sum

from weir.clusters.models import HOME, Cluster
from weir.streams.models import OwnedTopic, Stream
from weir.workspaces.models import Workspace
from weir.workspaces.services.quotas import require_room


@dataclass(slots=True)
class TopicOwners:
    """Slugs of the workspaces that registered a topic of the home cluster, and of the one that created it."""

    registered: set[str] = field(default_factory=set)
    created: str | None = None

    @property
    def only(self) -> str:
        """The only workspace that has to do with the topic; empty where several or none have."""
        slugs = self.registered | ({self.created} if self.created else set())
        return slugs.pop() if len(slugs) == 1 else ""

    def show(self, slug: str) -> bool:
        """Whether a workspace sees the topic: it has a stream on it, or no other one has to do with it."""
        return slug in self.registered or (not self.registered and self.created in (None, slug))


def home_owners() -> dict[str, TopicOwners]:
    """The owners of the home cluster's topics; one that is missing belongs to nobody. Two queries."""
    found: defaultdict[str, TopicOwners] = defaultdict(TopicOwners)
    streams = Stream.objects.filter(cluster=HOME).values_list("topic", "workspace__slug")
    for topic, slug in streams:
        found[topic].registered.add(slug)
    created = OwnedTopic.objects.filter(cluster=HOME, workspace__isnull=False)
    for topic, slug in created.values_list("topic", "workspace__slug"):
        found[topic].created = slug
    return dict(found)


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
    return frozenset(topic for topic, owners in home_owners().items() if not owners.show(workspace.slug))


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
