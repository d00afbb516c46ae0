"""What other apps check before a person starts a job, so that this app need not know them."""

from collections.abc import Callable

from weir.runs.models import Job, JobVersion
from weir.workspaces.models import User

StartCheck = Callable[[Job, JobVersion, User | None], None]
"""Raises a ServiceError where the start is not to be."""

START_CHECKS: list[StartCheck] = []
