"""What every report is held against first: the run and the process that it is of, and its time."""

from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from jobs.base.instants import Instant, datetime_of
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Observed, Run
from weir.runs.services.epochs import begin_epoch, close_execution, open_execution
from weir.runs.services.job_lock import lock_run
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue

_LOG: Final = structlog.get_logger("weir.reported_runs")

_ALIVE: Final = (Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING)


def living_process(engine_id: str, incarnation: str) -> QuerySet[Engine]:
    """The engine, if this is the process that the platform knows, and it is not known to be dead."""
    return Engine.objects.filter(pk=engine_id, incarnation=incarnation, state__in=_ALIVE)


def moment(at_us: int) -> datetime:
    """A report's time; never in the future, even if the engine's clock runs ahead."""
    return min(datetime_of(Instant(at_us)), timezone.now())


def reported_run(run_id: str, epoch: int, engine_id: str) -> Run | None:
    """The run, locked, unless the report belongs to an epoch that is over.

    What a start or a stop decides meanwhile has to be seen: an end that did not know that an epoch waits for
    it would begin none, and no later report would.
    """
    run = lock_run(run_id)
    if run is None or epoch < run.epoch:
        return None
    if epoch > run.epoch:
        # The database was restored from before that epoch: its next one has to be above what engines know.
        _LOG.warning(
            "an engine knows a higher epoch; the run follows",
            run=run_id,
            known=run.epoch,
            reported=epoch,
            engine=engine_id,
        )
        if engine_id != run.engine_id:
            _supersede(run, epoch)
            return None
        close_execution(run, Observed.STOPPED, "The engine executed a later epoch.")
        run.epoch = epoch
        run.save(update_fields=["epoch"])
        open_execution(run)
    return run


def _supersede(run: Run, epoch: int) -> None:
    """Go past an epoch that another engine executes than the one that is to: it ends as soon as it hears of
    that. A record of the same epoch would be older than the one that it acts on, whose revision nobody knows.
    """
    close_execution(run, Observed.STOPPED, "Another engine executed a later epoch.")
    run.epoch = epoch
    if run.desired == Desired.RUNNING and run.engine is not None:
        begin_epoch(run, run.engine)
        transaction.on_commit(lambda: enqueue(START_RUN, run.id))
        return
    run.epoch += 1
    run.desire_change()
    run.save(update_fields=["epoch", *REVISION_FIELDS])
    transaction.on_commit(lambda: enqueue(PUBLISH_RUN, run.id))
