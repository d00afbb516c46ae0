"""Stops a job; its state is kept."""

from django.db import transaction

from weir.runs.models import REVISION_FIELDS, Desired, Job, Run
from weir.runs.services.stream_uses import record_uses
from weir.runs.task_queue import PUBLISH_RUN, enqueue
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import name_of, record_event


@transaction.atomic
def stop_job(job: Job, actor: User | None) -> Job:
    """Stop a job. Stopping a stopped job is no error."""
    locked = Job.objects.select_for_update().get(pk=job.pk)
    if locked.desired == Desired.RUNNING:
        locked.desired = Desired.STOPPED
        locked.save(update_fields=["desired"])
        request_stop(locked)
        record_uses(locked)
        record_event(
            job.workspace,
            job.kind,
            f"{job.name} stopped",
            actor=name_of(actor),
            subject=job.id,
            action=Action.STOPPED,
        )
    job.refresh_from_db()
    return job


def request_stop(job: Job) -> None:
    """Request that all runs of a job stop; the caller holds the transaction."""
    for run in Run.objects.filter(generation__job=job, desired=Desired.RUNNING):
        run.desired, run.awaiting_stop, run.retry_at = Desired.STOPPED, False, None
        run.desire_change()
        run.save(update_fields=["desired", "awaiting_stop", "retry_at", *REVISION_FIELDS])
        transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value
