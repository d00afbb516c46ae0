"""The end of an engine's process is noticed when it happens, once."""

import subprocess
import sys
import time

import pytest

from tests.support.processes import wait_until
from weir.runs.services import exit_watch, processes
from weir.runs.task_queue import RECONCILE_ENGINE


def test_the_end_of_a_process_queues_its_engine_once(monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[tuple[str, str, str]] = []
    ends: list[int | None] = []

    def enqueue(task: str, engine: str, ended_us: int | None, memory_kill: bool, *, queue: str) -> None:
        assert memory_kill is False
        ends.append(ended_us)
        queued.append((task, engine, queue))

    monkeypatch.setattr(exit_watch, "enqueue", enqueue)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    handle = processes.handle_of(process.pid)
    for _ in range(3):  # at every tick
        exit_watch.watch_exit("shared-1", handle, "engines.here")
    assert queued == []
    killed_us = time.time_ns() // 1_000
    process.kill()
    wait_until(lambda: queued, 30, "the engine is queued")
    assert queued == [(RECONCILE_ENGINE, "shared-1", "engines.here")]
    assert ends[0] is not None
    assert ends[0] >= killed_us
    assert exit_watch.seen_end(handle) == exit_watch.End(ends[0]), "whoever asks learns it, too"
    process.wait()


def test_nobody_has_seen_the_end_of_a_process_that_was_not_watched() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    handle = processes.handle_of(process.pid)
    process.wait()
    assert exit_watch.seen_end(handle) == exit_watch.End()


def test_a_process_that_has_ended_already_queues_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[tuple[str, int | None]] = []
    monkeypatch.setattr(
        exit_watch, "enqueue", lambda _task, engine, ended_us, _kill, **_: queued.append((engine, ended_us))
    )
    process = subprocess.Popen([sys.executable, "-c", ""])
    handle = processes.handle_of(process.pid)
    process.wait()
    exit_watch.watch_exit("shared-1", handle, "engines.here")
    wait_until(lambda: queued, 30, "the engine is queued")
    assert queued == [("shared-1", None)], "nobody saw when"
