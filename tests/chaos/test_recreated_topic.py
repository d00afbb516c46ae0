"""A running job's topic is deleted and recreated: the job fails with a choice, and other jobs continue."""

import pytest

from tests.chaos.jobs import assert_exact, await_life, create, register
from tests.chaos.load import Load
from tests.support.kafka_topics import recreate_topic
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.mark.parametrize("mode", ["realtime", "microbatch"])
def test_the_job_fails_with_its_cause(system: System, rest: Rest, stream_name: str, mode: str) -> None:
    doomed, calm = f"{stream_name}_doomed", stream_name
    register(rest, doomed)
    register(rest, calm)
    victim, neighbour = create(rest, "victim", doomed, mode), create(rest, "neighbour", calm, mode)
    with Load(system.bootstrap, calm) as load:
        with Load(system.bootstrap, doomed, rate=20) as lost:
            neighbour.start()
            victim.start()
            wait_until(lambda: victim.counted() > 0, 240, "the victim has results")
            lost.finish()
        recreate_topic(system.bootstrap, doomed, 2)
        failed = victim.await_state("failed", 180)
        assert failed["failure"]["code"] in ("TOPIC_RECREATED", "TOPIC_NOT_FOUND", "DATA_LOST"), failed[
            "failure"
        ]
        assert failed["failure"]["message"]
        assert failed["failure"]["permanent"]
        await_life([neighbour], load)
        assert_exact(neighbour, load.finish(), 120)
    assert [each["epoch"] for each in neighbour.executions()] == [1]
    rest.post(f"jobs/{neighbour.id}/stop")
