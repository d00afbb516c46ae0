"""Finds the run that crashes a shared engine: after the second crash its newest runs are tried on the
isolation engine, in halves, while the others go on.

See `docs/decisions/2026-11-21-trial-engine.md`. A group with which the isolation engine crashes is halved,
and whoever else waits is innocent. A run that crashes it alone fails, and its job never shares an engine
again.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Min, Q, QuerySet
from django.utils import timezone

from jobs.run_states import LIVE
from weir.runs.models import REVISION_FIELDS, Desired, Engine, Execution, Isolation, Job, Observed, Run
from weir.runs.services.engine_hosts import silent_hosts
from weir.runs.services.epochs import begin_epoch, close_execution, set_observed
from weir.runs.services.job_lock import lock_run
from weir.runs.services.placement import isolation_engine, slots_for_runs
from weir.runs.services.restart_policy import ENGINE_ERROR, MAX_TRIAL, PROVEN_AFTER, proof_time
from weir.runs.services.unplaced import begin_placed
from weir.runs.task_queue import PUBLISH_RUN, START_RUN, enqueue

_LOG: Final = structlog.get_logger("weir.isolation")
_DETACHED_FIELDS: Final = (
    *REVISION_FIELDS, "observed", "observed_since", "isolation", "failure", "retry_at", "engine",
)  # fmt: skip


def most_suspicious(runs: Sequence[Run]) -> list[Run]:
    """Those of a crashed engine's runs that are tried: the newest half, and no run that has proven itself
    while there are others.

    Args:
        runs: any of which may be the cause.
    """
    proven = _proven(runs, timezone.now())
    newcomers = [run for run in runs if run.id not in proven]
    return _newest_half(newcomers if newcomers else runs, among=len(runs))


def isolate(runs: Sequence[Run], reason: str, failure: dict[str, Any]) -> None:
    """Queue runs of a shared engine that crashed again, because one of them may be the cause. The caller
    holds the transaction.

    Args:
        runs: of the engine that crashed.
        reason: goes into the runs' history.
        failure: of the engine.
    """
    message = (
        "Engine crashed repeatedly. Its newest jobs restart in groups to find the cause, which takes "
        f"{_at_most(len(runs))} at most; the others run on."
    )
    for run in runs:
        close_execution(run, Observed.FAILED, reason, failure)
        _detach(run, Isolation.QUEUED, {**failure, "message": message, "permanent": False})


def try_again(runs: Sequence[Run], reason: str, failure: dict[str, Any]) -> None:
    """The isolation engine crashed with these runs: one of them is the cause, so whoever else waits goes on,
    and these are halved. The caller holds the transaction. Arguments are those of `isolate`.
    """
    if not runs:
        return
    for run_id in list(_queued().values_list("id", flat=True)):
        other = _lock_queued(run_id)
        if other is not None:
            _go_on(other)
    if len(runs) == 1:
        _blame(runs[0], reason, failure)
    else:
        isolate(runs, reason, failure)


def _queued() -> QuerySet[Run]:
    return Run.objects.filter(isolation=Isolation.QUEUED, desired=Desired.RUNNING)


def _lock_queued(run_id: str) -> Run | None:
    """A run that waits for its trial, locked until the end of the transaction; None: it does not any more,
    as it was stopped or started anew since it was read.
    """
    run = lock_run(run_id)
    waits = run is not None and run.isolation == Isolation.QUEUED and run.desired == Desired.RUNNING
    return run if waits else None


def _at_most(runs: int) -> str:
    """How long it takes to find the cause among so many runs, for people."""
    rounds = max(runs - 1, 0).bit_length() + 1
    seconds = rounds * MAX_TRIAL.total_seconds()
    return f"{round(seconds / 60)} minutes"


def _proven(runs: Iterable[Run], now: datetime) -> set[str]:
    """The ids of runs whose present version has run for long without a crash."""
    long = Q(ended_at__gte=F("started_at") + PROVEN_AFTER) | Q(
        ended_at__isnull=True, started_at__lte=now - PROVEN_AFTER
    )
    executions = Execution.objects.filter(long, run__in=runs, version=F("run__version"))
    return set(executions.values_list("run_id", flat=True))


def _newest_half(runs: Sequence[Run], among: int) -> list[Run]:
    """The newest runs, by when their present version began: half as many as `among`, at least one."""
    present = Execution.objects.filter(run__in=runs, version=F("run__version"))
    began = dict(present.values_list("run_id").annotate(began=Min("started_at")))
    newest_first = sorted(runs, key=lambda run: (began.get(run.id, run.observed_since), run.id), reverse=True)
    return newest_first[: (among + 1) // 2]


def _go_on(run: Run) -> None:
    """A run that isn't live needs no trial any more: it is placed as its document asks."""
    run.isolation, run.failure = Isolation.NONE, None
    run.save(update_fields=["isolation", "failure"])
    begin_placed(run)
    transaction.on_commit(lambda: enqueue(START_RUN, run.id))


def _blame(run: Run, reason: str, failure: dict[str, Any]) -> None:
    """The isolation engine crashed with this run alone on it."""
    message = "This job crashes its engine; the next start uses a dedicated engine."
    final = {**failure, "message": message, "permanent": True}
    close_execution(run, Observed.FAILED, reason, final)
    _detach(run, Isolation.NONE, final)
    Job.objects.filter(pk=run.generation.job_id).update(shareable=False)
    _LOG.warning("a run crashes its engine", run=run.id)


