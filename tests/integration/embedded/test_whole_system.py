"""`make run` from its second half on: everything starts, shows itself, survives a killed supervisor, and ends."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.class_data import share_class_data
from tests.support.system import System
from weir.embedded.layout import REPOSITORY
from weir.embedded.leftovers import mark, marked
from weir.embedded.waiting import is_free

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]
START_SECONDS = 240
PROGRAMS = ("web", "worker", "beat", "relay", "kafka", "valkey", "feed-flights", "feed-stock", "feed-words")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[System]:
    """A system that this test alone starts and ends, with the demo."""
    found = System(tmp_path / "data", demo=True)
    share_class_data(found.layout.data)
    with closing_system(found):
        yield found


@contextmanager
def closing_system(found: System) -> Iterator[None]:
    """It is ended whatever the test does."""
    try:
        yield
    finally:
        found.stop()


def test_a_life(own: System) -> None:
    own.start(START_SECONDS)
    link = next(word for word in own.output.read_text().split() if "/sign-in/" in word)
    with urllib.request.urlopen(link, timeout=10) as page:
        assert page.status == 200
    shown = _tell(own, "status")
    assert [name for name in (*PROGRAMS, "engine shared-1") if f"{name} " not in shown] == [], shown
    assert "feed-clicks" not in shown, "only the demo's feeds start by themselves"
    assert {address.ip for address in _listening(own)} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    assert "already runs" in _tell(own, "run")

    before = {process.pid for process in marked(own.layout.data)}
    assert set(own.processes().values()) <= before, "a process hides its mark"
    os.kill(int((own.layout.data / "supervisord.pid").read_text()), signal.SIGKILL)
    own.stop()
    own.start(START_SECONDS)
    assert before.isdisjoint(process.pid for process in marked(own.layout.data))

    own.stop()
    assert marked(own.layout.data) == []
    assert all(is_free(port) for port in own.layout.ports.values())


def test_what_a_killed_run_leaves_is_ended_by_the_next(tmp_path: Path) -> None:
    """Both the supervisor and `make run` itself were killed, and a process of theirs still holds a port."""
    own = System(tmp_path / "data")
    listen = f"import socket, signal; s = socket.create_server(('127.0.0.1', {own.layout.web_port})); print(flush=True); signal.pause()"
    left = subprocess.Popen(
        [sys.executable, "-c", listen], env=os.environ | mark(own.layout.data), stdout=subprocess.PIPE, start_new_session=True
    )
    with left, closing_system(own):
        assert left.stdout is not None
        left.stdout.readline()
        own.start(START_SECONDS)
        assert "ended 1 processes that an earlier run had left behind" in own.output.read_text()


def test_a_port_in_use_is_named_with_its_setting(own: System) -> None:
    with socket.create_server(("127.0.0.1", own.layout.web_port)):
        said = _tell(own, "run")
    assert f"Port {own.layout.web_port} (web) is in use" in said
    assert "WEIR_WEB_PORT=" in said


def test_nothing_to_show_or_stop(own: System) -> None:
    assert "Weir does not run" in _tell(own, "status")
    assert "Nothing runs" in _tell(own, "stop")


def _tell(system: System, command: str) -> str:
    """What ``make <command>`` prints."""
    variables = os.environ | system.environment | {"PYTHONPATH": f"{REPOSITORY / 'platform'}{os.pathsep}{REPOSITORY}"}
    done = subprocess.run(
        [sys.executable, "-m", f"weir.embedded.{command}"], cwd=REPOSITORY, env=variables, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def _listening(system: System) -> list["psutil._common.addr"]:
    found = []
    for process in marked(system.layout.data):
        found += [connection.laddr for connection in process.net_connections("inet") if connection.status == psutil.CONN_LISTEN]
    return found
