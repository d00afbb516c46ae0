"""Writes the audit trail; `audit_trail.py` reads it."""

from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.request_origin import request_address


def name_of(actor: User | None) -> str:
    """The name of an actor in the audit trail; None: the system."""
    return actor.username if actor is not None else ""


def record_event(
    workspace: Workspace,
    kind: str,
    text: str,
    *,
    action: Action,
    actor: str = "",
    subject: str = "",
    cluster: str = "",
) -> None:
    """Add a line to the audit trail, with the address of the request that it belongs to.

    Args:
        workspace: where it happened.
        kind: of the object, a value of `Event.Kind`.
        text: what happened, a sentence without an end; what is beyond 500 characters is dropped.
        action: what was done.
        actor: username of who did it; empty when the system acted by itself, which has no address.
        subject: id or name of the object; empty where it has none.
        cluster: id of the Kafka cluster that it is on; empty where its name is enough.
    """
    Event.objects.create(
        workspace=workspace,
        kind=kind,
        action=action,
        text=text[:500],
        actor=actor,
        subject=subject,
        cluster=cluster,
        address=request_address() if actor else None,
    )
