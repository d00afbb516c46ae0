"""Signal receivers."""

from typing import Any

from weir.job_tests.services import runs
from weir.runs.models import Job
from weir.workspaces.models import User


def version_made(sender: object, *, job: Job, actor: User, **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Play the tests of a job's new version."""
    runs.version_made(job, actor)
