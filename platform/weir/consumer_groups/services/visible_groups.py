"""Which groups of which clusters a workspace sees, read with a fixed number of queries.

On the home cluster a workspace sees a group by the topics that it sees: what the group has of others is left
out, and a group that has nothing else is not there. A workspace's own cluster shows all groups that its
password shows. Names that begin with ``weir.`` are mirrors of jobs: only the workspace's own are there.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from jobs.base.topic_names import is_reserved
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import clusters_of, get_cluster, home_cluster
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupTopic
from weir.consumer_groups.services.lease import ALIAS
from weir.runs.models import Job
from weir.streams.services.ownership import TopicOwners, home_owners, topics_of_others
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace

OWN_PREFIXES: Final = ("weir.", "weir-")
SUMMARY: Final = (
    "id",
    "cluster_id",
    "group",
    "topic",
    "at_us",
    "lag_records",
    "lag_seconds",
    "seconds_by",
    "in_rate",
    "out_rate",
    "health",
    "cause",
    "since_us",
    "counts",
    "catch_up_s",
    "loss_s",
    "lost_records",
    "hot",
)


@dataclass(slots=True)
class VisibleGroup:
    """A group as one workspace sees it.

    Attributes:
        cluster: of the group.
        group: as the watch stored it.
        topics: those that the workspace sees.
        mirrored_job: the name of the job whose positions Weir commits in it; empty for any other group.
        job_id: of that job, if it is there.
        has_hidden: the group has topics that the workspace does not see.
    """

    cluster: Cluster
    group: ConsumerGroup
    topics: list[GroupTopic] = field(default_factory=list)
    mirrored_job: str = ""
    job_id: str | None = None
    has_hidden: bool = False


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a workspace may see of one cluster."""

    cluster: Cluster
    slug: str
    theirs: frozenset[str]

    def shows_name(self, group: str) -> bool:
        return not group.startswith(OWN_PREFIXES) or bool(self.mirrored_job(group))

    def mirrored_job(self, group: str) -> str:
        prefix = f"weir.{self.slug}."
        return group.removeprefix(prefix) if group.startswith(prefix) else ""

    def shows_topic(self, topic: str) -> bool:
        return not is_reserved(topic) and topic not in self.theirs


def watches_of_clusters(clusters: Iterable[Cluster]) -> dict[str, ClusterWatch]:
    """The watches of these clusters by id; a cluster that was never watched is not there."""
    return ClusterWatch.objects.using(ALIAS).in_bulk([cluster.pk for cluster in clusters])


def watches_of(workspace: Workspace) -> list[tuple[Cluster, ClusterWatch | None]]:
    """The workspace's clusters, each with its watch; None before the first pass."""
    clusters = clusters_of(workspace)
    found = watches_of_clusters(clusters)
    return [(cluster, found.get(cluster.pk)) for cluster in clusters]


def groups_of(workspace: Workspace) -> list[VisibleGroup]:
    """Every group that the workspace sees, without the partitions of its topics."""
    clusters = clusters_of(workspace)
    ids = [cluster.pk for cluster in clusters]
    topics = GroupTopic.objects.using(ALIAS).filter(cluster_id__in=ids).only(*SUMMARY)
    groups = ConsumerGroup.objects.using(ALIAS).filter(cluster_id__in=ids)
    return _seen(workspace, clusters, groups, topics)


@dataclass(frozen=True, slots=True)
class SeenLag:
    """What a workspace sees of a group's lag.

    Attributes:
        workspace_id: of the workspace.
        cluster: of the group.
        group: its name.
        topics: those that the workspace sees; at least one.
        is_current: the cluster was seen lately, and the group's offsets may be read.
    """

    workspace_id: int
    cluster: Cluster
    group: str
    topics: list[GroupTopic]
    is_current: bool


