"""A job with an engine of its own: submitted, found dead, started again, ended with its job."""

import pytest

from tests.chaos.jobs import START_SECONDS, assert_exact, await_life, create, register
from tests.chaos.load import Load
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.thorough, pytest.mark.timeout(900)]


def test_it_lives_and_ends_with_its_job(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    job = create(rest, "on-its-own", stream_name, "realtime", engine="dedicated")
    own = f"engine-dedicated-{job.id}"
    wait_until(lambda: "engine-shared-1" in system.processes(), START_SECONDS, "the warm engine is there")
    warm = system.pid("engine")
    try:
        with Load(system.bootstrap, stream_name) as load:
            job.start()
            await_life([job], load)
            system.kill(own)
            await_life([job], load)
            expected = load.finish()
            assert_exact(job, expected, 120)
        history = job.executions()
        assert [each["epoch"] for each in history] == [2, 1], history
        assert system.pid("engine") == warm, "the other engine was not disturbed"
        rest.post(f"jobs/{job.id}/stop")
        job.await_state("stopped", 60)
    finally:
        rest.delete(f"jobs/{job.id}")
    wait_until(lambda: own not in system.processes(), 120, "its engine ended")
