"""Places runs on engines, and engines on hosts."""

import time
from collections.abc import Collection, Mapping
from itertools import count
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from jobs.kafka_messages import Failure
from weir.runs.models import Engine, Job, Run
from weir.runs.services.engine_hosts import HostLoad, host_loads, roomiest_host, unusable_hosts
from weir.runs.services.engine_memory import GIB, engine_bytes
from weir.workspaces.errors import ServiceError

WARM_ENGINE: Final = "shared-1"  # the first that serves; another may later
_ISOLATION: Final = "isolation-"
ISOLATION_ENGINE: Final = f"{_ISOLATION}1"
DEDICATED_PREFIX: Final = "dedicated-"
_SERVES: Final = (Engine.State.STARTING, Engine.State.READY)
WITHOUT_PROCESS: Final = (Engine.State.STOPPED, Engine.State.LOST, Engine.State.FAILED)
_PLACED_WITHIN_S: Final = 0.5  # PostgreSQL ends one of two that wait for each other after a second
# Of PostgreSQL's advisory locks, whose numbers all programs share.
_PLACEMENT_LOCK: Final = 0x776569725F706C61
_RESERVE: Final = 4  # one slot in four stays free for micro-batches, which use slots for a short time


class NoEngineRoomError(Exception):
    """No engine has room for a run, and no host for another engine.

    Attributes:
        reason: what a run says that waits for it.
    """

    def __init__(self, reason: Failure) -> None:
        super().__init__(reason.message)
        self.reason = reason


def serving_engines() -> QuerySet[Engine]:
    """Shared engines that take runs, so without the standby, and without one that hands its runs over."""
    return Engine.objects.filter(kind=Engine.Kind.SHARED, standby=False, successor__isnull=True)


def engines_at_hand() -> QuerySet[Engine]:
    """The engines that may get runs at once, of any kind, by id."""
    ready = Engine.objects.filter(state=Engine.State.READY, ready=True)
    return ready.exclude(host_queue__in=unusable_hosts()).order_by("id")


def takes_over(engine: Engine) -> bool:
    """Whether an engine may still get the runs of another one that hands them over to it."""
    return engine.state == Engine.State.READY and engine.host_queue not in unusable_hosts()


def keeps_runs(engine: Engine) -> bool:
    """Whether the next epoch of a run that an engine has may begin there: not while the engine hands its runs
    over, is the standby since, has failed, or is on a host that is silent or has lost the checkpoints.
    """
    serves = not engine.standby and engine.successor_id is None and engine.state != Engine.State.FAILED
    return serves and engine.host_queue not in unusable_hosts()


def shared_candidate() -> Engine | None:
    """The shared engine that is considered first for the next run."""
    running = serving_engines().filter(should_run=True).exclude(state=Engine.State.FAILED)
    return min(running, key=_number, default=None)


def next_shared_id() -> str:
    """The id of a shared engine that does not exist yet."""
    taken = set(Engine.objects.values_list("id", flat=True))  # of any kind: a standby may isolate runs now
    return next(name for name in map(_shared_id, count(1)) if name not in taken)


def require_slots(slots: int) -> None:
    """Require that an engine without runs would have so many slots.

    Raises:
        ServiceError: it would not.
    """
    available = slots_for_runs(settings.ENGINE_SLOTS)
    if slots > available:
        raise ServiceError(
            "OUT_OF_SLOTS",
            f"Needs {slots} slots; an engine has {available}. Use fewer partitions or micro-batch mode.",
        )


def place(job: Job, kind: str, slots: int) -> Engine:
    """The engine for a run of this job; created (not yet started) where none has enough slots. In the
    transaction that writes the run: until then others see neither that the engine has it nor its slots.

    Args:
        job: of the run.
        kind: ``shared`` or ``dedicated``, from the document; a job that is not shareable gets
            a dedicated engine anyway.
        slots: task slots that the run needs at the same time.

    Raises:
        ServiceError: no engine has that many slots.
        NoEngineRoomError: none has so many free, and no host has room for another engine.
    """
    require_slots(slots)
    _one_at_a_time()
    if kind == "dedicated" or not job.shareable:
        return _own_engine(job)
    loads = {load.queue: load for load in host_loads(timezone.now())}
    fitting = _with_slots(job, slots, loads)
    full = {queue for queue, load in loads.items() if load.is_full}
    with_room = [engine for engine in fitting if engine.host_queue not in full]
    elsewhere = [load for load in loads.values() if load.takes_engine and not (fitting and load.is_full)]
    if with_room or (fitting and not elsewhere):  # on a full host it waits, with its reason
        return _ensure_running((with_room or fitting)[0].id, Engine.Kind.SHARED)
    standby = _ready_standby(full)
    if standby is None and loads and not elsewhere:
        raise NoEngineRoomError(_no_room(list(loads.values())))
    return standby or _ensure_running(next_shared_id(), Engine.Kind.SHARED)


