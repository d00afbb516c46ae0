"""`make run` after the installation: start, status, recovery from a killed supervisor, and stop."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from jobs.base.quiet_file import quiet_file
from jobs.kafka_messages import RUNS_TOPIC, DesiredRun
from tests.chaos.jobs import Job, create, register
from tests.support.cds_archive import share_class_data
from tests.support.kafka_topics import records_of
from tests.support.process_family import suspended
from tests.support.processes import wait_until
from tests.support.system import System
from weir.embedded.layout import REPOSITORY
from weir.embedded.orphan_processes import find_processes, label
from weir.embedded.readiness import is_free

pytestmark = [pytest.mark.integration, pytest.mark.whole_system, pytest.mark.timeout(900)]
START_SECONDS = 240
STOPPED_JOBS = 200
PROGRAMS = ("web", "worker", "beat", "relay", "kafka", "valkey", "feed-flights", "feed-stock", "feed-words")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[System]:
    """A system that this test alone starts and ends, with the demo."""
    found = System(tmp_path / "data", {"WEIR_ENGINE_SLOTS": str(4 * STOPPED_JOBS)}, demo=True)
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


@contextmanager
def left_on_a_port(found: System) -> Iterator[None]:
    """A process of a run whose supervisor and `make run` were killed still holds the web process's port."""
    listen = (
        "import socket, signal; "
        f"s = socket.create_server(('127.0.0.1', {found.layout.web_port})); print(flush=True); signal.pause()"
    )
    command = [sys.executable, "-c", listen]
    with subprocess.Popen(
        command, env=os.environ | label(found.layout.data), stdout=subprocess.PIPE, start_new_session=True
    ) as left:
        try:
            assert left.stdout is not None
            left.stdout.readline()
            yield
        finally:
            left.kill()


@pytest.mark.long
def test_a_life(own: System, record_property: Callable[[str, object], None]) -> None:
    with left_on_a_port(own):
        own.start(START_SECONDS)
    assert "stopped 1 processes left over from an earlier run" in own.output.read_text()
    fresh_s = _processor_seconds(own)
    link = next(word for word in own.output.read_text().split() if "/sign-in/" in word)
    with urllib.request.urlopen(link, timeout=10) as page:
        assert page.status == 200
    shown = _tell(own, "status")
    assert [name for name in (*PROGRAMS, "engine shared-1") if f"{name} " not in shown] == [], shown
    assert "feed-clicks" not in shown, "only the demo's feeds start by themselves"
    assert {address.ip for address in _listening(own)} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    assert "already running" in _tell(own, "run")

    stopped = stopped_jobs(own, STOPPED_JOBS)
    said = _said_of(own, stopped)
    before = {process.pid for process in find_processes(own.layout.data)}
    assert set(own.processes().values()) <= before, "a process hides its mark"
    began = time.monotonic()
    own.stop()
    print(own.output.read_text())  # how long each part took
    record_property(f"seconds of a stop with {STOPPED_JOBS} stopped jobs", round(time.monotonic() - began, 1))
    assert "the last report is sent" in (own.layout.logs / "engines" / "shared-1.log").read_text()
    assert find_processes(own.layout.data) == []
    assert all(is_free(port) for port in own.layout.ports.values())
    assert quiet_file(own.layout.data, "shared-1").exists(), "the engine has ended by itself"

    began = time.monotonic()
    own.start(START_SECONDS)
    print(own.output.read_text())
    record_property(
        f"seconds of a start with {STOPPED_JOBS} stopped jobs", round(time.monotonic() - began, 1)
    )
    assert _said_of(own, stopped) == said, "stopped runs are not published again"
    # Between two starts beside other work, processor seconds differ by six tenths by themselves.
    assert _processor_seconds(own) < 2.5 * fresh_s, "jobs that are stopped cost a start nothing"
    assert before.isdisjoint(process.pid for process in find_processes(own.layout.data))

    os.kill(int((own.layout.data / "supervisord.pid").read_text()), signal.SIGKILL)
    own.stop()
    assert find_processes(own.layout.data) == []


def stopped_jobs(system: System, count: int) -> list[Job]:
    """Make jobs that were started, and stopped before they had begun. One engine has room for all of them."""
    rest = system.rest("many", "many")
    register(rest, "quiet")
    with suspended(system.pid("engine")):
        jobs = [create(rest, f"stopped-{number}", "quiet", "microbatch") for number in range(count)]
        for job in jobs:
            rest.post(f"jobs/{job.id}/start", {"from": "earliest"})
            rest.post(f"jobs/{job.id}/stop")
        wait_until(
            lambda: newest_said(system, jobs) == {"stopped": count},
            240,
            "the newest that an engine will read is to stop",
        )

    def states() -> Counter[str]:
        return Counter(job["observed"] for job in rest.get("jobs")["results"])

    wait_until(lambda: states() == {"stopped": count}, 240, "all are stopped", states)
    return jobs


def newest_said(system: System, jobs: list[Job]) -> Counter[str]:
    """Number of published runs of these jobs by desired state."""
    return Counter({run.job_id: run.state for run in _said_of(system, jobs)}.values())


def _said_of(system: System, jobs: list[Job]) -> list[DesiredRun]:
    """What `weir.runs` holds about these jobs, oldest first."""
    ids = {job.id for job in jobs}
    about = (
        record.value()
        for record in records_of(system.kafka_options, RUNS_TOPIC)
        if (record.key() or b"").decode().partition(".")[0] in ids
    )
    return [DesiredRun.model_validate_json(value) for value in about if value is not None]


def _processor_seconds(system: System) -> float:
    """What the processes that know of jobs have taken since they began."""
    pids = system.processes()
    times = [psutil.Process(pids[name]).cpu_times() for name in ("web", "worker", "relay")]
    return sum(each.user + each.system for each in times)


def test_a_port_in_use_is_named_with_its_setting(own: System) -> None:
    with socket.create_server(("127.0.0.1", own.layout.web_port)):
        said = _tell(own, "run")
    assert f"Port {own.layout.web_port} (web) is in use" in said
    assert "WEIR_WEB_PORT=" in said


def test_nothing_to_show_or_stop(own: System) -> None:
    assert "Weir is not running" in _tell(own, "status")
    assert "Nothing is running" in _tell(own, "stop")


def _tell(system: System, command: str) -> str:
    """What ``make <command>`` prints."""
    variables = (
        os.environ | system.environment | {"PYTHONPATH": f"{REPOSITORY / 'platform'}{os.pathsep}{REPOSITORY}"}
    )
    done = subprocess.run(
        [sys.executable, "-m", f"weir.embedded.{command}"],
        cwd=REPOSITORY,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def _listening(system: System) -> list["psutil._common.addr"]:
    found = []
    for process in find_processes(system.layout.data):
        found += [
            connection.laddr
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
    return found
