"""Create, change and delete dashboards: the only writer of `Dashboard`."""

from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from pydantic import ValidationError

from weir.dashboards.models import Dashboard
from weir.dashboards.services.document import DashboardDocument, invalid, parse_document
from weir.dashboards.services.references import reference_problems
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.revisions import outdated
from weir.workspaces.services.uniqueness import unique_or

MAX_DASHBOARDS: Final = 200  # of a workspace


def create_dashboard(workspace: Workspace, actor: User, name: str, document: Any) -> Dashboard:
    """A new dashboard.

    Args:
        workspace: of the dashboard.
        actor: the user.
        name: not empty; unique in the workspace.
        document: a dashboard document as parsed JSON.

    Raises:
        ServiceError: the document has problems; it carries all of them. DASHBOARD_LIMIT: there are 200.
        ConflictError: the name is taken.
    """
    parsed = _checked(workspace, document, None)
    with unique_or(_taken(name)):
        # The workspace's row is the lock: two requests at once must not both find room.
        Workspace.objects.select_for_update().get(pk=workspace.pk)
        if Dashboard.objects.filter(workspace=workspace).count() >= MAX_DASHBOARDS:
            raise ServiceError(
                "DASHBOARD_LIMIT",
                f"A workspace has {MAX_DASHBOARDS} dashboards at most. Delete one that isn't used.",
            )
        made = Dashboard.objects.create(
            workspace=workspace, name=_name(name), document=parsed.as_json(), changed_by=actor
        )
        _record(made, actor, Action.CREATED)
    return made


def change_dashboard(dashboard: Dashboard, actor: User, name: str, document: Any, revision: int) -> Dashboard:
    """Replace name and document.

    Args:
        dashboard: as it was read.
        actor: the user.
        name: as of `create_dashboard`.
        document: as of `create_dashboard`; panels that did not change may name jobs that are gone.
        revision: that the change was made on.

    Raises:
        ServiceError: as of `create_dashboard`.
        ConflictError: REVISION_OUTDATED, somebody else changed it meanwhile; NAME_TAKEN.
    """
    parsed = _checked(dashboard.workspace, document, _stored_document(dashboard))
    with unique_or(_taken(name)):
        changed = Dashboard.objects.filter(pk=dashboard.pk, revision=revision).update(
            name=_name(name),
            document=parsed.as_json(),
            revision=F("revision") + 1,
            changed_at=timezone.now(),
            changed_by=actor,
        )
        if not changed:
            raise outdated("dashboard")
        dashboard.refresh_from_db()
        _record(dashboard, actor, Action.CHANGED)
    return dashboard


def delete_dashboard(dashboard: Dashboard, actor: User) -> None:
    """Delete a dashboard with its links; what they opened ends within seconds."""
    with transaction.atomic():
        _record(dashboard, actor, Action.DELETED)
        dashboard.delete()


def _stored_document(dashboard: Dashboard) -> DashboardDocument | None:
    """The typed document of a stored dashboard; None: an older version of Weir has saved it, and this one
    can't read it.
    """
    try:
        return DashboardDocument.model_validate(dashboard.document)
    except ValidationError:
        return None


def _checked(workspace: Workspace, document: Any, before: DashboardDocument | None) -> DashboardDocument:
    parsed = parse_document(document)
    problems = reference_problems(workspace, parsed, before)
    if problems:
        raise invalid(problems)
    return parsed


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name:
        raise ServiceError("NAME_INVALID", "Enter a name.")
    return name


def _taken(name: str) -> ConflictError:
    return ConflictError("NAME_TAKEN", f"Dashboard name {name[:100]!r} is taken. Choose another.")


def _record(dashboard: Dashboard, actor: User, action: Action) -> None:
    record_event(
        dashboard.workspace,
        Event.Kind.DASHBOARD,
        f"Dashboard {dashboard.name} {action}",
        action=action,
        actor=actor.username,
        subject=dashboard.pk,
    )
