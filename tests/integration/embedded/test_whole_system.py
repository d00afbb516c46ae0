"""`make run` from its second half on: everything starts, shows itself, survives a killed supervisor, and ends."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.processes import free_ports, wait_until
from weir.embedded.layout import REPOSITORY, Layout, read_layout
from weir.embedded.leftovers import end_all, marked
from weir.embedded.waiting import is_free

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
START_SECONDS = 180


class System:
    """An embedded system on free ports in a temporary folder."""

    def __init__(self, data: Path) -> None:
        web, kafka, controller, valkey = free_ports(4)
        ports = {"WEIR_WEB_PORT": web, "WEIR_KAFKA_PORT": kafka, "WEIR_KAFKA_CONTROLLER_PORT": controller, "WEIR_VALKEY_PORT": valkey}
        foreign = ("KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "DATABASE_URL", "RESULTS_DATABASE_URL", "DJANGO_SETTINGS_MODULE")
        self._environment = {name: value for name, value in os.environ.items() if name not in foreign}
        self._environment |= {name: str(port) for name, port in ports.items()} | {
            "WEIR_DATA_DIR": str(data),
            "PYTHONPATH": f"{REPOSITORY / 'platform'}{os.pathsep}{REPOSITORY}",
        }
        self.layout: Layout = read_layout(self._environment)
        self.log = data.with_suffix(".log")

    def start(self) -> tuple["subprocess.Popen[bytes]", float]:
        """Start it and wait for its last line; how many seconds that took."""
        began = time.monotonic()
        with self.log.open("wb") as log:
            process = subprocess.Popen(self._command("run"), cwd=REPOSITORY, env=self._environment, stdout=log, stderr=subprocess.STDOUT)
        wait_until(lambda: "Weir is ready" in self.said() or process.poll() is not None, START_SECONDS, f"ready; see {self.log}")
        assert process.poll() is None, self.said()
        return process, time.monotonic() - began

    def said(self) -> str:
        """What it printed."""
        return self.log.read_text() if self.log.exists() else ""

    def tell(self, command: str) -> str:
        """What `make <command>` prints."""
        done = subprocess.run(self._command(command), cwd=REPOSITORY, env=self._environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def _command(self, module: str) -> list[str]:
        return [sys.executable, "-m", f"weir.embedded.{module}"]


@pytest.fixture
def system(tmp_path: Path) -> Iterator[System]:
    """It is ended whatever the test does."""
    found = System(tmp_path / "data")
    yield found
    end_all(found.layout.data, deadline_seconds=5)


def test_a_life(system: System) -> None:
    process, _ = system.start()

    link = next(word for word in system.said().split() if "/sign-in/" in word)
    with urllib.request.urlopen(link, timeout=10) as page:
        assert page.status == 200
    shown = system.tell("status")
    for name in ("web", "worker", "beat", "relay", "kafka", "valkey", "feed-flights", "feed-stock", "feed-words"):
        assert f"{name} " in shown, shown
    assert "engine " in shown
    assert all(connection.laddr.ip == "127.0.0.1" for connection in _listening(system))
    assert "already runs" in system.tell("run")

    supervisor = int((system.layout.data / "supervisord.pid").read_text())
    os.kill(supervisor, signal.SIGKILL)
    process.wait(60)
    process, seconds = system.start()
    assert seconds < START_SECONDS

    process.send_signal(signal.SIGINT)
    process.wait(90)
    assert process.returncode == 0, system.said()
    assert marked(system.layout.data) == []
    assert all(is_free(port) for port in system.layout.ports.values())


def test_a_port_in_use_is_named_with_its_setting(system: System) -> None:
    listen = f"import socket, signal; s = socket.create_server(('127.0.0.1', {system.layout.web_port})); print(flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", listen], stdout=subprocess.PIPE) as blocker:
        assert blocker.stdout is not None
        blocker.stdout.readline()
        said = system.tell("run")
        blocker.kill()
    assert f"Port {system.layout.web_port} (web) is in use" in said
    assert "WEIR_WEB_PORT=" in said


def test_nothing_to_show_or_stop(system: System) -> None:
    assert "Weir does not run" in system.tell("status")
    assert "Nothing runs" in system.tell("stop")


def _listening(system: System) -> list["psutil._common.pconn"]:
    found = []
    for process in marked(system.layout.data):
        found += [connection for connection in process.net_connections("tcp4") if connection.status == psutil.CONN_LISTEN]
    return found
