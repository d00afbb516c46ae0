"""The reconciler: compares what is desired with what engines echo, and says again what was not heard.

One tick every two seconds, in one worker at a time. It decides nothing new; it repeats what verbs have decided.
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from weir.clusters.models import Cluster
from weir.clusters.services import home_cluster
from weir.runs.models import LIVE_STATES, Desired, Engine, Observed, Run, Surroundings
from weir.runs.services.deletion import finish_deletions
from weir.runs.services.engines import retire_idle_engines
from weir.runs.services.epochs import begin_epoch
from weir.runs.services.isolation import advance_trials
from weir.runs.services.placement import ensure_warm_engine
from weir.runs.services.run_publisher import ensure_system_topics, publish_run
from weir.runs.services.states import note_state
from weir.runs.services.isolation import advance_trials
from weir.schemas.schema_publisher import publish_pending
from weir.workspaces.errors import ServiceError

_LOG: Final = structlog.get_logger("weir.reconciler")
_LOCK: Final = timedelta(seconds=20)
_ECHO_WITHIN: Final = timedelta(seconds=6)  # three heartbeats: what is not echoed by then is said again


def reconcile(now: datetime | None = None) -> None:
    """One tick.

    Args:
        now: the present; None reads the clock.
    """
    moment = now or timezone.now()
    Surroundings.objects.get_or_create(pk=1)
    free = Q(reconciling_until__isnull=True) | Q(reconciling_until__lt=moment)
    if not Surroundings.objects.filter(free, pk=1).update(reconciling_until=moment + _LOCK):
        return
    try:
        _tick(moment)
    finally:
        Surroundings.objects.filter(pk=1).update(reconciling_until=None)


def _tick(now: datetime) -> None:
    ensure_warm_engine()
    retire_idle_engines(now)
    _start_ended()
    there = look_around(now)
    _tend_all(there)
    _settle_orphans()
    if not there:
        return
    advance_trials(now)
    _retry_failed(now)
    _say_again(now)
    publish_pending()
    finish_deletions()


def look_around(now: datetime) -> bool:
    """Ask the home cluster, make missing topics, write down what was seen; True when it answered.

    When ``weir.runs`` is another topic than last time, everything is published again.
    """
    world = Surroundings.objects.get(pk=1)
    cluster = home_cluster()
    try:
        topic_id = ensure_system_topics()
    except ServiceError as error:
        Cluster.objects.filter(pk=cluster.pk).update(reachable=False, checked_at=now, error=error.detail[:500])
        Surroundings.objects.filter(pk=1).update(broker_answers_since=None)
        return False
    Cluster.objects.filter(pk=cluster.pk).update(reachable=True, checked_at=now, error="")
    Surroundings.objects.filter(pk=1).update(broker_answers_since=world.broker_answers_since or now, runs_topic_id=topic_id)
    if world.runs_topic_id and world.runs_topic_id != topic_id:
        _LOG.warning("weir.runs was made anew; all runs are published again")
        Run.objects.update(published_at=None)
    return True


def _start_ended() -> None:
    """Engines that were ended in order begin beside a broker that was last seen there, and wait for it themselves.

    To ask a broker that is still starting, as after the start of a whole system, takes seconds. Deaths are judged once it was asked.
    """
    if Surroundings.objects.filter(pk=1, broker_answers_since__isnull=False).exists():
        for engine in Engine.objects.filter(wanted=True, state=Engine.State.STOPPED):
            enqueue(TEND_ENGINE, engine.id, queue=engine.host_queue)


def _tend_all(broker_there: bool) -> None:
    """Hand every engine that may need something to its host. While the broker is away none is started."""
    engines = Engine.objects.filter(Q(wanted=True) | Q(state__in=[Engine.State.STARTING, Engine.State.READY, Engine.State.STOPPING]))
    for engine in engines.exclude(state=Engine.State.FAILED):
        starts = engine.state in (Engine.State.STOPPED, Engine.State.LOST)
        if broker_there or not starts:
            enqueue(TEND_ENGINE, engine.id, queue=engine.host_queue)


@transaction.atomic
def _settle_orphans() -> None:
    """Runs that are to stop are stopped when their engine has no process, or lives, was told and no longer names them."""
    gone = Q(engine__isnull=True) | Q(engine__state__in=[Engine.State.STOPPED, Engine.State.LOST, Engine.State.FAILED])
    unnamed = Q(engine__state=Engine.State.READY, applied_revision=0, engine__last_heard__gt=F("published_at") + _ECHO_WITHIN)
    to_stop = ~Q(desired=Desired.RUNNING) | Q(awaiting_stop=True)
    rows = Run.objects.filter(to_stop, gone | unnamed, observed__in=LIVE_STATES).select_related("generation__job", "engine")
    for run in rows:
        note_state(run, Observed.STOPPED)


def _retry_failed(now: datetime) -> None:
    """Runs that failed and may be tried again by now begin their next epoch."""
    due = Run.objects.filter(desired=Desired.RUNNING, observed=Observed.FAILED, retry_at__lte=now, engine__isnull=False)
    for run in due.select_related("engine"):
        with transaction.atomic():
            if run.engine is not None:
                begin_epoch(run, run.engine)
        enqueue(START_RUN, run.id)


def _say_again(now: datetime) -> None:
    """Publish what engines should know and do not echo; a start that was never handed on is handed on."""
    rows = Run.objects.select_related("generation__job__workspace", "engine").filter(engine__isnull=False)
    quiet = Q(published_at__isnull=True) | Q(published_at__lt=now - _ECHO_WITHIN)
    for run in rows.filter(quiet).filter(Q(desired=Desired.RUNNING) | Q(observed__in=LIVE_STATES)):
        if run.desired == Desired.RUNNING and run.observed == Observed.FAILED:
            continue
        echoed = (run.applied_epoch, run.applied_revision) == (run.epoch, run.revision)
        engine_hears = run.engine is not None and run.engine.state == Engine.State.READY
        if run.published_at is not None and (echoed or not engine_hears):
            continue
        if run.generation.prepared:
            _publish(run)
        else:
            enqueue(START_RUN, run.id)


def _publish(run: Run) -> None:
    try:
        publish_run(run)
    except ServiceError as error:
        _LOG.warning("a run could not be published; the next tick tries again", run=run.id, error=error.detail)
