"""Database lookups of consumer groups for the hub. Plain functions, run on threads."""

from typing import Any

from weir.consumer_groups.models import ClusterWatch
from weir.consumer_groups.services.group_views import group_detail, group_view, watch_view
from weir.consumer_groups.services.lease import ALIAS
from weir.consumer_groups.services.visible_groups import find_group, groups_of, watches_of
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace

Passes = dict[
    str, tuple[int | None, str]
]  # cluster id → when the last pass was, and why the newest one failed


def has_group(workspace_id: int, cluster_id: str, name: str) -> bool:
    """Whether the workspace sees such a group."""
    try:
        find_group(Workspace.objects.get(pk=workspace_id), cluster_id, name)
    except NotFoundError:
        return False
    return True


def passes() -> Passes:
    """The newest pass of every cluster."""
    rows = ClusterWatch.objects.using(ALIAS).values_list("pk", "passed_at_us", "error")
    return {cluster_id: (passed_at_us, error) for cluster_id, passed_at_us, error in rows}


def read_list(workspace_id: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The watches of a workspace's clusters, and its groups, as the API shows them."""
    workspace = Workspace.objects.get(pk=workspace_id)
    watches = [watch_view(cluster, watch) for cluster, watch in watches_of(workspace)]
    return watches, [group_view(seen) for seen in groups_of(workspace)]


def read_group(workspace_id: int, cluster_id: str, name: str) -> dict[str, Any] | None:
    """One group with members and partitions; None where it is gone."""
    try:
        return group_detail(find_group(Workspace.objects.get(pk=workspace_id), cluster_id, name))
    except NotFoundError:
        return None
