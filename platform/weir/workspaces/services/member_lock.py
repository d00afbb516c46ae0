"""Who belongs to a workspace is changed by one at a time: what a change rests on, as the owner who stays or
an invitation that stands, is true until it is made.
"""

from django.core.exceptions import PermissionDenied

from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Membership, User, Workspace
from weir.workspaces.roles import Right, Role


def lock_members(workspace: Workspace) -> None:
    """Hold the workspace's members and invitations until the end of the transaction."""
    Workspace.objects.select_for_update(no_key=True).filter(pk=workspace.pk).first()


def lock_members_for(workspace: Workspace, actor: User) -> None:
    """The same for a change that needs the right to manage members, which the actor may have lost while the
    change waited.

    Raises:
        NotFoundError: the actor is no member any more.
        PermissionDenied: the actor's role doesn't allow it any more.
    """
    lock_members(workspace)
    role = Membership.objects.filter(workspace=workspace, user=actor).values_list("role", flat=True).first()
    if role is None:
        raise NotFoundError("NOT_FOUND", "Not found, or you don't have access.")
    if not Role(role).may(Right.MANAGE_MEMBERS):
        raise PermissionDenied("Your role was changed meanwhile.")
