"""The hosts that start engines: which are there, which has room for another engine, and what happens to the
engines of one that is gone for good (`docs/decisions/2026-11-25-engine-hosts.md`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import psutil
import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from jobs.base.host_limits import HostLimits
from weir.runs.models import Engine, EngineHost
from weir.runs.services.checkpoint_mark import sees_checkpoints
from weir.runs.services.engine_memory import engine_bytes
from weir.runs.task_queue import NOTE_HOST, RECONCILE_ENGINE, enqueue
from weir.workspaces.errors import ConflictError, NotFoundError

_LOG: Final = structlog.get_logger("weir.hosts")
ASKED_EVERY: Final = timedelta(seconds=10)
SILENT_AFTER: Final = timedelta(seconds=60)
SILENT_ASKED_EVERY: Final = timedelta(minutes=1)  # what nobody takes from a queue stays in it
LOAD_HOLDS_FOR: Final = timedelta(seconds=15)  # heartbeats come every two seconds
FULL_SHARE: Final = 0.75
"""Share of a host's cores in use above which the next run goes to another host. An engine lets no run begin
above 0.85 (`jobs.engine.start_gate`), so it would wait there."""
OWN_SHARE: Final = 0.5
"""Share of a host's cores that its engines may use, however busy others keep it, as in
`jobs.engine.processor_load`."""
_STARTING_CORES: Final = 1.0  # an engine that starts takes about one, and no heartbeat tells it yet


@dataclass(frozen=True)
class HostLoad:
    """A host and what is in use there.

    Attributes:
        queue: of the host.
        cores: that it has.
        used: of them, by everything on it, and by the engines that are starting.
        own: of the cores, those that its engines use.
        engines: that should run there.
        memory: bytes that a new engine could take, less what the engines there still grow by; None: unknown.
    """

    queue: str
    cores: float
    used: float
    own: float
    engines: int
    memory: int | None

    @property
    def free(self) -> float:
        """Cores that are not in use."""
        return self.cores - self.used

    @property
    def is_full(self) -> bool:
        """Whether another run should rather go elsewhere."""
        return self.used >= FULL_SHARE * self.cores

    @property
    def is_full_of_own(self) -> bool:
        """Whether one more engine could not help: it is full, and not because of others."""
        return self.is_full and self.own >= OWN_SHARE * self.cores

    @property
    def has_memory(self) -> bool:
        """Whether another engine fits. The first is always tried: without it nothing runs at all."""
        return (
            self.memory is None or self.engines == 0 or self.memory >= engine_bytes(settings.ENGINE_MEMORY_MB)
        )

    @property
    def takes_engine(self) -> bool:
        """Whether another engine may be started there."""
        return self.has_memory and not self.is_full_of_own


def note_host() -> None:
    """This host says that it is there, and whether it sees the others' checkpoints."""
    queue, limits = settings.HOST_QUEUE, HostLimits()
    sees = sees_checkpoints(alone=not EngineHost.objects.exclude(pk=queue).exists())
    EngineHost.objects.update_or_create(
        queue=queue,
        defaults={
            "heard_at": timezone.now(),
            "cores": limits.cores(),
            "memory_available": limits.memory_available(psutil.virtual_memory().available),
            "sees_checkpoints": sees,
        },
    )
    if not sees:
        _LOG.warning(
            "this host does not see the checkpoints of the others; no engine is put here",
            host=queue,
            checkpoints=settings.CHECKPOINT_URL,
        )


def ask_hosts(now: datetime) -> None:
    """Ask each known host whether it is there, a silent one less often; its worker answers by `note_host`."""
    heard_in_future = EngineHost.objects.filter(heard_at__gt=now + ASKED_EVERY)  # the clock was set back
    heard_in_future.update(heard_at=now - ASKED_EVERY - timedelta(seconds=1), asked_at=None)
    due = EngineHost.objects.filter(heard_at__lt=now - ASKED_EVERY)
    for host in due.only("queue", "heard_at", "asked_at"):
        pause = SILENT_ASKED_EVERY if host.heard_at < now - SILENT_AFTER else ASKED_EVERY
        if host.asked_at is None or host.asked_at < now - pause:
            EngineHost.objects.filter(pk=host.pk).update(asked_at=now)
            enqueue(NOTE_HOST, queue=host.queue)


def heard_hosts(now: datetime) -> set[str]:
    """The queues of the hosts whose workers answer."""
    return set(EngineHost.objects.filter(heard_at__gt=now - SILENT_AFTER).values_list("queue", flat=True))


def host_loads(now: datetime) -> list[HostLoad]:
    """The hosts that engines may be put on, the one with most room first; those without memory for another
    engine come last.
    """
    hosts = EngineHost.objects.filter(heard_at__gt=now - SILENT_AFTER, sees_checkpoints=True)
    engines = list(Engine.objects.filter(should_run=True).order_by("last_seen_at"))
    loads = [_load(host, [each for each in engines if each.host_queue == host.queue], now) for host in hosts]
    return sorted(loads, key=lambda load: (not load.has_memory, -load.free, load.engines, load.queue))


