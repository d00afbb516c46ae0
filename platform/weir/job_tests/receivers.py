"""Signal receivers."""

import logging
from collections.abc import Sequence
from typing import Any

from weir.job_tests.services import runs
from weir.job_tests.services.tests import install_tests
from weir.runs.models import Job
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User

log = logging.getLogger(__name__)


def version_made(sender: object, *, job: Job, actor: User, **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Play the tests of a job's new version."""
    runs.version_made(job, actor)


def example_used(sender: object, *, job: Job, actor: User, tests: Sequence[str], **_: Any) -> None:  # noqa: ARG001 - a signal's arguments
    """Give an example's job its tests; the job is there without them where they don't fit its streams."""
    try:
        install_tests(job, actor, tests)
    except ServiceError as error:
        log.warning("the tests of %s are not installed: %s", job.name, error.detail)
