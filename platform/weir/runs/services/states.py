"""State changes of a run and their consequences, for reports of engines and conclusions of the reconciler."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from jobs.kafka_messages import Failure
from jobs.run_states import ENDED, READING
from weir.runs.models import Desired, Engine, Execution, Observed, Run
from weir.runs.services.epochs import begin_epoch, close_execution, note_execution, set_observed
from weir.runs.services.placement import takes_over
from weir.runs.services.restart_policy import next_retry
from weir.runs.services.start_phases import QUERIES_STARTED
from weir.runs.services.unplaced import begin_placed
from weir.runs.task_queue import PUBLISH_RUN, RECONCILE_ENGINE, START_RUN, enqueue


def note_state(run: Run, state: str, failure: Failure | None = None) -> None:
    """Set a run's observed state and apply the consequences: start the next epoch, schedule a retry,
    or stop an unused engine.

    Args:
        run: the run; the caller holds the transaction.
        state: as reported (`jobs.run_states.RunState`).
        failure: why it failed, or what it waits for.
    """
    if run.observed in ENDED and state in ENDED and not run.awaiting_stop:
        return  # an engine that starts later calls a failed run stopped
    set_observed(run, state)
    # What it waited for, or failed of, is over once it goes on or has stopped.
    run.failure = failure.model_dump() if failure else (run.failure if state == Observed.FAILED else None)
    if state == Observed.FAILED:
        run.published_at = None  # as stopped, so that no engine that starts later executes it
    run.admitted = run.admitted or state in READING or QUERIES_STARTED in run.start_phases
    if state == Observed.RUNNING:
        run.replay_until = {}  # reached: what it waits for from now on keeps no rows back
    run.save(
        update_fields=["observed", "observed_since", "failure", "published_at", "admitted", "replay_until"]
    )
    if state == Observed.FAILED:
        _failed(run, failure)
    elif state == Observed.STOPPED:
        close_execution(run, state, _stop_reason(run))
    else:
        note_execution(run, state)
    if state in ENDED:
        _after_end(run)


def _stop_reason(run: Run) -> str:
    if not run.awaiting_stop:
        return "Engine stopped." if run.desired == Desired.RUNNING else "Stopped."
    if run.engine is not None and run.engine.successor_id is not None:
        return "Moved to another engine."
    is_newer = Execution.objects.filter(run=run, epoch=run.epoch).exclude(version=run.version).exists()
    return "Restarted with a newer version." if is_newer else "Restarted."


def _failed(run: Run, failure: Failure | None) -> None:
    """Schedule a retry, unless the failure is permanent or the budget is spent."""
    reason = failure.message if failure else "The engine gave no reason."
    close_execution(run, Observed.FAILED, reason, run.failure)
    _later(PUBLISH_RUN, run.id)
    if run.desired != Desired.RUNNING or (failure is not None and failure.permanent):
        return
    run.crashes, pause = next_retry(failure.code if failure else "", run.crashes)
    run.retry_at = None if pause is None else timezone.now() + pause
    run.save(update_fields=["crashes", "retry_at"])


def _after_end(run: Run) -> None:
    """Start the epoch that waited for this end, or stop the dedicated engine that is not needed any more."""
    if run.awaiting_stop and run.desired == Desired.RUNNING:
        _next_epoch(run)
    elif run.engine is not None and run.engine.kind == Engine.Kind.DEDICATED and not _is_held(run.engine):
        Engine.objects.filter(pk=run.engine_id).update(should_run=False)
        _later(RECONCILE_ENGINE, run.engine.id, queue=run.engine.host_queue)


def _is_held(engine: Engine) -> bool:
    """Whether a run needs the engine still: the job's next generation may be there already."""
    return Run.objects.holding().filter(engine=engine).exists()


def _next_epoch(run: Run) -> None:
    """The old execution is over: start the next epoch, on the engine that its version asks for."""
    successor = run.engine.successor if run.engine is not None else None
    if successor is not None and takes_over(successor):
        begin_epoch(run, successor)
    else:
        begin_placed(run)
    _later(START_RUN, run.id)


def _later(task: str, *arguments: Any, queue: str | None = None) -> None:
    transaction.on_commit(lambda: enqueue(task, *arguments, queue=queue))
