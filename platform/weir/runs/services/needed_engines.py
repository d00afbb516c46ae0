"""Which engines are needed: those of runs, and those that were used lately."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from jobs.run_states import LIVE
from weir.runs.models import Desired, Engine, Execution, Isolation, Run
from weir.runs.services.placement import give_back_engines, shared_candidate

_IDLE: Final = timedelta(minutes=10)


def retire_idle_engines(now: datetime) -> None:
    """Engines without runs should no longer run: dedicated ones at once, shared ones (except the warm one and
    the standby) ten minutes after their start and the end of their last run. A run that has failed until a
    person starts it needs none.
    """
    warm = shared_candidate() if settings.WARM_ENGINE else None
    holding = Run.objects.holding().filter(engine=OuterRef("pk"))
    # An engine that has failed with its runs has no process to end, and is not to be started without them.
    failed_with = Q(Exists(Run.objects.expected().filter(engine=OuterRef("pk"))), state=Engine.State.FAILED)
    idle = Engine.objects.filter(~Exists(holding), ~failed_with, should_run=True)
    needless = [each for each in idle if not (each == warm or each.standby or each.successor_id is not None)]
    if Run.objects.filter(isolation=Isolation.QUEUED, desired=Desired.RUNNING).exists():
        # The next group is tried on the engine that tried the last one, which is warm.
        needless = [each for each in needless if each.kind != Engine.Kind.ISOLATION]
    used = _used_lately(needless, now)
    for engine in needless:
        if engine.id not in used:
            idle.filter(pk=engine.pk).update(should_run=False)
    give_back_engines()


def _used_lately(engines: Sequence[Engine], now: datetime) -> set[str]:
    """The ids of those shared engines that have started, or whose last run has ended, within `_IDLE`."""
    since = now - _IDLE
    shared = [each for each in engines if each.kind == Engine.Kind.SHARED]
    started = {each.id for each in shared if each.started_at is not None and each.started_at > since}
    others = {each.id for each in shared} - started
    ended = Execution.objects.filter(engine_id__in=others, ended_at__gt=since)
    return started.union(ended.values_list("engine_id", flat=True))


def want_engines_of_runs() -> None:
    """Engines whose runs are to run should run. A run may get an engine at the moment in which another
    process, which does not see the run yet, finds that the engine has nothing to do.
    """
    to_run = Run.objects.filter(engine=OuterRef("pk"), desired=Desired.RUNNING, observed__in=LIVE)
    Engine.objects.filter(Exists(to_run), should_run=False).update(should_run=True)