def _load(host: EngineHost, engines: list[Engine], now: datetime) -> HostLoad:
    starting = sum(each.state != Engine.State.FAILED and not each.ready for each in engines)
    used, cores = starting * _STARTING_CORES, host.cores
    own = used + sum(each.cpu_cores or 0.0 for each in engines if _tells_load(each, now))
    newest = next((each for each in reversed(engines) if _tells_load(each, now)), None)
    if newest is not None:
        used, cores = used + (newest.host_cpu_cores or 0.0), newest.host_cores
    return HostLoad(host.queue, cores, used, own, len(engines), _memory(host, engines))


def _memory(host: EngineHost, engines: list[Engine]) -> int | None:
    """What is available, less what engines will take that have just begun, or whose heap is not full yet."""
    if host.memory_available is None:
        return None
    whole = engine_bytes(settings.ENGINE_MEMORY_MB)
    living = [each for each in engines if each.state != Engine.State.FAILED]
    return host.memory_available - sum(
        max(whole - (each.memory_bytes if each.ready else 0), 0) for each in living
    )


def _tells_load(engine: Engine, now: datetime) -> bool:
    seen = engine.last_seen_at
    known = engine.host_cpu_cores is not None and engine.host_cores > 0
    return engine.ready and known and seen is not None and now - seen < LOAD_HOLDS_FOR


def roomiest_host() -> str:
    """The queue of the host for a new engine; the one of the settings while no host has been heard."""
    return next((load.queue for load in host_loads(timezone.now())), settings.HOST_QUEUE)


def has_memory_for_engine() -> bool:
    """Whether another engine fits on some host; True while no host has been heard."""
    loads = host_loads(timezone.now())
    return not loads or any(load.has_memory for load in loads)


def silent_hosts() -> set[str]:
    """The queues of known hosts that have been silent for long. Only a host's own worker sees how its engines
    end, so one that is *ready* there may be dead: it gets no run.

    The host of the settings is not among them while no other is heard: what runs there is not gone, whatever
    time its answer takes. Where several hosts are, the settings of all roles may name one that is gone.
    """
    heard_at = dict(EngineHost.objects.values_list("queue", "heard_at"))
    since = timezone.now() - SILENT_AFTER
    silent = {queue for queue, at in heard_at.items() if at < since}
    return silent if len(silent) < len(heard_at) else silent - {settings.HOST_QUEUE}


def unusable_hosts() -> set[str]:
    """The queues of the hosts that get neither runs nor engines."""
    return silent_hosts() | hosts_without_checkpoints()


def hosts_without_checkpoints() -> set[str]:
    """The queues of the hosts that are heard and have lost the checkpoints, while another one sees them."""
    heard = EngineHost.objects.filter(heard_at__gt=timezone.now() - SILENT_AFTER)
    sees = dict(heard.values_list("queue", "sees_checkpoints"))
    return {queue for queue in sees if not sees[queue]} if any(sees.values()) else set()


def is_gone(queue: str) -> bool:
    """A known host that has been silent for long; its engines are not started again there."""
    silent = EngineHost.objects.filter(pk=queue, heard_at__lt=timezone.now() - SILENT_AFTER)
    return silent.exists()


@transaction.atomic
def forget_host(queue: str) -> list[str]:
    """Give the engines of a host that is gone for good to the others, as if they had crashed.

    That its processes have ended is the word of the caller: nobody can look. One that ran on would stop its
    queries as soon as it read the higher epochs, and execute none of them, as they name the other host.

    Returns:
        The ids of the engines that move.

    Raises:
        NotFoundError: no such host.
        ConflictError: it was heard just now, or no other host is there.
    """
    host = EngineHost.objects.select_for_update().filter(pk=queue).first()
    if host is None:
        raise NotFoundError("NOT_FOUND", f"No engine host {queue} is known.")
    now = timezone.now()
    if now - host.heard_at < SILENT_AFTER:
        raise ConflictError(
            "HOST_ALIVE",
            f"{queue} was heard {(now - host.heard_at).seconds} s ago. Stop its worker and engines first, "
            f"and wait {SILENT_AFTER.seconds} s.",
        )
    host.delete()
    others = host_loads(now)
    if not others:
        raise ConflictError("NO_OTHER_HOST", "No other engine host has been heard, so nothing can move.")
    engines = list(Engine.objects.filter(host_queue=queue).order_by("id"))
    for number, engine in enumerate(engines):
        give(engine, others[number % len(others)].queue)
        _reconcile_later(engine)
    _LOG.warning("the engines of a host that is gone move", host=queue, engines=[each.id for each in engines])
    return [engine.id for engine in engines]


def give(engine: Engine, queue: str) -> None:
    """Put an engine whose process has ended with its host on another one."""
    engine.host_queue = queue
    if engine.standby:  # dead as the others: it must not get their runs
        engine.state, engine.ready, engine.handle = Engine.State.LOST, False, None
    engine.save(update_fields=["host_queue", "state", "ready", "handle"])


def _reconcile_later(engine: Engine) -> None:
    transaction.on_commit(lambda: enqueue(RECONCILE_ENGINE, engine.id, queue=engine.host_queue))
