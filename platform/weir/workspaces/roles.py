"""Roles, and which one a request needs.

`WorkspaceView` (`api/base_view.py`) asks for `READ` or `WRITE`, by method; a view that needs another role
names one of those below. The interface hides what a role may not do by `useHasRole` (frontend).
`tests/unit/weir/project/test_roles.py` plays every route in every role.
"""

from typing import Final

from django.db import models


class Role(models.TextChoices):
    """What a member may do: viewers read, editors also change streams and jobs, owners also change people."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OWNER = "owner"

    def covers(self, needed: "Role") -> bool:
        """True when this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


READ: Final = Role.VIEWER  # GET, HEAD, OPTIONS
WRITE: Final = Role.EDITOR  # all other methods

CHECK: Final = Role.VIEWER  # by POST, but it writes nothing: checks, forecasts, look-ups
START_JOBS: Final = Role.EDITOR
STOP_JOBS: Final = Role.EDITOR
BROWSE_TOPICS: Final = Role.EDITOR  # records of topics that are no stream of the workspace
MANAGE_CLUSTERS: Final = Role.OWNER
MANAGE_MEMBERS: Final = Role.OWNER
OPEN_LIVE_SOCKET: Final = Role.VIEWER  # a subscription needs READ, of a topic BROWSE_TOPICS
