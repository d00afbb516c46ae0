"""The lag of every watched group by topic, for one workspace or all, with the same number of queries however
many groups and workspaces there are.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from jobs.base.topic_names import is_reserved
from weir.clusters.models import HOME, Cluster
from weir.consumer_groups.models import ClusterWatch, GroupTopic
from weir.consumer_groups.services.lease import ALIAS
from weir.consumer_groups.services.visible_groups import OWN_PREFIXES
from weir.runs.services.lag_health import SEVERITY, Kind
from weir.streams.services.ownership import TopicOwners, home_owners
from weir.workspaces.models import Workspace

_FIELDS: Final = (
    "cluster_id",
    "group",
    "topic",
    "lag_records",
    "lag_seconds",
    "seconds_by",
    "health",
    "loss_s",
    "lost_records",
)


@dataclass(frozen=True, slots=True)
class WatchedLag:
    """How far a group is behind in a topic.

    Attributes:
        workspace: slug of the only one that it concerns: whose cluster it is, which registered or created
            the topic on the home cluster, or whose job the group mirrors; empty where none or several are.
        lag: what the watch stored, without rates and partitions.
    """

    workspace: str
    lag: GroupTopic


def watched_lags(
    clusters: Iterable[Cluster],
    watches: dict[str, ClusterWatch],
    slugs: frozenset[str],
    reader: Workspace | None,
    now_us: int,
) -> list[WatchedLag]:
    """What the watch found in its last pass, the worst health first; nothing of a cluster whose last pass is
    too old to be the present, nor of groups whose offsets may not be read. Three queries.

    Args:
        clusters: that are read, with their workspaces.
        watches: of these, by cluster.
        slugs: of all workspaces.
        reader: sees what `groups_of` shows it; None: everything is read.
        now_us: the present.
    """
    lately = {pk for pk, watch in watches.items() if watch.is_current(now_us)}
    current = {cluster.pk: cluster for cluster in clusters if cluster.pk in lately}
    owners = home_owners() if HOME in current else {}
    known = GroupTopic.objects.using(ALIAS).filter(cluster_id__in=current, lag_records__isnull=False)
    found = [
        WatchedLag(workspace, row)
        for row in known.only(*_FIELDS).order_by("cluster_id", "group", "topic")
        if (workspace := _concerns(row, current[row.cluster_id], owners, slugs, reader)) is not None
    ]
    return sorted(found, key=lambda one: -SEVERITY[Kind(one.lag.health)])


def _concerns(
    row: GroupTopic,
    cluster: Cluster,
    owners: dict[str, TopicOwners],
    slugs: frozenset[str],
    reader: Workspace | None,
) -> str | None:
    """The workspace of a row; None where the reader must not see it."""
    if is_reserved(row.topic):
        return None
    known = owners.get(row.topic, TopicOwners())
    if cluster.workspace is None and reader is not None and not known.show(reader.pk):
        return None
    if row.group.startswith(OWN_PREFIXES):
        mirrored = row.group.split(".")[1] if row.group.startswith("weir.") else ""
        possible = slugs if reader is None else frozenset((reader.slug,))
        if cluster.workspace is not None:  # anybody may give groups there such names
            possible &= {cluster.workspace.slug}
        return mirrored if mirrored in possible else None
    if cluster.workspace is not None:
        return cluster.workspace.slug
    return known.only
