"""Notices at once that an engine's process on this host has ended: the next tick may be two seconds away."""

import threading
import time
from contextlib import suppress
from typing import Final

import psutil

from jobs.kafka_messages import ProcessHandle
from weir.runs.services import processes
from weir.runs.task_queue import RECONCILE_ENGINE, enqueue

_LOOKS_EVERY_S: Final = 5.0  # at the host's memory, so that a kill of long ago is not taken for this one
_watched: Final[set[tuple[int, int]]] = set()  # pid and start of each process that a thread waits for
_lock: Final = threading.Lock()


def watch_exit(engine_id: str, handle: ProcessHandle, queue: str) -> None:
    """Reconcile the engine as soon as its process ends; once per process, however often it is called.

    Args:
        engine_id: of the engine.
        handle: of its process, which runs on this host.
        queue: the host's own.
    """
    process = (handle.pid, handle.started_ticks)
    with _lock:
        if process in _watched:
            return
        _watched.add(process)
    threading.Thread(
        target=_wait,
        args=(engine_id, handle, _running(handle), queue),
        name=f"exit of {engine_id}",
        daemon=True,
    ).start()


def _running(handle: ProcessHandle) -> psutil.Process | None:
    """The process, if it runs and its number is not another's."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(handle.pid)
        return process if processes.is_alive(handle) else None
    return None


def _wait(engine_id: str, handle: ProcessHandle, running: psutil.Process | None, queue: str) -> None:
    ended_us: int | None = None  # not known of a process that had ended before
    memory_kill = False
    while running is not None and ended_us is None:
        before = processes.memory_kills()
        with suppress(psutil.TimeoutExpired):
            running.wait(_LOOKS_EVERY_S)
            ended_us = time.time_ns() // 1_000
            memory_kill = processes.memory_kills() > before
    with _lock:
        _watched.discard((handle.pid, handle.started_ticks))
    enqueue(RECONCILE_ENGINE, engine_id, ended_us, memory_kill, queue=queue)
