"""Processes are found by their mark, and ended whether they want or not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.embedded.leftovers import end_all, engines, mark, marked

STUBBORN = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process of a system in `tmp_path` that ignores SIGTERM and lives in a session of its own, as an engine does."""
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, env=os.environ | mark(tmp_path), stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_only_marked_processes_are_found(tmp_path: Path, stubborn: "subprocess.Popen[str]") -> None:
    assert [process.pid for process in marked(tmp_path)] == [stubborn.pid]
    assert marked(tmp_path / "another") == []
    assert engines(tmp_path) == []


def test_a_stubborn_process_is_ended(tmp_path: Path, stubborn: "subprocess.Popen[str]") -> None:
    assert end_all(tmp_path, deadline_seconds=0.3) == 1
    assert marked(tmp_path) == []
    assert end_all(tmp_path) == 0
