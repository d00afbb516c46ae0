"""The standby engine: warm and without runs, it takes over the runs of a shared engine that dies.

A process, its JVM and its Spark session take some fifteen seconds; the standby has them. Engines swap roles:
the dead one is started again as the next standby (`docs/decisions/2026-11-23-standby-engine.md`).
"""

from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from jobs.run_states import QUEUED, REPLAYING, RUNNING, STARTING
from weir.runs.models import Desired, Engine, Run
from weir.runs.services.engine_hosts import has_memory_for_engine, host_loads, is_gone, roomiest_host
from weir.runs.services.placement import engines_at_hand, next_shared_id, serving_engines
from weir.runs.services.restart_policy import MAX_CRASHES

_LOG: Final = structlog.get_logger("weir.standby")
# Runs that need longer than this do not keep the next engine from being protected.
_WAITS_AT_MOST: Final = timedelta(seconds=60)
_PAUSE: Final = timedelta(minutes=5)  # of a standby that cannot start, doubled with each further attempt
_MAX_PAUSE: Final = timedelta(hours=1)


def ensure_standby(now: datetime | None = None) -> None:
    """Want one standby engine where the settings ask for it and memory allows, as soon as an engine serves;
    else none. One that cannot start is tried again, less and less often: another would fail as well.

    Args:
        now: the present; None reads the clock.
    """
    standbys = Engine.objects.filter(kind=Engine.Kind.SHARED, standby=True)
    if not settings.STANDBY:
        standbys.update(standby=False)  # and retired like any engine without runs
        return
    if Engine.objects.filter(successor__isnull=False).exists():
        return  # it is the next
    failed = standbys.filter(state=Engine.State.FAILED)
    if standbys.exists():
        due = Q(retry_at__isnull=True) | Q(retry_at__lte=now or timezone.now())
        failed.filter(due).update(state=Engine.State.STOPPED)
        standbys.filter(should_run=False).update(should_run=True)
    elif serving_engines().filter(state=Engine.State.READY).exists() and has_memory_for_engine():
        _want_standby()


def _want_standby() -> None:
    """One that has ended, where its host has memory for it, or a new one."""
    loads = host_loads(timezone.now())
    roomy = {load.queue for load in loads if load.has_memory}
    used = Exists(Run.objects.holding().filter(engine=OuterRef("pk")))
    ended = serving_engines().filter(~used, state=Engine.State.STOPPED, should_run=False)
    engine = next(
        (
            each
            for each in ended.order_by("id")
            if (each.host_queue in roomy if loads else not is_gone(each.host_queue))
        ),
        None,
    )
    if engine is None:
        engine = Engine(
            id=next_shared_id(),
            kind=Engine.Kind.SHARED,
            host_queue=roomiest_host(),
            slots=settings.ENGINE_SLOTS,
        )
    engine.standby = engine.should_run = True
    engine.save()


def standby_pause(standby: Engine) -> timedelta:
    """How long a standby that has failed so often waits for its next start."""
    doublings = min(max(standby.failed_starts - MAX_CRASHES, 0), 10)
    return min(_PAUSE * (1 << doublings), _MAX_PAUSE)


def must_wait(standby: Engine, now: datetime) -> bool:
    """Whether a standby's start would take CPU from runs that are starting, catching up, or about to compute
    their first rows.

    Args:
        standby: an engine without a process.
        now: the present.
    """
    since = now - _WAITS_AT_MOST
    # After a stop of the whole system, the runs' epochs began then, and their engine begins now.
    recent = Q(observed_since__gt=since) | Q(engine__started_at__gt=since)
    unseen = Q(observed=RUNNING, freshness_ms=None)
    recovering = Run.objects.filter(
        recent, Q(observed__in=(STARTING, QUEUED, REPLAYING)) | unseen, desired=Desired.RUNNING
    )
    started = Q(state=Engine.State.STARTING, started_at__gt=since)
    to_start = Q(state=Engine.State.STOPPED, should_run=True)
    starting = serving_engines().filter(started | to_start)
    return standby.standby and (recovering.exists() or starting.exists())


def ready_engine(**which: Any) -> Engine | None:
    """A ready engine of these properties, locked; None: there is none. The caller holds the transaction."""
    return engines_at_hand().filter(**which).select_for_update().first()


def take_over(dead: Engine) -> Engine:
    """The engine that executes the next epochs of a dead engine's runs: a ready standby, which serves from
    now on, or the dead engine itself when there is none. The caller holds the transaction.

    The crashes that count towards isolation go with the runs, because one of these may be their cause.
    """
    if dead.kind != Engine.Kind.SHARED or dead.standby:
        return dead
    successor = (
        ready_engine(pk=dead.successor_id) if dead.successor_id is not None else ready_engine(standby=True)
    )
    if successor is None:
        return dead
    successor.standby, successor.crashes = False, dead.crashes
    successor.save(update_fields=["standby", "crashes"])
    dead.standby, dead.crashes, dead.successor = True, [], None
    dead.save(update_fields=["standby", "crashes", "successor"])
    _LOG.info("standby took over", engine=dead.id, successor=successor.id)
    return successor
