"""Workspaces and their members."""

from django.db import transaction

from weir.workspaces.errors import ConflictError, NotFoundError
from weir.workspaces.models import Action, Membership, User, Workspace
from weir.workspaces.roles import Right, Role
from weir.workspaces.services.events import record_event
from weir.workspaces.services.invitations import withdraw_all_of
from weir.workspaces.services.member_lock import lock_members_for
from weir.workspaces.services.uniqueness import unique_or


def create_workspace(slug: str, name: str, owner: User) -> Workspace:
    """A workspace with its first owner.

    Raises:
        ConflictError: the slug is taken.
    """
    with unique_or(ConflictError("NAME_TAKEN", f"Workspace name {slug!r} is taken.")):
        workspace = Workspace.objects.create(slug=slug, name=name)
        Membership.objects.create(workspace=workspace, user=owner, role=Role.OWNER)
    return workspace


def change_role(workspace: Workspace, membership_id: int, role: Role, actor: User) -> Membership:
    """Give a member another role. Who may not manage members any more has no open invitations.

    Raises:
        NotFoundError: no such member here, or the actor is none any more.
        PermissionDenied: the actor may not manage members any more.
        ConflictError: the last owner would be gone.
    """
    with transaction.atomic():
        lock_members_for(workspace, actor)
        membership = _member(workspace, membership_id)
        if membership.role != role:
            _keep_an_owner(membership, "change the role of")
            membership.role = role
            membership.save(update_fields=["role"])
            text = f"{membership.user.username}'s role set to {role.value}"
            record_event(
                workspace,
                "member",
                text,
                actor=actor.username,
                subject=str(membership.user_id),
                action=Action.CHANGED,
            )
            if not role.may(Right.MANAGE_MEMBERS):
                withdraw_all_of(membership.user, workspace, actor)
    return membership


def remove_member(workspace: Workspace, membership_id: int, actor: User) -> None:
    """Remove a member, with the invitations that the member made.

    Raises:
        NotFoundError: no such member here, or the actor is none any more.
        PermissionDenied: the actor may not manage members any more.
        ConflictError: the last owner would be gone.
    """
    with transaction.atomic():
        lock_members_for(workspace, actor)
        membership = _member(workspace, membership_id)
        _keep_an_owner(membership, "remove")
        membership.delete()
        record_event(
            workspace,
            "member",
            f"{membership.user.username} removed",
            actor=actor.username,
            subject=str(membership.user_id),
            action=Action.DELETED,
        )
        withdraw_all_of(membership.user, workspace, actor)


def _member(workspace: Workspace, membership_id: int) -> Membership:
    found = Membership.objects.filter(workspace=workspace, pk=membership_id).select_related("user").first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Member not found, or you don't have access.")
    return found


def _keep_an_owner(membership: Membership, verb: str) -> None:
    others = Membership.objects.filter(workspace=membership.workspace, role=Role.OWNER).exclude(
        pk=membership.pk
    )
    if membership.role == Role.OWNER and not others.exists():
        raise ConflictError("LAST_OWNER", f"You can't {verb} the last owner. Assign another owner first.")
