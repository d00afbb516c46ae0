"""Notices at once that an engine's process on this host has ended: the next tick may be two seconds away."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import psutil

from jobs.kafka_messages import ProcessHandle
from weir.runs.services import processes
from weir.runs.task_queue import RECONCILE_ENGINE, enqueue

_LOOKS_EVERY_S: Final = 5.0  # at the host's memory, so that a kill of long ago is not taken for this one
_SEEN_WITHIN_S: Final = 1.0  # of the end of a process, by the thread that waits for it
_KEPT: Final = 200  # ends that are remembered
_lock: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class End:
    """How a process was seen to end.

    Attributes:
        ended_us: when; None: not seen, as of one that had ended before.
        memory_kill: the host's kernel ended a process for want of memory at that moment.
    """

    ended_us: int | None = None
    memory_kill: bool = False


@dataclass(slots=True)
class _Watch:
    """A thread waits for a process, or has seen its end."""

    is_over: threading.Event = field(default_factory=threading.Event)
    end: End = End()


_watches: Final[dict[tuple[int, int], _Watch]] = {}  # by pid and start, in order of their begin


def watch_exit(engine_id: str, handle: ProcessHandle, queue: str) -> None:
    """Reconcile the engine as soon as its process ends; once per process, however often it is called.

    Args:
        engine_id: of the engine.
        handle: of its process, which runs on this host.
        queue: the host's own.
    """
    process, watch = (handle.pid, handle.started_ticks), _Watch()
    with _lock:
        known = _watches.get(process)
        if known is not None and not known.is_over.is_set():
            return
        _watches[process] = watch
        for over in [each for each, other in _watches.items() if other.is_over.is_set()][:-_KEPT]:
            del _watches[over]
    threading.Thread(
        target=_wait,
        args=(engine_id, _running(handle), queue, watch),
        name=f"exit of {engine_id}",
        daemon=True,
    ).start()


def seen_end(handle: ProcessHandle) -> End:
    """How a process that has ended was seen to end. The one who waits for it may notice later."""
    with _lock:
        watch = _watches.get((handle.pid, handle.started_ticks))
    if watch is None or not watch.is_over.wait(_SEEN_WITHIN_S):
        return End()
    return watch.end


def _running(handle: ProcessHandle) -> psutil.Process | None:
    """The process, if it runs and its number is not another's."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(handle.pid)
        return process if processes.is_alive(handle) else None
    return None


def _wait(engine_id: str, running: psutil.Process | None, queue: str, watch: _Watch) -> None:
    while running is not None and watch.end.ended_us is None:
        before = processes.memory_kills()
        with suppress(psutil.TimeoutExpired):
            running.wait(_LOOKS_EVERY_S)
            watch.end = End(time.time_ns() // 1_000, processes.memory_kills() > before)
    watch.is_over.set()
    enqueue(RECONCILE_ENGINE, engine_id, watch.end.ended_us, watch.end.memory_kill, queue=queue)
