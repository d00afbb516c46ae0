"""A standby engine takes over the runs of a killed one, exactly, and the killed one is the next standby."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.chaos.jobs import Job, assert_exact, await_life, create, register
from tests.chaos.load import Load
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(1500)]


@pytest.fixture
def system(tmp_path: Path) -> Iterator[System]:
    """A system of its own, with a standby engine."""
    running = System(tmp_path / "data", {"WEIR_STANDBY": "true"})
    try:
        running.start()
        yield running
    finally:
        running.stop()


def test_killed_engines_swap_roles_and_every_window_is_exact(
    system: System, rest: Rest, stream_name: str
) -> None:
    register(rest, stream_name)
    jobs = [
        create(rest, "in-real-time", stream_name, "realtime"),
        create(rest, "in-batches", stream_name, "microbatch"),
    ]
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        await_life(jobs, load)
        first = _await_standby(rest)
        _kill_engine(system, rest, jobs[0])
        await_life(jobs, load)
        assert {_engine_of(rest, job) for job in jobs} == {first}
        for job in jobs:
            last, first_start = job.executions()
            assert (last["epoch"], first_start["epoch"]) == (2, 1)
            _check_phases(last)
        assert _await_standby(rest) != first, "the killed engine is the next standby"
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    for job in jobs:
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)


def _check_phases(last: dict[str, Any]) -> None:
    """The history says when the start after a death reached each phase: all were, in this order."""
    print("phases", last["mode"], last["interrupted_at"], last["phases_ms"], last["state_load_ms"])
    times = list(last["phases_ms"].values())
    assert last["interrupted_at"] is not None
    assert None not in times, last["phases_ms"]
    assert times == sorted(times)
    assert last["state_load_ms"] is not None


def _await_standby(rest: Rest) -> str:
    """Wait for a ready standby; its id."""

    def ready() -> list[str]:
        engines = rest.get("engines")["results"]
        return [each["id"] for each in engines if each["standby"] and each["state"] == "ready"]

    wait_until(ready, 400, "a standby engine is ready")
    return ready()[0]


def _engine_of(rest: Rest, job: Job) -> str:
    return next(str(each["id"]) for each in rest.get("engines")["results"] if job.id in each["runs"])


def _kill_engine(system: System, rest: Rest, job: Job) -> None:
    process = psutil.Process(system.processes()[f"engine-{_engine_of(rest, job)}"])
    process.kill()
    wait_until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, 30, "it is dead")