def _one_at_a_time() -> None:
    """Wait until no other transaction places a run: two would give away the same slots. SQLite has one writer
    anyway.

    Not for long: the other one may be a relay's, which goes on to rows of runs that this one has locked. Of
    two that place all the same, the run that finds too few slots is placed anew.
    """
    if connection.vendor != "postgresql":
        return
    until = time.monotonic() + _PLACED_WITHIN_S
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_PLACEMENT_LOCK])
            if cursor.fetchone()[0] or time.monotonic() > until:
                return
            time.sleep(0.01)


def _with_slots(job: Job, slots: int, loads: Mapping[str, HostLoad]) -> list[Engine]:
    """The shared engines with enough free slots for a run of this job, and among those that have ended only
    the ones that their host has room for; these last.

    Args:
        job: of the run.
        slots: that the run needs.
        loads: of the hosts that engines may be put on, by queue.
    """
    unusable = unusable_hosts() if loads else set()  # where no host is heard, there is nothing better
    roomy = {queue for queue, load in loads.items() if load.takes_engine}
    available = slots_for_runs(settings.ENGINE_SLOTS)
    return [
        engine
        for engine in sorted(serving_engines().exclude(host_queue__in=unusable), key=_turn)
        if (not loads or not _has_ended(engine) or engine.host_queue in roomy)
        and slots_taken(engine, besides=job) + slots <= available
    ]


def _own_engine(job: Job) -> Engine:
    """The engine of its own that a job has, a ready standby, which needs no start, or a new one. A job that
    has crashed its engine gets no standby: it would leave the shared engines without one.

    Raises:
        NoEngineRoomError: no host has room for another engine.
    """
    engine_id = dedicated_engine_id(job)
    runs = Run.objects.expected().filter(generation__job=job)
    in_use = Engine.objects.filter(Q(pk=engine_id, state__in=_SERVES) | Q(runs__in=runs))
    serves = in_use.filter(kind=Engine.Kind.DEDICATED, should_run=True).first()
    if serves is not None:
        return _ensure_running(serves.id, Engine.Kind.DEDICATED)
    standby = _ready_standby(kind=Engine.Kind.DEDICATED) if job.shareable else None
    if standby is not None:
        return standby
    _require_memory(engine_id)
    return _ensure_running(engine_id, Engine.Kind.DEDICATED)


def was_standby(engine: Engine) -> bool:
    """Whether an engine of a job of its own was a standby before: its log may tell of other workspaces."""
    return engine.kind == Engine.Kind.DEDICATED and not engine.id.startswith(DEDICATED_PREFIX)


def give_back_engines() -> None:
    """An engine that was a standby, then a job's own, and has ended, is a shared one again."""
    runs = Run.objects.holding().filter(engine=OuterRef("pk"))
    taken = Engine.objects.filter(kind=Engine.Kind.DEDICATED).exclude(id__startswith=DEDICATED_PREFIX)
    ended = taken.filter(~Exists(runs), should_run=False, state__in=WITHOUT_PROCESS)
    ended.update(kind=Engine.Kind.SHARED, state=Engine.State.STOPPED, crashes=[], failure=None, retry_at=None)


def slots_for_runs(slots: int) -> int:
    """How many of an engine's slots runs may hold together."""
    return slots - slots // _RESERVE


def _require_memory(engine_id: str) -> None:
    """Require that the host of an engine of its own, which has no process yet, has memory for it.

    Raises:
        NoEngineRoomError: it has none.
    """
    known = Engine.objects.filter(pk=engine_id).first()
    if known is not None and known.state not in WITHOUT_PROCESS:
        return
    loads = host_loads(timezone.now())
    if known is not None and known.host_queue not in unusable_hosts():
        loads = [load for load in loads if load.queue == known.host_queue]
    if loads and not any(load.has_memory for load in loads):
        raise NoEngineRoomError(_no_room(loads))


