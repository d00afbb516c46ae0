"""Stops a job, and runs that are not to go on; their state is kept."""

from django.db import transaction
from django.db.models import F, Q, QuerySet

from weir.runs.models import REVISION_FIELDS, Desired, Job, Run
from weir.runs.services.job_lock import lock_job
from weir.runs.services.stream_uses import record_uses
from weir.runs.task_queue import PUBLISH_RUN, enqueue
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import name_of, record_event


@transaction.atomic
def stop_job(job: Job, actor: User | None) -> Job:
    """Stop a job. Stopping a stopped job is no error.

    Raises:
        NotFoundError: it is deleted.
    """
    locked = lock_job(job)
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
    """Request that all runs of a locked job stop."""
    stop_runs(Run.objects.filter(generation__job=job))


def stop_runs(runs: QuerySet[Run]) -> None:
    """Request that those of these runs stop that are to run; the caller has locked their job."""
    for run in runs.filter(desired=Desired.RUNNING).select_for_update(of=("self",)):
        run.desired, run.awaiting_stop, run.retry_at = Desired.STOPPED, False, None
        run.desire_change()
        run.save(update_fields=["desired", "awaiting_stop", "retry_at", *REVISION_FIELDS])
        transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value


def stop_superseded() -> None:
    """Request that runs stop that nobody wants: of a generation that another one has replaced, or of a job
    that is stopped or deleted. Two who changed a job at the same moment may have left such a run.
    """
    is_wanted = Q(
        generation__job__desired=Desired.RUNNING, generation__number=F("generation__job__generation")
    )
    unwanted = Run.objects.filter(desired=Desired.RUNNING).exclude(is_wanted)
    for job_id in set(unwanted.values_list("generation__job_id", flat=True)):
        with transaction.atomic():
            Job.objects.select_for_update().filter(pk=job_id).first()  # also of one that is being deleted
            stop_runs(unwanted.filter(generation__job_id=job_id))
