"""Runs that wait for an engine: all are full, and no host has room for another (`placement`).

Such a run is *queued* without an engine. Only the platform knows of it, so each look of the reconciler counts
as a report.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from jobs.kafka_messages import Failure
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Execution, Isolation, Observed, Run
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
    """
    for run_id in list(_waiting().order_by("observed_since", "id").values_list("id", flat=True)):
        with transaction.atomic():
            _place(run_id)
    _waiting().update(last_seen_at=now)


def _place(run_id: str) -> None:
    run = (
        _waiting().select_for_update(of=("self",)).select_related("generation__job").filter(pk=run_id).first()
    )
    if run is None:  # stopped meanwhile
        return
    try:
        run.engine = _engine_for(run)
    except NoEngineRoomError as error:
        Run.objects.filter(pk=run_id).update(failure=error.reason.model_dump())
        return
    except ServiceError as error:
        _fail(run, error)
        return
    run.failure = None
    run.desire_change()
    set_observed(run, Observed.STARTING)
    run.save(update_fields=["engine", "failure", "observed", "observed_since", *REVISION_FIELDS])
    Execution.objects.filter(run=run, epoch=run.epoch).update(engine_id=run.engine.id)
    transaction.on_commit(lambda: enqueue(START_RUN, run_id))


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
