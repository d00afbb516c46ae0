"""What becomes of an engine and its runs when its process has ended: stopped, crashed, or killed from
outside.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.base.log_text import readable
from jobs.base.storable import without_nul
from jobs.run_states import LIVE
from weir.runs.models import Desired, Engine, Observed, ReconcilerState, Run
from weir.runs.services.engine_deaths import Death, how_it_ended, is_suspicious
from weir.runs.services.engine_hosts import hosts_without_checkpoints
from weir.runs.services.engine_logs import engine_log
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.isolation import isolate, most_suspicious, try_again
from weir.runs.services.placement import was_standby
from weir.runs.services.restart_policy import ENGINE_ERROR, MAX_CRASHES, backoff, spend_crash
from weir.runs.services.run_publisher import engine_runs_published
from weir.runs.services.standby import standby_pause, take_over
from weir.runs.services.start_phases import after_interruption
from weir.runs.services.unplaced import begin_placed
from weir.runs.services.viewing import in_order
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue

_LOG: Final = structlog.get_logger("weir.engines")
# An engine that is killed soon after its start may be killed again; nothing else bounds its starts.
_KILLED_YOUNG: Final = timedelta(seconds=60)
_KILLED_PAUSE: Final = timedelta(seconds=5)
_LOG_TAIL_BYTES: Final = 4_000


@transaction.atomic
def note_stopped(engine: Engine) -> None:
    """The process ended after it was stopped."""
    if not _lock_as_it_was(engine):
        return
    Engine.objects.filter(pk=engine.pk).update(
        state=Engine.State.STOPPED, handle=None, ready=False, slots_used=0
    )
    engine.state = Engine.State.STOPPED
    release_runs(engine, interrupted_runs(engine), "Engine stopped.")


def _lock_as_it_was(engine: Engine) -> bool:
    """Lock an engine until the end of the transaction, and read it again. False: another worker was first to
    notice how its process ended.

    Before its runs are locked, as the relay does, which would otherwise wait for each other.
    """
    same = Engine.objects.filter(pk=engine.pk, incarnation=engine.incarnation, state=engine.state)
    if same.select_for_update().first() is None:
        return False
    engine.refresh_from_db()
    return True


@transaction.atomic
def note_crashed(engine: Engine, now: datetime, ended_us: int | None, *, memory_kill: bool) -> None:
    """The process ended although nobody stopped it: count a crash, unless it was killed from outside or the
    broker was down, and start the next epoch of its runs.

    The failure of a dedicated engine includes the end of its log. The log of one that others use, or used
    before, contains output of jobs of other workspaces too, so it stays in the file, which operators can
    read.
    """
    if not _lock_as_it_was(engine):
        return
    death = how_it_ended(
        engine_log(engine.id),
        engine.incarnation,
        was_ready=engine.state == Engine.State.READY,
        memory_kill=memory_kill,
    )
    spent = False
    if death is not Death.KILLED and broker_reachable():
        engine.crashes, spent = spend_crash(engine.crashes)
        engine.failed_starts += death is Death.NEVER_READY
        spent = spent or (engine.standby and engine.failed_starts >= MAX_CRASHES)
    runs = interrupted_runs(engine)
    suspects = _suspects(engine, runs, death)
    spent = spent and not suspects  # what has a cause that is being found goes on
    is_alone = engine.kind == Engine.Kind.DEDICATED and not was_standby(engine)
    failure = {
        "code": ENGINE_ERROR,
        "message": death.value + _how_often(engine, spent=spent),
        "raw": _tail(engine_log(engine.id)) if is_alone else "",
        "permanent": spent,
    }
    state = Engine.State.FAILED if spent else Engine.State.LOST
    retry_at = now + standby_pause(engine) if spent and engine.standby else _retry_at(engine, death, now)
    engine.state, engine.retry_at, engine.failure, engine.handle, engine.ready = (
        state,
        retry_at,
        failure,
        None,
        False,
    )
    engine.save(update_fields=["state", "crashes", "failed_starts", "retry_at", "failure", "handle", "ready"])
    _LOG.warning(
        "engine crashed",
        engine=engine.id,
        how=death.name,
        crashes=len(engine.crashes),
        final=spent,
        suspects=len(suspects),
        log=str(engine_log(engine.id)),
    )
    if engine.kind == Engine.Kind.ISOLATION:
        try_again([run for run in runs if run.id in suspects], death.value + ".", failure)
    else:
        isolate([run for run in runs if run.id in suspects], death.value + ".", failure)
    innocent = [run for run in runs if run.id not in suspects]
    successor = _successor(engine, goes_on=bool(innocent))
    phases = after_interruption(ended_us, instant_of(timezone.now()))
    release_runs(engine, innocent, death.value + ".", failure, successor, phases)
    if successor != engine:
        transaction.on_commit(lambda: engine_runs_published(successor))


def _how_often(engine: Engine, *, spent: bool) -> str:
    if spent and engine.standby and engine.failed_starts:
        return f", {engine.failed_starts} times in a row."
    return " five times in ten minutes." if spent else "."


def _retry_at(engine: Engine, death: Death, now: datetime) -> datetime | None:
    """When the engine may be started again; None: at once."""
    if death is Death.KILLED:
        young = engine.started_at is not None and now - engine.started_at < _KILLED_YOUNG
        return now + _KILLED_PAUSE if young else None
    if engine.kind == Engine.Kind.ISOLATION:
        return None  # to crash is what it is for
    return now + backoff(len(engine.crashes)) if len(engine.crashes) > 1 else None


def _suspects(engine: Engine, runs: list[Run], death: Death) -> set[str]:
    """The ids of those runs of an engine that died which are tried on the isolation engine."""
    isolates = engine.kind == Engine.Kind.ISOLATION
    if engine.kind == Engine.Kind.DEDICATED or not is_suspicious(death, engine.crashes, isolates=isolates):
        return set()
    # One that is about to leave the isolation engine has proven itself.
    wanted = [run for run in runs if run.desired == Desired.RUNNING and not (isolates and run.awaiting_stop)]
    return {run.id for run in (wanted if isolates else most_suspicious(wanted))}


def _successor(engine: Engine, *, goes_on: bool) -> Engine:
    """The engine that gets the runs of a crashed one; a hand-over that it had begun is over.

    goes_on: some runs do.
    """
    concerned = engine.successor_id is not None or goes_on
    found = take_over(engine) if concerned and engine.state != Engine.State.FAILED else engine
    if found == engine and engine.successor_id is not None:
        engine.successor = None
        engine.save(update_fields=["successor"])
    return found


def interrupted_runs(engine: Engine) -> list[Run]:
    """The runs of a dead process: those that it executed, and those that it reported as stopped because it
    ended itself. Those that come first are first. Locked until the end of the transaction: whoever stops one
    meanwhile does so before, or changes the next epoch.
    """
    interrupted = Q(observed__in=LIVE) | Q(observed=Observed.STOPPED, desired=Desired.RUNNING)
    runs = Run.objects.filter(interrupted, engine=engine).select_for_update(of=("self",))
    return list(in_order(runs.select_related("generation__job")))


def release_runs(
    engine: Engine,
    runs: Sequence[Run],
    reason: str,
    failure: dict[str, Any] | None = None,
    successor: Engine | None = None,
    phases: Mapping[str, int] | None = None,
) -> None:
    """End the executions of a dead process: runs that should stop are stopped, the others start their
    next epoch, on the successor where there is one (or fail with it), or elsewhere where the engine may not
    start again or the run was about to restart. phases: as for `begin_epoch`.
    """
    next_engine = successor or engine
    stays = engine.kind == Engine.Kind.ISOLATION or next_engine.host_queue not in hosts_without_checkpoints()
    for run in runs:
        if run.desired != Desired.RUNNING:
            close_execution(run, Observed.STOPPED, reason)
            set_observed(run, Observed.STOPPED)
            run.failure = None  # it waits for nothing any more
            run.save(update_fields=["observed", "observed_since", "failure"])
        elif engine.state == Engine.State.FAILED:
            close_execution(run, Observed.FAILED, reason, failure)
            set_observed(run, Observed.FAILED)
            run.failure, run.published_at = failure, None
            run.save(update_fields=["observed", "observed_since", "failure", "published_at"])
            transaction.on_commit(lambda run_id=run.id: enqueue(PUBLISH_RUN, run_id))  # type: ignore[misc]  # bound by value
        else:
            close_execution(run, Observed.FAILED if failure else Observed.STOPPED, reason, failure)
            # One that was to stop for a restart, not for a hand-over, may ask for another engine than it had.
            restarts = run.awaiting_stop and engine.successor_id is None
            if not stays or restarts or (engine.kind == Engine.Kind.ISOLATION and run.awaiting_stop):
                begin_placed(run)
            else:
                begin_epoch(run, next_engine, phases=phases)
            transaction.on_commit(lambda run_id=run.id: enqueue(START_RUN, run_id))  # type: ignore[misc]  # bound by value


def note_host_ended(*, publish: bool) -> None:
    """Note that this host's engines were stopped on purpose, as when the whole
    system stops: that is no crash.

    Args:
        publish: publish the next epochs of their runs, so that an engine's next start does not wait for the
            broker's. No process may run that could take them for its own.
    """
    for engine in Engine.objects.filter(
        host_queue=settings.HOST_QUEUE,
        state__in=(Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING),
    ):
        note_stopped(engine)
        if publish:
            engine_runs_published(engine)


def broker_reachable() -> bool:
    """Whether the broker answered when it was asked last."""
    state = ReconcilerState.objects.filter(pk=1).first()
    return state is None or state.broker_answers_since is not None


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            before = max(0, log.stat().st_size - _LOG_TAIL_BYTES)
            file.seek(before)
            lines = file.read().decode("utf-8", "replace").splitlines()
            shown = lines[1:] if before and len(lines) > 1 else lines
            return str(without_nul("\n".join(map(readable, shown))))
    except FileNotFoundError:
        return ""
