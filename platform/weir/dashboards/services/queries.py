"""Dashboards of a workspace; reads only."""

from django.db.models import QuerySet

from weir.dashboards.models import Dashboard
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace


def dashboards_of(workspace: Workspace) -> QuerySet[Dashboard]:
    """The dashboards of this workspace, by name."""
    return Dashboard.objects.filter(workspace=workspace).select_related("changed_by")


def get_dashboard(workspace: Workspace, dashboard_id: str) -> Dashboard:
    """A dashboard of this workspace.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = dashboards_of(workspace).filter(pk=dashboard_id).first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Dashboard not found, or you don't have access.")
    return found