def lags_seen(workspace_ids: Collection[int], now_us: int) -> Iterator[SeenLag]:
    """The lag of the groups that these workspaces see, without mirrors of jobs; five queries.

    Args:
        workspace_ids: of the workspaces.
        now_us: the present.
    """
    clusters = {one.pk: one for one in (home_cluster(), *Cluster.objects.filter(workspace__in=workspace_ids))}
    watches = watches_of_clusters(clusters.values())
    current = {pk for pk, watch in watches.items() if watch.is_current(now_us)}
    owners = home_owners()
    by_group: dict[tuple[str, str], list[GroupTopic]] = defaultdict(list)
    rows = GroupTopic.objects.using(ALIAS).filter(cluster_id__in=list(clusters)).only(*SUMMARY)
    for row in rows.order_by("topic"):
        if not row.group.startswith(OWN_PREFIXES) and not is_reserved(row.topic):
            by_group[row.cluster_id, row.group].append(row)
    for (cluster_id, group), topics in by_group.items():
        cluster = clusters[cluster_id]
        for workspace_id in workspace_ids:
            if cluster_id != HOME and workspace_id != cluster.workspace_id:
                continue
            seen = topics
            if cluster_id == HOME:
                seen = [row for row in topics if owners.get(row.topic, TopicOwners()).show(workspace_id)]
            if seen:
                is_known = all(row.lag_records is not None for row in seen)
                yield SeenLag(workspace_id, cluster, group, seen, cluster_id in current and is_known)


def find_group(workspace: Workspace, cluster_id: str, name: str) -> VisibleGroup:
    """One group, with the partitions of its topics.

    Raises:
        NotFoundError: there is none, or the workspace does not see it.
    """
    cluster = get_cluster(workspace, cluster_id)
    topics = GroupTopic.objects.using(ALIAS).filter(cluster_id=cluster.pk, group=name)
    groups = ConsumerGroup.objects.using(ALIAS).filter(cluster_id=cluster.pk, name=name)
    found = _seen(workspace, [cluster], groups, topics)
    if not found:
        raise NotFoundError(
            "GROUP_NOT_FOUND", f"Consumer group {name[:80]!r} doesn't exist on {cluster.name}."
        )
    return found[0]


def hides_topics(workspace: Workspace, cluster: Cluster, topics: Iterable[str]) -> bool:
    """Whether the workspace doesn't see one of these topics, as their owners are now."""
    sight = _Sight(cluster, workspace.slug, topics_of_others(cluster, workspace))
    return not all(map(sight.shows_topic, topics))


def _seen(
    workspace: Workspace,
    clusters: list[Cluster],
    groups: Iterable[ConsumerGroup],
    topics: Iterable[GroupTopic],
) -> list[VisibleGroup]:
    sights = {
        cluster.pk: _Sight(cluster, workspace.slug, topics_of_others(cluster, workspace))
        for cluster in clusters
    }
    by_group: dict[tuple[str, str], list[GroupTopic]] = defaultdict(list)
    for topic in topics:
        by_group[topic.cluster_id, topic.group].append(topic)
    found = [
        seen
        for group in groups
        if (seen := _group(sights[group.cluster_id], group, by_group[group.cluster_id, group.name]))
    ]
    _find_jobs(workspace, found)
    return found


def _group(sight: _Sight, group: ConsumerGroup, topics: list[GroupTopic]) -> VisibleGroup | None:
    if not sight.shows_name(group.name):
        return None
    assigned = {topic for member in group.members or () for topic, _ in member[3]}
    names = assigned | {topic.topic for topic in topics}
    shown = {name for name in names if sight.shows_topic(name)}
    mirrored_job = sight.mirrored_job(group.name)
    if sight.cluster.pk == HOME and not shown and not mirrored_job:
        return None
    for member in group.members or ():
        member[3] = [part for part in member[3] if part[0] in shown]
    visible = sorted((topic for topic in topics if topic.topic in shown), key=lambda topic: topic.topic)
    return VisibleGroup(sight.cluster, group, visible, mirrored_job, has_hidden=names != shown)


def _find_jobs(workspace: Workspace, found: list[VisibleGroup]) -> None:
    names = {seen.mirrored_job for seen in found if seen.mirrored_job}
    if not names:
        return
    ids = dict(Job.objects.user_jobs().filter(workspace=workspace, name__in=names).values_list("name", "id"))
    for seen in found:
        seen.job_id = ids.get(seen.mirrored_job)
