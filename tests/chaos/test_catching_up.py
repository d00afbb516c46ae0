"""A job in real-time mode that falls behind catches up in micro-batches, through a kill, exactly."""

from typing import Any

import pytest

from tests.chaos.jobs import Job, assert_exact, await_life, register
from tests.chaos.load import Load, document
from tests.support.process_family import suspended
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(1200)]

BURST = 2_400_000  # twelve batches of a drain; real-time mode would have read 600,000 within ten seconds


def test_a_job_that_falls_behind_catches_up_and_returns_to_real_time_mode(
    system: System, rest: Rest, stream_name: str
) -> None:
    register(rest, stream_name)
    text = document("behind", stream_name, "realtime", catch_up_from=20_000)
    job = Job(rest, rest.post("jobs", {"document": text})["id"])
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_life([job], load)
        with suspended(system.pid("engine")):  # it keeps up with what this process writes
            load.burst(BURST)
        while_running = _await_catching_up(job)
        assert job.state()["mode"]["mode"] == "realtime"
        system.kill("engine")
        after_kill = _await_catching_up(job, since_us=while_running["since_us"])
        seen = _watch(job)
        by_batch = {each["records_read"]: each for each in seen}
        print("catching up:", while_running, after_kill, *by_batch.values(), sep="\n")
        await_life([job], load)
        expected = load.finish()
        assert_exact(job, expected, 240)
    generations = {each["generation"] for each in job.executions()}
    epochs = [each["epoch"] for each in job.executions()]
    assert (generations, epochs) == ({1}, [2, 1]), "the kill alone began another epoch"
    _check([after_kill, *seen])
    rest.post(f"jobs/{job.id}/stop")
    job.await_state("stopped", 60)


def _await_catching_up(job: Job, since_us: int = 0) -> dict[str, Any]:
    """Wait until the job catches up, since a later instant than this."""
    found: dict[str, Any] = {}

    def catches_up() -> bool:
        at = job.state().get("catching_up")
        if at and at["since_us"] > since_us:
            found.update(at)
        return bool(found)

    wait_until(catches_up, 240, "the job catches up")
    return found


def _watch(job: Job) -> list[dict[str, Any]]:
    """What the API says until the job has caught up."""
    seen: list[dict[str, Any]] = []

    def there() -> bool:
        state = job.state()
        if state.get("catching_up"):
            seen.append(state["catching_up"])
        return state["observed"] == "running" and not state["draining"]

    wait_until(there, 300, "the job is in real-time mode again")
    return seen


def _check(seen: list[dict[str, Any]]) -> None:
    """Of one drain: what is read never shrinks; once a batch has ended there is a pace and an estimate."""
    assert len({each["since_us"] for each in seen}) == 1, seen
    read = [each["records_read"] for each in seen]
    assert read == sorted(read)
    moving = [each for each in seen if each["records_read"]]
    assert moving, "progress is seen before it is over"
    assert all(each["records_per_second"] > 0 and 0 < each["share_read"] <= 1 for each in moving)
    assert all(each["done_us"] is not None for each in moving)
