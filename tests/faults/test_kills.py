"""SIGKILL of every process under load, in one run of the system: afterwards every window is exact."""

import pytest

from tests.faults.jobs import Job, assert_exact, create, register
from tests.faults.load import Load
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.faults, pytest.mark.timeout(1500)]

VICTIMS = ("engine", "worker", "relay", "web", "valkey", "kafka")
BACK_SECONDS = 240


def test_every_process_may_be_killed_and_every_window_is_exact_afterwards(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    jobs = [create(rest, "in-real-time", stream_name, "realtime"), create(rest, "in-batches", stream_name, "microbatch")]
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        for victim in VICTIMS:
            system.kill(victim)
            _await_life(jobs, load)
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    for job in jobs:
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)


def _await_life(jobs: list[Job], load: Load) -> None:
    """Everything runs again by itself: every job runs, and readers see records that were sent after the kill."""
    sent = len(load.sent)
    for job in jobs:
        wait_until(lambda job=job: job.counted() > sent, BACK_SECONDS, f"{job.id} counts records sent after the kill; {job.state()}")  # type: ignore[misc]
        job.await_state("running", BACK_SECONDS)
