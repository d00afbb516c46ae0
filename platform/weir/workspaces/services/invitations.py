"""Invitations: a role is offered to a username, and the user of that name accepts or declines it.

An invitation does not check whether the user exists: the response is the same for existing and unknown names.
"""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, Invitation, Membership, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.events import record_event
from weir.workspaces.services.member_lock import lock_members, lock_members_for

MAX_INVITATIONS: Final = 200  # open, by workspace


def invite(workspace: Workspace, username: str, role: Role, actor: User) -> Invitation:
    """Invite a username; an earlier invitation of the same name gets the new role.

    Raises:
        NotFoundError: the actor is no member any more.
        PermissionDenied: the actor may not manage members any more.
        ConflictError: the user is a member already.
        ServiceError: too many invitations are open.
    """
    with transaction.atomic():
        lock_members_for(workspace, actor)
        if Membership.objects.filter(workspace=workspace, user__username=username).exists():
            raise ConflictError(
                "ALREADY_MEMBER", f"{username} is already a member. Change the role in the member list."
            )
        if workspace.invitations.exclude(username=username).count() >= MAX_INVITATIONS:
            raise ServiceError(
                "TOO_MANY_INVITATIONS",
                f"{MAX_INVITATIONS} invitations are open, the maximum. Withdraw some first.",
            )
        found, _ = Invitation.objects.update_or_create(
            workspace=workspace, username=username, defaults={"role": role, "invited_by": actor.username}
        )
        record_event(
            workspace,
            "member",
            f"{username} invited as {role.value}",
            actor=actor.username,
            action=Action.INVITED,
        )
    return found


def withdraw(workspace: Workspace, invitation_id: int, actor: User) -> None:
    """Withdraw an invitation.

    Raises:
        NotFoundError: there is none of that id here, or the actor is no member any more.
        PermissionDenied: the actor may not manage members any more.
    """
    with transaction.atomic():
        lock_members_for(workspace, actor)
        found = workspace.invitations.filter(pk=invitation_id).first()
        if found is None:
            raise NotFoundError("NOT_FOUND", "Invitation not found, or you don't have access.")
        _withdraw(found, actor)


def withdraw_all_of(user: User, workspace: Workspace, actor: User) -> None:
    """Withdraw the open invitations that a user made: through one of them, somebody who was removed would
    come back. The members are locked already.
    """
    for invitation in workspace.invitations.filter(invited_by=user.username):
        _withdraw(invitation, actor)


def _withdraw(invitation: Invitation, actor: User) -> None:
    invitation.delete()
    record_event(
        invitation.workspace,
        "member",
        f"Invitation of {invitation.username} withdrawn",
        actor=actor.username,
        action=Action.CANCELED,
    )


def invitations_of(user: User) -> QuerySet[Invitation]:
    """Invitations of a user, oldest first."""
    return (
        Invitation.objects.filter(username=user.username).select_related("workspace").order_by("created_at")
    )


def accept(user: User, invitation_id: int) -> Membership:
    """Accept an invitation. A role that the user has already is kept.

    Raises:
        NotFoundError: the user has no such invitation.
    """
    with transaction.atomic():
        found = _own(user, invitation_id)
        membership, created = Membership.objects.get_or_create(
            workspace=found.workspace, user=user, defaults={"role": found.role}
        )
        found.delete()
        if created:
            record_event(
                found.workspace,
                "member",
                f"{user.username} joined as {found.role}",
                actor=user.username,
                subject=str(user.pk),
                action=Action.JOINED,
            )
    return membership


def decline(user: User, invitation_id: int) -> None:
    """Decline an invitation.

    Raises:
        NotFoundError: the user has no such invitation.
    """
    with transaction.atomic():
        found = _own(user, invitation_id)
        found.delete()
        record_event(
            found.workspace,
            "member",
            f"{user.username} declined the invitation",
            actor=user.username,
            action=Action.DECLINED,
        )


def _own(user: User, invitation_id: int) -> Invitation:
    """The invitation as it is once nobody else changes the workspace's members."""
    mine = invitations_of(user).filter(pk=invitation_id)
    known = mine.first()
    if known is not None:
        lock_members(known.workspace)
    found = mine.first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Invitation not found.")
    return found
