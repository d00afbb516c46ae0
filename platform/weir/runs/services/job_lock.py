"""Locks of jobs and runs: who changes what is desired holds the job's row, and looks at it again then.

What was read before may be of a job that was started, stopped or deleted since.
"""

from typing import Final

from weir.runs.models import Desired, Job, Run
from weir.workspaces.errors import ConflictError, NotFoundError

JOB_CHANGED: Final = "JOB_CHANGED"


class JobChangedError(ConflictError):
    """Somebody else started or stopped the job while a start was prepared; the start changed nothing."""

    def __init__(self, job: Job) -> None:
        super().__init__(
            JOB_CHANGED,
            f"{job.name} was started or stopped by somebody else meanwhile. Reload and try again.",
        )


def lock_job(job: Job) -> Job:
    """The job's row as it is now, locked until the end of the transaction.

    Raises:
        NotFoundError: it is deleted, or is being deleted.
    """
    locked = Job.objects.select_for_update().filter(pk=job.pk).exclude(desired=Desired.DELETED).first()
    if locked is None:
        raise NotFoundError("NOT_FOUND", "Job not found, or you don't have access.")
    return locked


def lock_run(run_id: str) -> Run | None:
    """The run as it is now with its engine, locked until the end of the transaction; None: it is gone."""
    rows = Run.objects.select_for_update(of=("self",)).select_related("engine", "generation__job")
    return rows.filter(pk=run_id).first()
