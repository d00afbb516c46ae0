"""A standby engine takes over the runs of an engine that is killed or replaced, exactly; that one is the next
standby. So does a job get it that asks for an engine of its own.
"""

import time
from collections.abc import Iterator

import psutil
import pytest

from tests.chaos.jobs import Job, assert_exact, await_life, create, one_in_each_mode, register
from tests.chaos.load import Load
from tests.chaos.result_gaps import longest_gap_s
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(1500)]

STEADY_S = 20.0  # several batches of a run in real-time mode


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system of its own, with a standby engine."""
    running = System(tmp_path_factory.mktemp("standby") / "data", {"WEIR_STANDBY": "true"})
    try:
        running.start()
        yield running
    finally:
        running.stop()


def test_engines_that_are_replaced_and_killed_swap_roles_and_every_window_is_exact(
    system: System, rest: Rest, stream_name: str
) -> None:
    jobs = one_in_each_mode(rest, stream_name)
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        await_life(jobs, load)
        first = _engine_of(rest, jobs[0])
        second = _await_standby(rest)
        steady_us = _now_us()
        time.sleep(STEADY_S)
        began_us = _now_us()
        print(system.manage("replace_engine", first, "--wait", "200"))
        await_life(jobs, load)
        moved_us = _now_us()
        for job in jobs:
            assert _engine_of(rest, job) == second
            usual, moving = _gaps(system, job, steady_us, began_us, moved_us)
            last, before = job.executions()
            print(f"{last['mode']}: without results {usual:.2f} s, {moving:.2f} s while it moved")
            assert (last["epoch"], before["epoch"]) == (2, 1)
            assert before["end_reason"] == "Moved to another engine."
            print("phases", last["phases_ms"], "ended", before["ended_at"], "began", last["started_at"])
        assert _await_standby(rest) == first, "the replaced engine is the next standby"
        killed_us = _now_us()
        _kill_engine(system, rest, jobs[0])
        await_life(jobs, load)
        back_us = _now_us()
        assert {_engine_of(rest, job) for job in jobs} == {first}
        assert _await_standby(rest) == second, "the killed engine is the next standby"
        for job in jobs:
            print(f"killed: without results {longest_gap_s(system, job.id, killed_us, back_us):.2f} s")
            assert [each["epoch"] for each in job.executions()] == [3, 2, 1]
            _check_phases(job)
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    for job in jobs:
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)


def test_a_job_with_an_engine_of_its_own_gets_the_standby(
    system: System, rest: Rest, stream_name: str
) -> None:
    register(rest, stream_name)
    standby = _await_standby(rest)
    job = create(rest, "on-its-own", stream_name, "realtime", engine="dedicated")
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_life([job], load)
        assert job.state()["engine"] == {"id": standby, "kind": "dedicated", "state": "ready"}
        _kill_engine(system, rest, job)
        await_life([job], load)
        assert _engine_of(rest, job) == standby, "it is started again for its job"
        expected = load.finish()
        assert_exact(job, expected, 120)
    assert [each["epoch"] for each in job.executions()] == [2, 1]
    rest.delete(f"jobs/{job.id}")
    wait_until(lambda: f"engine-{standby}" not in system.processes(), 120, "its engine ended")

    # Others than its job see it only then.
    wait_until(
        lambda: any(each["id"] == standby for each in rest.get("engines")["results"]),
        60,
        "it is a shared engine again",
    )


def _now_us() -> int:
    return time.time_ns() // 1_000


def _gaps(system: System, job: Job, steady_us: int, began_us: int, moved_us: int) -> tuple[float, float]:
    """The longest time without results before and while the job moved, in seconds."""
    return (
        longest_gap_s(system, job.id, steady_us, began_us),
        longest_gap_s(system, job.id, began_us, moved_us),
    )


def _check_phases(job: Job) -> None:
    """The history says when the start after a death reached each phase: all were, in this order."""
    last = job.executions()[0]
    print("phases", last["mode"], last["phases_ms"], last["state_load_ms"])
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
