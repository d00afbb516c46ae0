"""SIGKILL of every process under load, in one run of the system: afterwards every window is exact."""

import pytest

from tests.chaos.jobs import assert_exact, await_life, one_in_each_mode
from tests.chaos.load import Load
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(1500)]

VICTIMS = ("engine", "worker", "relay", "web-server", "web", "valkey", "kafka")


def test_every_process_may_be_killed_and_every_window_is_exact_afterwards(
    system: System, rest: Rest, stream_name: str
) -> None:
    jobs = one_in_each_mode(rest, stream_name)
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        for victim in VICTIMS:
            system.kill(victim)
            await_life(jobs, load)
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    for job in jobs:
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)
