"""Which of its runs ended a shared engine: after the second crash they return one at a time, on a trial engine.

See `docs/decisions/2026-11-21-trial-engine.md`.

The run that ends the trial engine is failed and its job is never shared again; the others go back where they were.
"""

from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction

from weir.runs.models import LIVE_STATES, Desired, Job, Observed, Run, Trial
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.placement import TRIAL_ENGINE, trial_engine
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue

TRIAL_AFTER: Final = 2  # crashes of a shared engine within the span of its budget
_PROOF: Final = timedelta(seconds=60)
_LOG: Final = structlog.get_logger("weir.isolation")


def queue_for_trial(run: Run, why: str, failure: dict[str, Any]) -> None:
    """Its engine ended again, and this run may be the cause: it waits for its turn. The caller holds the transaction.

    Args:
        run: of the engine that ended.
        why: goes into the run's history.
        failure: of the engine.
    """
    close_execution(run, Observed.FAILED, why, failure)
    message = "Engine crashed repeatedly; jobs restart one at a time to find the cause."
    _take_away(run, Trial.QUEUED, {**failure, "message": message, "permanent": False})


def convict(run: Run, why: str, failure: dict[str, Any]) -> None:
    """The trial engine ended with this run alone on it. The caller holds the transaction."""
    message = "This job crashes its engine; the next start uses a dedicated engine."
    verdict = {**failure, "message": message, "permanent": True}
    close_execution(run, Observed.FAILED, why, verdict)
    _take_away(run, Trial.NONE, verdict)
    Job.objects.filter(pk=run.generation.job_id).update(shareable=False)
    _LOG.warning("a run ends its engine", run=run.id)


def advance_trials(now: datetime) -> None:
    """One tick: who has run long enough goes back to a shared engine, then the next in the queue has its turn."""
    Run.objects.exclude(trial=Trial.NONE).exclude(desired=Desired.RUNNING).update(trial=Trial.NONE)
    for unsaid in Run.objects.filter(engine__isnull=True, published_at__isnull=True):
        enqueue(PUBLISH_RUN, unsaid.id)
    for run in Run.objects.filter(trial=Trial.TRYING).select_related("engine"):
        with transaction.atomic():
            _acquit_if_proved(run, now)
    waiting = Run.objects.filter(trial=Trial.QUEUED).order_by("observed_since", "id").first()
    if waiting is None or Run.objects.filter(trial=Trial.TRYING).exists() or _is_taken():
        return
    with transaction.atomic():
        waiting.trial, waiting.failure = Trial.TRYING, None
        begin_epoch(waiting, trial_engine())
    enqueue(START_RUN, waiting.id)


def _take_away(run: Run, trial: Trial, failure: dict[str, Any]) -> None:
    """It failed, and no engine is to run it: one that starts again must not find it in ``weir.runs`` as its own."""
    set_observed(run, Observed.FAILED)
    run.trial, run.failure, run.retry_at = trial, failure, None
    run.engine, run.published_at = None, None
    run.revision += 1
    run.save()
    transaction.on_commit(lambda: enqueue(PUBLISH_RUN, run.id))


def _acquit_if_proved(run: Run, now: datetime) -> None:
    if run.observed == Observed.STOPPED or (run.observed == Observed.FAILED and run.retry_at is None):
        run.trial = Trial.NONE  # it failed for a reason of its own
        run.save(update_fields=["trial"])
    elif run.observed == Observed.RUNNING and now - run.observed_since > _PROOF:
        run.trial, run.awaiting_stop = Trial.NONE, True  # its next epoch is placed as its document says
        run.revision += 1
        run.save(update_fields=["trial", "awaiting_stop", "revision"])
        transaction.on_commit(lambda: enqueue(START_RUN, run.id))


def _is_taken() -> bool:
    return Run.objects.filter(engine_id=TRIAL_ENGINE, observed__in=LIVE_STATES).exists()
