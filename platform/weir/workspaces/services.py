"""Verbs about people: workspaces, members, tokens."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import ApiToken, Event, Membership, Role, User, Workspace


def create_workspace(slug: str, name: str, owner: User) -> Workspace:
    """A workspace with its first owner.

    Raises:
        ConflictError: the slug is taken.
    """
    try:
        with transaction.atomic():
            workspace = Workspace.objects.create(slug=slug, name=name)
            Membership.objects.create(workspace=workspace, user=owner, role=Role.OWNER)
    except IntegrityError as error:
        raise ConflictError("NAME_TAKEN", f"Workspace name {slug!r} is taken.") from error
    return workspace


def change_role(workspace: Workspace, membership_id: int, role: Role, actor: User) -> Membership:
    """Give a member another role.

    Raises:
        NotFoundError: no such member here.
        ConflictError: the last owner would be gone.
    """
    with transaction.atomic():
        membership = _member(workspace, membership_id)
        if membership.role != role:
            _keep_an_owner(membership, "change the role of")
            membership.role = role
            membership.save(update_fields=["role"])
            text = f"{membership.user.username}'s role set to {role.value}"
            record_event(workspace, "member", text, actor=actor.username, subject=str(membership.user_id))
    return membership


def remove_member(workspace: Workspace, membership_id: int, actor: User) -> None:
    """Remove a member.

    Raises:
        NotFoundError: no such member here.
        ConflictError: the last owner would be gone.
    """
    with transaction.atomic():
        membership = _member(workspace, membership_id)
        _keep_an_owner(membership, "remove")
        membership.delete()
        record_event(workspace, "member", f"{membership.user.username} removed", actor=actor.username, subject=str(membership.user_id))


def _member(workspace: Workspace, membership_id: int) -> Membership:
    found = Membership.objects.filter(workspace=workspace, pk=membership_id).select_related("user").first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Member not found, or you don't have access.")
    return found


def _keep_an_owner(membership: Membership, verb: str) -> None:
    others = Membership.objects.filter(workspace=membership.workspace, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ConflictError("LAST_OWNER", f"You can't {verb} the last owner. Assign another owner first.")


def create_token(user: User, name: str, ttl: timedelta | None, created_with: ApiToken | None = None) -> tuple[ApiToken, str]:
    """A token for programs; the text is returned here and never again.

    Args:
        user: whose rights it has.
        name: its purpose.
        ttl: time until it expires; None: it does not expire.
        created_with: the token of the request; the new token may not outlive it, and is revoked with it. None: the user is signed in.

    Raises:
        ServiceError: it would outlive the token of the request.
    """
    end = created_with.expiry if created_with is not None else None
    if end is not None and (ttl is None or timezone.now() + ttl > end):
        raise ServiceError(
            "TOKEN_OUTLIVES", f"A token created with this one must expire by {end:%Y-%m-%d %H:%M} UTC. Choose fewer days, or sign in."
        )
    row, text = ApiToken.objects.create(user=user, expiry=ttl, name=name, created_with=created_with)
    return row, text


def name_of(actor: User | None) -> str:
    """The name of an actor in the audit trail; None: the system."""
    return actor.username if actor is not None else ""


def record_event(workspace: Workspace, kind: str, text: str, *, actor: str = "", subject: str = "") -> None:
    """Add a line to the audit trail; `actor` is empty when the system acted by itself."""
    Event.objects.create(workspace=workspace, kind=kind, text=text[:500], actor=actor, subject=subject)