def advance_isolation(now: datetime) -> None:
    """One tick: a run that was stable long enough, or whose trial takes too long, returns to a shared engine;
    when all have, the next group of the queue starts.
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
    detached = Run.objects.filter(engine__isnull=True, published_at__isnull=True)
    for unpublished in detached.exclude(desired=Desired.RUNNING, generation__topics_ready=False):
        enqueue(PUBLISH_RUN, unpublished.id)
    active = list(Run.objects.filter(isolation=Isolation.ACTIVE).select_related("engine"))
    proofs = _proofs(active)
    for run in active:
        with transaction.atomic():
            locked = lock_run(run.id)
            if locked is not None and (locked.isolation, locked.epoch) == (Isolation.ACTIVE, run.epoch):
                _clear_if_stable(locked, now, proofs[run.id])
                _clear_if_too_long(locked, now)
    if not _is_taken():
        _try_next()


def _try_next() -> None:
    """Start the newest half of those that wait, as far as the engine has slots; one that is left, alone."""
    queue = list(_queued().select_related("generation__job"))
    group: list[Run] = []
    for run in _newest_half(queue, among=len(queue)):
        if not group or sum(each.slots for each in (*group, run)) <= slots_for_runs(settings.ENGINE_SLOTS):
            group.append(run)
    if not group:
        return
    with transaction.atomic():
        engine = isolation_engine()
        begun = [locked for each in group if (locked := _lock_queued(each.id)) is not None]
        for run in begun:
            run.isolation, run.failure = Isolation.ACTIVE, None
            run.save(update_fields=["isolation", "failure"])
            begin_epoch(run, engine)
    for run in begun:
        enqueue(START_RUN, run.id)


def _proofs(runs: Sequence[Run]) -> dict[str, timedelta]:
    """How long each of the runs has to run without a crash to be innocent, by id."""
    crashed = Execution.objects.filter(run__in=runs, state=Observed.FAILED, ended_at__isnull=False)
    lasted = {
        run_id: ended_at - started_at
        for run_id, started_at, ended_at in crashed.order_by("epoch").values_list(
            "run_id", "started_at", "ended_at"
        )
        if ended_at is not None
    }
    return {run.id: proof_time(lasted.get(run.id)) for run in runs}


def _trial_began(run: Run) -> datetime:
    """When a run's trial began: with its first epoch since one was stopped, or ended with its engine. A retry
    after a failure of the run's own goes on with it.
    """
    executions = Execution.objects.filter(run=run)
    with_engine = Q(state=Observed.STOPPED) | Q(failure__code=ENGINE_ERROR)
    others = executions.filter(with_engine, ended_at__isnull=False)
    last = others.aggregate(last=Max("epoch"))["last"] or 0
    began: datetime | None = executions.filter(epoch__gt=last).aggregate(began=Min("started_at"))["began"]
    return began or run.observed_since


def _detach(run: Run, isolation: Isolation, failure: dict[str, Any]) -> None:
    """Fail a run and take it from its engine: an engine that restarts must not find it in
    ``weir.runs`` as its own.
    """
    set_observed(run, Observed.FAILED)
    run.isolation, run.failure, run.retry_at = isolation, failure, None
    run.engine = None
    run.desire_change()
    run.save(update_fields=_DETACHED_FIELDS)
    transaction.on_commit(lambda: enqueue(PUBLISH_RUN, run.id))


def _clear_if_stable(run: Run, now: datetime, proof: timedelta) -> None:
    if run.observed == Observed.FAILED and run.retry_at is None:
        run.isolation = Isolation.NONE  # it failed for a reason of its own, not with its engine
        run.save(update_fields=["isolation"])
    elif (
        run.desired == Desired.RUNNING
        and run.observed == Observed.RUNNING
        and now - run.observed_since > proof
    ):
        _leave(run)


def _clear_if_too_long(run: Run, now: datetime) -> None:
    """End a trial that proves nothing, as of a run that waits for its cluster, for processor time or for its
    retry, or that replays for long: the others wait for its end.
    """
    tried = run.isolation == Isolation.ACTIVE and run.desired == Desired.RUNNING
    if not tried or run.observed in (Observed.RUNNING, Observed.STOPPED) or _awaits_engine(run):
        return
    if now - _trial_began(run) <= MAX_TRIAL:
        return
    if run.observed == Observed.FAILED:
        _go_on(run)
    else:
        _leave(run)


def _awaits_engine(run: Run) -> bool:
    """Whether the isolation engine, which may start slowly, has not had time for the run."""
    is_ready = run.engine is not None and run.engine.state == Engine.State.READY
    return run.observed == Observed.STARTING and not is_ready


def _leave(run: Run) -> None:
    """Stop a run that is tried; its next epoch is placed as its document asks."""
    run.isolation = Isolation.NONE
    run.awaiting_stop = True
    run.desire_change()
    run.save(update_fields=["isolation", "awaiting_stop", *REVISION_FIELDS])
    transaction.on_commit(lambda: enqueue(START_RUN, run.id))


def _is_taken() -> bool:
    """Whether a trial is under way, or its runs have not stopped yet. One on a silent host keeps nobody
    waiting, because nobody may ever tell its end.
    """
    tried = Q(isolation=Isolation.ACTIVE) | Q(engine__kind=Engine.Kind.ISOLATION, observed__in=LIVE)
    return Run.objects.filter(tried).exclude(engine__host_queue__in=silent_hosts()).exists()
