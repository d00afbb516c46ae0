"""Stopping a job; its state stays."""

from django.db import transaction

from weir.runs.models import Desired, Job, Run
from weir.runs.services.stream_uses import write_uses
from weir.runs.task_queue import PUBLISH_RUN, enqueue
from weir.workspaces.models import User
from weir.workspaces.services import name_of, record_event


@transaction.atomic
def stop_job(job: Job, actor: User | None) -> Job:
    """Ask for a job to stop. Stopping what is stopped is no error."""
    locked = Job.objects.select_for_update().get(pk=job.pk)
    if locked.desired == Desired.RUNNING:
        locked.desired = Desired.STOPPED
        locked.save(update_fields=["desired"])
        want_stopped(locked)
        write_uses(locked)
        record_event(job.workspace, job.kind, f"{job.name} stopped", actor=name_of(actor), subject=job.id)
    job.refresh_from_db()
    return job


def want_stopped(job: Job) -> None:
    """All of a job's runs are to stop; the caller holds the transaction."""
    for run in Run.objects.filter(generation__job=job, desired=Desired.RUNNING):
        run.desired, run.awaiting_stop, run.retry_at = Desired.STOPPED, False, None
        run.revision += 1
        run.save(update_fields=["desired", "awaiting_stop", "retry_at", "revision"])
        transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value
