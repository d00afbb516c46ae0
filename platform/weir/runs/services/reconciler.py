"""The reconciler: compares desired runs with the heartbeats of engines, and publishes again what
engines have not applied.

One tick every two seconds, in one worker at a time. It decides nothing new; it repeats
what services have decided.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from jobs.run_states import HEARTBEAT_INTERVAL_S, LIVE
from weir.clusters.models import Cluster
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Desired, Engine, Observed, ReconcilerState, Run
from weir.runs.services.deletion import finish_deletions
from weir.runs.services.engine_hosts import ask_hosts, silent_hosts
from weir.runs.services.epochs import begin_epoch
from weir.runs.services.isolation import advance_isolation
from weir.runs.services.job_lock import lock_run
from weir.runs.services.needed_engines import retire_idle_engines, want_engines_of_runs
from weir.runs.services.placement import ensure_warm_engine, keeps_runs
from weir.runs.services.run_publisher import ensure_system_topics, publish_run
from weir.runs.services.standby import ensure_standby
from weir.runs.services.states import note_state
from weir.runs.services.stop import stop_superseded
from weir.runs.services.unplaced import begin_placed, place_waiting
from weir.runs.task_queue import RECONCILE_ENGINE, START_RUN, enqueue
from weir.schemas.services.schema_publisher import publish_pending
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.reconciler")
_LOCK: Final = timedelta(seconds=20)
# A run that no heartbeat of this time says is applied is published again.
_APPLIED_WITHIN: Final = timedelta(seconds=3 * HEARTBEAT_INTERVAL_S)


class _TurnLostError(Exception):
    """Another worker reconciles."""


class _Turn:
    """The right to reconcile, which one worker has at a time; it ends by itself when that dies.

    Args:
        until: when it ends, as it was stored.
    """

    def __init__(self, until: datetime) -> None:
        self._until = until

    def renew(self) -> None:
        """Prolong it. Asked before whatever may wait for a broker.

        Raises:
            _TurnLostError: it had ended, and another worker has begun.
        """
        now = timezone.now()
        if self._until - now > _LOCK * 0.75:
            return
        own = ReconcilerState.objects.filter(pk=1, reconciling_until=self._until)
        if not own.update(reconciling_until=now + _LOCK):
            raise _TurnLostError
        self._until = now + _LOCK

    def end(self) -> None:
        """Leave it to others, unless another worker has it already."""
        ReconcilerState.objects.filter(pk=1, reconciling_until=self._until).update(reconciling_until=None)


def reconcile(now: datetime | None = None) -> None:
    """One tick.

    Args:
        now: the present; None reads the clock.
    """
    moment = now or timezone.now()
    ReconcilerState.objects.get_or_create(pk=1)
    free = Q(reconciling_until__isnull=True) | Q(reconciling_until__lt=moment)
    # Or of a worker that was killed, before the clock was set back.
    free |= Q(reconciling_until__gt=moment + 2 * _LOCK)
    if not ReconcilerState.objects.filter(free, pk=1).update(reconciling_until=moment + _LOCK):
        return
    turn = _Turn(moment + _LOCK)
    try:
        _tick(moment, turn)
    except _TurnLostError:
        _LOG.warning("a tick took too long; another worker reconciles")
    finally:
        turn.end()


def _tick(now: datetime, turn: _Turn) -> None:
    def step(work: Callable[..., None], *arguments: datetime | bool | _Turn) -> None:
        """A defect in one of them keeps no other from its work."""
        turn.renew()
        try:
            work(*arguments)
        except (DatabaseError, _TurnLostError):
            raise
        except Exception:  # noqa: BLE001 - logged with its traceback; the next tick tries again
            _LOG.exception("a step of the reconciler failed", step=work.__name__)

    step(ask_hosts, now)
    step(ensure_warm_engine)
    step(ensure_standby, now)
    step(retire_idle_engines, now)
    step(want_engines_of_runs)
    step(_start_stopped)
    turn.renew()
    reachable = probe_home_cluster(now)
    step(_reconcile_engines, reachable)
    step(stop_superseded)
    step(_settle_orphans)
    if not reachable:
        return
    # Before runs: an engine takes a schema that is not there for one that does not exist.
    step(publish_pending)
    step(advance_isolation, now)
    step(place_waiting, now)
    step(_retry_failed, now)
    step(_republish, now, turn)
    step(finish_deletions)


def probe_home_cluster(now: datetime) -> bool:
    """Contact the home cluster, create missing topics and save the result; True when the cluster answered.

    When ``weir.runs`` was recreated, all runs are published again but those of which nothing is left.
    """
    state = ReconcilerState.objects.get(pk=1)
    cluster = home_cluster()
    try:
        topic_id = ensure_system_topics()
    except ServiceError as error:
        Cluster.objects.filter(pk=cluster.pk).update(
            reachable=False, checked_at=now, error=error.detail[:500]
        )
        ReconcilerState.objects.filter(pk=1).update(broker_answers_since=None)
        return False
    Cluster.objects.filter(pk=cluster.pk).update(reachable=True, checked_at=now, error="")
    ReconcilerState.objects.filter(pk=1).update(
        broker_answers_since=state.broker_answers_since or now, runs_topic_id=topic_id
    )
    if state.runs_topic_id and state.runs_topic_id != topic_id:
        _LOG.warning("weir.runs was recreated; all runs are published again")
        Run.objects.filter(generation__data_deleted=False).update(published_at=None)
    return True


def _start_stopped() -> None:
    """Start engines that were stopped in order if the broker was reachable last time;
    they wait for it themselves.

    Contacting a broker that is still starting, as after the start of a whole system, takes seconds.
    Crashes are handled after that.
    """
    if ReconcilerState.objects.filter(pk=1, broker_answers_since__isnull=False).exists():
        stopped = Engine.objects.filter(should_run=True, state=Engine.State.STOPPED)
        for engine in stopped.exclude(host_queue__in=silent_hosts()):
            enqueue(RECONCILE_ENGINE, engine.id, queue=engine.host_queue)


def _reconcile_engines(broker_reachable: bool) -> None:
    """Queue every engine that may need an action on its host, unless that is silent. While the broker is
    unreachable none is started.
    """
    silent = silent_hosts()
    engines = Engine.objects.filter(
        Q(should_run=True) | Q(state__in=[Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING])
    )
    for engine in engines.exclude(state=Engine.State.FAILED):
        starts = engine.state in (Engine.State.STOPPED, Engine.State.LOST)
        if (broker_reachable or not starts) and engine.host_queue not in silent:
            enqueue(RECONCILE_ENGINE, engine.id, queue=engine.host_queue)


@transaction.atomic
def _settle_orphans() -> None:
    """Mark runs that should stop as stopped when their engine process is gone, or when its
    heartbeats no longer list them.

    The latter counts from 6 s after the request was published.
    """
    without_process = Q(engine__isnull=True) | Q(
        engine__state__in=[Engine.State.STOPPED, Engine.State.LOST, Engine.State.FAILED]
    )
    unlisted = Q(
        engine__state=Engine.State.READY,
        applied_revision=0,
        engine__last_seen_at__gt=F("published_at") + _APPLIED_WITHIN,
    )
    to_stop = ~Q(desired=Desired.RUNNING) | Q(awaiting_stop=True)
    orphans = Run.objects.filter(to_stop, without_process | unlisted, observed__in=LIVE)
    for run_id in list(orphans.values_list("pk", flat=True)):
        with transaction.atomic():
            run = lock_run(run_id)
            if run is not None and orphans.filter(pk=run_id).exists():  # not started since it was read
                note_state(run, Observed.STOPPED)


def _retry_failed(now: datetime) -> None:
    """Start the next epoch of failed runs whose retry is due, elsewhere if their engine serves no more."""
    due = Run.objects.filter(desired=Desired.RUNNING, observed=Observed.FAILED, retry_at__lte=now)
    for run_id in list(due.filter(engine__isnull=False).values_list("pk", flat=True)):
        with transaction.atomic():
            run = lock_run(run_id)
            if run is None or run.engine is None or not due.filter(pk=run_id).exists():
                continue  # stopped or started since it was read
            lacks_slots = (run.failure or {}).get("code") == "OUT_OF_SLOTS"
            if keeps_runs(run.engine) and not lacks_slots:
                begin_epoch(run, run.engine)
            else:
                begin_placed(run)
        enqueue(START_RUN, run_id)


def _republish(now: datetime, turn: _Turn) -> None:
    """Publish runs that changed, and runs that their engine has not applied; queue starts that were never
    queued.
    """
    rows = Run.objects.select_related("generation__job__workspace", "engine").filter(engine__isnull=False)
    unpublished = rows.filter(published_at__isnull=True)
    for run in _each(unpublished):
        if not run.awaits_topics:
            _publish(run, turn)
            if run.desired == Desired.RUNNING and run.generation.topic_retention_ms is not None:
                enqueue(START_RUN, run.id)  # that of its start has not given its topic the new retention
        elif run.observed != Observed.FAILED:
            enqueue(START_RUN, run.id)
    unapplied = ~Q(applied_epoch=F("epoch")) | ~Q(applied_revision=F("revision"))
    waiting = rows.filter(
        unapplied, engine__state=Engine.State.READY, published_at__lt=now - _APPLIED_WITHIN
    ).expected()
    for run in _each(waiting.exclude(desired=Desired.RUNNING, observed=Observed.FAILED)):
        _publish(run, turn)


def _each(runs: QuerySet[Run]) -> Iterator[Run]:
    """Each of some runs, read when it is its turn: those before it may have waited for the broker."""
    for run_id in list(runs.values_list("pk", flat=True)):
        run = runs.filter(pk=run_id).first()
        if run is not None:
            yield run


def _publish(run: Run, turn: _Turn) -> None:
    turn.renew()
    try:
        publish_run(run)
    except ServiceError as error:
        _LOG.warning(
            "a run could not be published; the next tick tries again", run=run.id, error=error.detail
        )
