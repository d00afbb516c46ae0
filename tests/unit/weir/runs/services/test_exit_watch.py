"""The end of an engine's process is noticed when it happens, once."""

import subprocess
import sys

import pytest

from tests.support.processes import wait_until
from weir.runs.services import exit_watch, processes
from weir.runs.task_queue import RECONCILE_ENGINE


def test_the_end_of_a_process_queues_its_engine_once(monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[tuple[str, str, str]] = []
    monkeypatch.setattr(
        exit_watch, "enqueue", lambda task, engine, *, queue: queued.append((task, engine, queue))
    )
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    handle = processes.handle_of(process.pid)
    for _ in range(3):  # at every tick
        exit_watch.watch_exit("shared-1", handle, "engines.here")
    assert queued == []
    process.kill()
    wait_until(lambda: queued, 30, "the engine is queued")
    assert queued == [(RECONCILE_ENGINE, "shared-1", "engines.here")]
    process.wait()


def test_a_process_that_has_ended_already_queues_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[str] = []
    monkeypatch.setattr(exit_watch, "enqueue", lambda _task, engine, **_: queued.append(engine))
    process = subprocess.Popen([sys.executable, "-c", ""])
    handle = processes.handle_of(process.pid)
    process.wait()
    exit_watch.watch_exit("shared-1", handle, "engines.here")
    wait_until(lambda: queued, 30, "the engine is queued")
