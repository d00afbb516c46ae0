"""Processes are found by their label, and ended even if they ignore SIGTERM."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.embedded.orphan_processes import end_all, engines, find_processes, label

STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"
)


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process of the system in `tmp_path` that ignores SIGTERM, in its own session, as an engine is."""
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(
        command, env=os.environ | label(tmp_path), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_only_labelled_processes_are_found(tmp_path: Path, stubborn: "subprocess.Popen[str]") -> None:
    assert [process.pid for process in find_processes(tmp_path)] == [stubborn.pid]
    assert find_processes(tmp_path / "another") == []
    assert engines(tmp_path) == []


def test_what_an_engine_has_just_forked_is_no_engine(tmp_path: Path) -> None:
    """It has the engine's command line and environment until it runs a program of its own."""
    text = "import os; child = os.fork(); child and print(child, flush=True); os.read(0, 1)"
    command = [sys.executable, "-c", text, "org.apache.spark.deploy.SparkSubmit"]
    with subprocess.Popen(
        command,
        env=os.environ | label(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as engine:
        assert engine.stdout is not None
        child = int(engine.stdout.readline())
        assert {process.pid for process in find_processes(tmp_path)} == {engine.pid, child}
        assert [process.pid for process in engines(tmp_path)] == [engine.pid]
        engine.communicate("..")


def test_a_stubborn_process_is_ended(tmp_path: Path, stubborn: "subprocess.Popen[str]") -> None:
    assert end_all(tmp_path, deadline_seconds=0.3) == 1
    assert find_processes(tmp_path) == []
    assert end_all(tmp_path) == 0
