"""Roles, rights, and which role has which right: the one table that API, WebSocket and interface follow.

`WorkspaceView` (`api/base_view.py`) asks for `READ` or `EDIT`, by method; a view that needs another right
names it. The session tells the interface the rights of its person (`useMay`, frontend), which hides the rest.
`tests/unit/weir/project/test_roles.py` plays every route in every role.
"""

from typing import Final

from django.db import models


class Right(models.TextChoices):
    """What a request asks for."""

    READ = "read"  # GET, HEAD, OPTIONS
    EDIT = "edit"  # all other methods
    CHECK = "check"  # by POST, but it writes nothing: checks, forecasts, look-ups
    START_JOBS = "start_jobs"
    STOP_JOBS = "stop_jobs"
    MOVE_OFFSETS = "move_offsets"  # of consumer groups, which may also be deleted
    BROWSE_TOPICS = "browse_topics"  # records of topics that are no stream of the workspace
    MANAGE_CLUSTERS = "manage_clusters"
    MANAGE_ENGINES = "manage_engines"
    MANAGE_CHANNELS = "manage_channels"  # where notifications go, and with them what the workspace knows
    MANAGE_MEMBERS = "manage_members"
    READ_AUDIT_TRAIL = "read_audit_trail"  # with addresses, which say where people are
    OPEN_LIVE_SOCKET = "open_live_socket"  # a subscription needs READ, of a topic BROWSE_TOPICS


class Role(models.TextChoices):
    """What a member is, the least first; each has the rights of those before it."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"

    def may(self, right: Right) -> bool:
        """True when a member of this role has this right."""
        order = list(Role)
        return order.index(self) >= order.index(NEEDED_ROLE[right])

    @property
    def rights(self) -> list[Right]:
        """All rights of a member of this role."""
        return [right for right in Right if self.may(right)]


NEEDED_ROLE: Final[dict[Right, Role]] = {
    Right.READ: Role.VIEWER,
    Right.CHECK: Role.VIEWER,
    Right.OPEN_LIVE_SOCKET: Role.VIEWER,
    Right.EDIT: Role.EDITOR,
    Right.START_JOBS: Role.EDITOR,
    Right.STOP_JOBS: Role.EDITOR,
    Right.MOVE_OFFSETS: Role.EDITOR,
    Right.BROWSE_TOPICS: Role.EDITOR,
    Right.MANAGE_CLUSTERS: Role.OWNER,
    Right.MANAGE_ENGINES: Role.OWNER,
    Right.MANAGE_CHANNELS: Role.OWNER,
    Right.MANAGE_MEMBERS: Role.OWNER,
    Right.READ_AUDIT_TRAIL: Role.OWNER,
}
