"""Runs that wait for an engine: all are full, and no host has room for another (`placement`).

Such a run is *queued* without an engine. Only the platform knows of it: silence means nothing
(`jobs.run_states.shown_state`), and each look of the reconciler is when it was last heard of.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from jobs.kafka_messages import Failure
from weir.runs.models import (
    REVISION_FIELDS,
    Desired,
    Engine,
    Execution,
    Isolation,
    Job,
    JobVersion,
    Observed,
    Run,
)
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.placement import NoEngineRoomError, place
from weir.runs.task_queue import START_RUN, enqueue
from weir.workspaces.errors import ServiceError


def begin_placed(run: Run) -> None:
    """Start the run's next epoch on the engine that its version asks for, or queue it where there is none.
    The caller holds the transaction and sends `START_RUN`.
    """
    try:
        begin_epoch(run, _engine_for(run))
    except NoEngineRoomError as error:
        begin_epoch(run, None)
        wait_for_engine(run, error.reason)
    except ServiceError as error:
        begin_epoch(run, None)
        _fail(run, error)


def wait_for_engine(run: Run, reason: Failure) -> None:
    """Queue a run whose epoch has begun without an engine. The caller holds the transaction."""
    set_observed(run, Observed.QUEUED)
    run.engine, run.failure, run.last_seen_at = None, reason.model_dump(), timezone.now()
    run.save(update_fields=["engine", "failure", "last_seen_at", "observed", "observed_since"])


def _fail(run: Run, error: ServiceError) -> None:
    """No engine can have the run, however long it waits: as where engines have fewer slots than before. Only
    this run is told so, because whoever places it does so for others, too.
    """
    failure = Failure(code=error.code, message=error.detail, permanent=True).model_dump()
    close_execution(run, Observed.FAILED, error.detail, failure)
    set_observed(run, Observed.FAILED)
    run.failure, run.published_at = failure, None
    run.save(update_fields=["failure", "published_at", "observed", "observed_since"])


def place_waiting(now: datetime) -> None:
    """One tick: give an engine to each run that waits for one, the longest waiting first, as far as there is
    room; note that the others wait still.

    A look at engines and hosts takes a dozen queries, which a full host can't spare for each of a hundred
    runs: one that needs no less than a run that has just been refused is refused with it.
    """
    waiting = list(_waiting().select_related("generation").order_by("observed_since", "id"))
    alike = _interchangeable(waiting)
    refused: tuple[int, Failure] | None = None  # slots, and why
    left = []
    for run in waiting:
        if refused is not None and run.pk in alike and run.slots >= refused[0]:
            left.append(run.pk)
            continue
        with transaction.atomic():
            reason = _place(run.pk)
        if reason is None:
            refused = None  # an engine may be there now that was not
        elif run.pk in alike:
            refused = (run.slots, reason)
    if refused is not None:
        _waiting().filter(pk__in=left).update(failure=refused[1].model_dump())
    _waiting().update(last_seen_at=now)


def _interchangeable(runs: list[Run]) -> set[str]:
    """The runs that any shared engine may have, and whose jobs hold no slots anywhere."""
    jobs = {run.generation.job_id for run in runs}
    own = set(
        JobVersion.objects.filter(job__in=jobs, document__settings__engine="dedicated").values_list(
            "job_id", "number"
        )
    )
    shareable = set(Job.objects.filter(pk__in=jobs, shareable=True).values_list("pk", flat=True))
    placed = Run.objects.holding().filter(engine__isnull=False, generation__job__in=jobs)
    free = shareable - set(placed.values_list("generation__job_id", flat=True))
    return {
        run.pk
        for run in runs
        if run.generation.job_id in free and (run.generation.job_id, run.version) not in own
    }


def _place(run_id: str) -> Failure | None:
    """Give an engine to a run, unless it waits no more. Returns why there is none, if it goes on waiting."""
    run = (
        _waiting().select_for_update(of=("self",)).select_related("generation__job").filter(pk=run_id).first()
    )
    if run is None:  # stopped meanwhile
        return None
    try:
        run.engine = _engine_for(run)
    except NoEngineRoomError as error:
        Run.objects.filter(pk=run_id).update(failure=error.reason.model_dump())
        return error.reason
    except ServiceError as error:
        _fail(run, error)
        return None
    run.failure = None
    run.desire_change()
    set_observed(run, Observed.STARTING)
    run.save(update_fields=["engine", "failure", "observed", "observed_since", *REVISION_FIELDS])
    Execution.objects.filter(run=run, epoch=run.epoch).update(engine_id=run.engine.id)
    transaction.on_commit(lambda: enqueue(START_RUN, run_id))
    return None


def _waiting() -> QuerySet[Run]:
    return Run.objects.filter(
        desired=Desired.RUNNING, observed=Observed.QUEUED, engine__isnull=True, isolation=Isolation.NONE
    )


def _engine_for(run: Run) -> Engine:
    """The engine that the run's version asks for.

    Raises:
        NoEngineRoomError: none has room.
        ServiceError: none ever has.
    """
    job = run.generation.job
    version = job.versions.get(number=run.version)
    return place(job, version.document.get("settings", {}).get("engine", "shared"), run.slots)
