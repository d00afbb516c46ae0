"""Finds the run that crashes a shared engine: after the second crash its runs start one at a
time, on the isolation engine.

See `docs/decisions/2026-11-21-trial-engine.md`.

The run that crashes the isolation engine fails and its job never shares an engine again; the others
return to a shared engine.
"""

from datetime import datetime
from typing import Any, Final

import structlog
from django.db import transaction

from jobs.run_states import LIVE
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Isolation, Job, Observed, Run
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.placement import isolation_engine
from weir.runs.services.restart_policy import STABLE_AFTER
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue

_LOG: Final = structlog.get_logger("weir.isolation")


def queue_for_isolation(run: Run, reason: str, failure: dict[str, Any]) -> None:
    """Queue a run of a shared engine that crashed again, because it may be the cause. The
    caller holds the transaction.

    Args:
        run: of the engine that crashed.
        reason: goes into the run's history.
        failure: of the engine.
    """
    close_execution(run, Observed.FAILED, reason, failure)
    message = "Engine crashed repeatedly; jobs restart one at a time to find the cause."
    _detach(run, Isolation.QUEUED, {**failure, "message": message, "permanent": False})


def blame(run: Run, reason: str, failure: dict[str, Any]) -> None:
    """The trial engine ended with this run alone on it. The caller holds the transaction."""
    message = "This job crashes its engine; the next start uses a dedicated engine."
    final = {**failure, "message": message, "permanent": True}
    close_execution(run, Observed.FAILED, reason, final)
    _detach(run, Isolation.NONE, final)
    Job.objects.filter(pk=run.generation.job_id).update(shareable=False)
    _LOG.warning("a run crashes its engine", run=run.id)


def advance_isolation(now: datetime) -> None:
    """One tick: a run that was stable long enough returns to a shared engine, then the
    next one of the queue starts.
    """
    Run.objects.exclude(isolation=Isolation.NONE).exclude(desired=Desired.RUNNING).update(
        isolation=Isolation.NONE
    )
    # Whoever runs on the isolation engine is being tried, however it came there: others wait for it.
    Run.objects.filter(
        engine__kind=Engine.Kind.ISOLATION,
        isolation=Isolation.NONE,
        desired=Desired.RUNNING,
        observed__in=LIVE,
        awaiting_stop=False,
    ).update(isolation=Isolation.ACTIVE)
    for unpublished in Run.objects.filter(engine__isnull=True, published_at__isnull=True):
        enqueue(PUBLISH_RUN, unpublished.id)
    for run in Run.objects.filter(isolation=Isolation.ACTIVE).select_related("engine"):
        with transaction.atomic():
            _clear_if_stable(run, now)
    waiting = Run.objects.filter(isolation=Isolation.QUEUED).order_by("observed_since", "id").first()
    if waiting is None or Run.objects.filter(isolation=Isolation.ACTIVE).exists() or _is_taken():
        return
    with transaction.atomic():
        waiting.isolation, waiting.failure = Isolation.ACTIVE, None
        begin_epoch(waiting, isolation_engine())
    enqueue(START_RUN, waiting.id)


def _detach(run: Run, isolation: Isolation, failure: dict[str, Any]) -> None:
    """Fail a run and take it from its engine: an engine that restarts must not find it in
    ``weir.runs`` as its own.
    """
    set_observed(run, Observed.FAILED)
    run.isolation, run.failure, run.retry_at = isolation, failure, None
    run.engine = None
    run.desire_change()
    run.save()
    transaction.on_commit(lambda: enqueue(PUBLISH_RUN, run.id))


def _clear_if_stable(run: Run, now: datetime) -> None:
    if run.observed == Observed.FAILED and run.retry_at is None:
        run.isolation = Isolation.NONE  # it failed for a reason of its own, not with its engine
        run.save(update_fields=["isolation"])
    elif run.observed == Observed.RUNNING and now - run.observed_since > STABLE_AFTER:
        run.isolation = Isolation.NONE
        run.awaiting_stop = True  # its next epoch is placed as its document asks
        run.desire_change()
        run.save(update_fields=["isolation", "awaiting_stop", *REVISION_FIELDS])
        transaction.on_commit(lambda: enqueue(START_RUN, run.id))


def _is_taken() -> bool:
    return Run.objects.filter(engine__kind=Engine.Kind.ISOLATION, observed__in=LIVE).exists()