def _no_room(loads: list[HostLoad]) -> Failure:
    """The reason why a run waits for an engine.

    Args:
        loads: of the hosts that could have one; at least one.
    """
    if any(load.has_memory for load in loads):
        best = min(loads, key=lambda load: load.used / load.cores)
        why = f"All engines are full, and engines use {best.own:.1f} of {best.cores:.0f} cores of the host"
    else:
        free = max(max(load.memory or 0 for load in loads), 0) / GIB
        needed = engine_bytes(settings.ENGINE_MEMORY_MB) / GIB
        why = f"Another engine needs {needed:.1f} GiB of memory, and the host has {free:.1f} GiB for it"
    return Failure(
        code="NO_ENGINE_ROOM",
        message=f"{why}. The job starts by itself when there is room. "
        "Stop jobs that nobody needs, or add memory, cores or an engine host.",
    )


def _ready_standby(full: Collection[str] = (), kind: Engine.Kind = Engine.Kind.SHARED) -> Engine | None:
    """The standby, which serves as this kind from now on, as it is faster than a new engine; None when it is
    not ready, on one of the full hosts, or taken at the same moment.
    """
    runs = Run.objects.holding().filter(engine=OuterRef("pk"))  # one may wait for its retry there
    free = engines_at_hand().filter(~Exists(runs), standby=True)
    standby = free.exclude(host_queue__in=full).first()
    if standby is None or not free.filter(pk=standby.pk).update(standby=False, kind=kind):
        return None
    standby.standby, standby.kind = False, kind
    return standby


def _isolation_name(number: int) -> str:
    return f"{_ISOLATION}{number}"


def _shared_id(number: int) -> str:
    return f"shared-{number}"


def _number(engine: Engine) -> int:
    """Of a shared engine's id: shared-10 comes after shared-9."""
    return int(engine.id.rpartition("-")[2])


def _has_ended(engine: Engine) -> bool:
    """Whether its next run would have to start it."""
    return engine.state in WITHOUT_PROCESS and not engine.should_run


def _turn(engine: Engine) -> tuple[bool, int]:
    return _has_ended(engine), _number(engine)


def dedicated_engine_id(job: Job) -> str:
    """The id of the dedicated engine that is started for this job, whether it exists or not."""
    return f"{DEDICATED_PREFIX}{job.id}"


def isolation_engine() -> Engine:
    """The engine that runs one suspicious run at a time: the last that did, a ready standby, or a new one."""
    unusable = unusable_hosts()
    ready = Engine.objects.filter(kind=Engine.Kind.ISOLATION, should_run=True, state=Engine.State.READY)
    known = ready.exclude(host_queue__in=unusable).first()
    if known is not None:
        return known
    standby = _ready_standby(kind=Engine.Kind.ISOLATION)
    return standby or _ensure_running(_isolation_id(unusable), Engine.Kind.ISOLATION)


def _isolation_id(unusable: Collection[str]) -> str:
    """The id of the first isolation engine that may be started: not of one that was left on a host that can't
    be used, where it may still run.
    """
    left = Engine.objects.filter(host_queue__in=unusable).exclude(state__in=WITHOUT_PROCESS)
    taken = set(left.values_list("id", flat=True))
    return next(name for name in map(_isolation_name, count(1)) if name not in taken)


def slots_taken(engine: Engine, besides: Job | None = None) -> int:
    """Slots that the engine's runs need, including those not yet started, or that wait for their retry."""
    runs = Run.objects.holding().filter(engine=engine)
    if besides is not None:
        runs = runs.exclude(generation__job=besides)
    return runs.aggregate(total=Sum("slots"))["total"] or 0


def ensure_warm_engine() -> None:
    """Keep an engine ready for the first job, where the settings ask for one."""
    if settings.WARM_ENGINE and not serving_engines().filter(should_run=True).exists():
        Engine.objects.filter(pk=WARM_ENGINE).update(standby=False)
        _ensure_running(WARM_ENGINE, Engine.Kind.SHARED)


def _ensure_running(engine_id: str, kind: Engine.Kind) -> Engine:
    """The engine of this id, which should run from now on; a failed one is started again,
    because a user asked for it.
    """
    engine = Engine.objects.filter(pk=engine_id).first()
    if engine is None:
        engine, _ = Engine.objects.get_or_create(
            id=engine_id,
            defaults={"kind": kind, "host_queue": roomiest_host(), "slots": settings.ENGINE_SLOTS},
        )
    elif engine.state in WITHOUT_PROCESS and engine.host_queue in unusable_hosts():
        engine.host_queue = roomiest_host()
        engine.save(update_fields=["host_queue"])
    if engine.state == Engine.State.FAILED:
        engine.state, engine.crashes, engine.failure, engine.retry_at = Engine.State.STOPPED, [], None, None
        engine.should_run = True
        engine.save(update_fields=["state", "crashes", "failure", "retry_at", "should_run"])
    elif not engine.should_run:
        engine.should_run = True
        engine.save(update_fields=["should_run"])
    return engine
