"""Who belongs to a workspace is changed by one at a time: what a change rests on, as the owner who stays or
an invitation that stands, is true until it is made.
"""

from weir.workspaces.models import Workspace


def lock_members(workspace: Workspace) -> None:
    """Hold the workspace's members and invitations until the end of the transaction."""
    Workspace.objects.select_for_update(no_key=True).filter(pk=workspace.pk).first()
