"""The audit trail."""

from weir.workspaces.models import Event, User, Workspace


def name_of(actor: User | None) -> str:
    """The name of an actor in the audit trail; None: the system."""
    return actor.username if actor is not None else ""


def record_event(workspace: Workspace, kind: str, text: str, *, actor: str = "", subject: str = "") -> None:
    """Add a line to the audit trail; `actor` is empty when the system acted by itself."""
    Event.objects.create(workspace=workspace, kind=kind, text=text[:500], actor=actor, subject=subject)
