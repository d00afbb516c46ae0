"""Commands that run in parallel: when one fails, the others are stopped with their child processes."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from tests.support.processes import wait_until
from weir.embedded.commands import CommandError, Commands, side_by_side
from weir.embedded.layout import REPOSITORY

# A command that starts another one, as npm does, and writes its pid to a file.
_ENDLESS = """
import subprocess, sys, time
child = subprocess.Popen(["sleep", "600"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


def endless(file: Path) -> list[str]:
    return [sys.executable, "-c", _ENDLESS, str(file)]


def pid_in(file: Path) -> int:
    wait_until(lambda: file.exists() and file.read_text() != "", 20, "the command runs")
    return int(file.read_text())


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_lanes_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=20)
    side_by_side(Commands(), [lambda: both.wait() and None, lambda: both.wait() and None])


def test_a_failed_lane_stops_the_other_with_its_children(tmp_path: Path) -> None:
    commands, file = Commands(), tmp_path / "pid"

    def fails() -> None:
        pid_in(file)
        commands.run([sys.executable, "-c", "print('what went wrong'); raise SystemExit(3)"])

    with pytest.raises(CommandError, match=r"exited with 3:\nwhat went wrong"):
        side_by_side(commands, [lambda: commands.run(endless(file)) and None, fails])
    wait_until(lambda: is_gone(pid_in(file)), 10, "the child of the other command is gone")
    with pytest.raises(CommandError, match="couldn't be started"):
        commands.run(["true"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_installation_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    script = (
        "import signal, sys; from weir.embedded import install; from weir.embedded.commands import *\n"
        "def lanes(*_):\n"
        "    commands = Commands()\n"
        f"    side_by_side(commands, [lambda: commands.run({endless(tmp_path / 'pid')!r})])\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in a background process
        "install.install = lanes; sys.argv = ['install']; install.main()\n"
    )
    variables = os.environ | {"PYTHONPATH": f"{REPOSITORY / 'platform'}{os.pathsep}{REPOSITORY}"}
    with subprocess.Popen(
        [sys.executable, "-c", script], env=variables, stderr=subprocess.PIPE, text=True
    ) as process:
        child = pid_in(tmp_path / "pid")
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "Interrupted" in errors
    assert "Traceback" not in errors
    wait_until(lambda: is_gone(child), 10, "the child is gone")
