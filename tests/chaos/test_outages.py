"""A part is away for a minute: nothing is ended for silence, no crash budget is spent, nothing is lost."""

import time

import pytest

from tests.chaos.jobs import Job, assert_exact, await_life, one_in_each_mode, register
from tests.chaos.load import Load
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(900)]

AWAY_SECONDS = 60


@pytest.mark.parametrize("part", ["kafka", "relay"])
def test_a_minute_without_it_ends_no_engine(system: System, rest: Rest, stream_name: str, part: str) -> None:
    jobs = one_in_each_mode(rest, stream_name)
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        await_life(jobs, load)
        engine = system.pid("engine")
        system.supervisor.stop(part)
        try:
            states = _watch(system, jobs, engine)
        finally:
            system.supervisor.start(part)
        await_life(jobs, load)
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    assert system.pid("engine") == engine
    assert states <= {"running", "waiting", "unknown", "replaying"}, states
    for job in jobs:
        assert [each["epoch"] for each in job.executions()] == [1]
        rest.post(f"jobs/{job.id}/stop")


def _watch(system: System, jobs: list[Job], engine: int) -> set[str]:
    """For a minute the engine must stay the same process; all states that were seen."""
    states: set[str] = set()
    until = time.monotonic() + AWAY_SECONDS

    def over() -> bool:
        assert system.pid("engine") == engine, "the engine was ended"
        states.update(job.state()["observed"] for job in jobs)
        return time.monotonic() > until

    wait_until(over, AWAY_SECONDS + 30, "a minute is over")
    return states


def test_without_a_broker_the_api_says_so(system: System, rest: Rest, stream_name: str) -> None:
    register(rest, stream_name)
    system.supervisor.stop("kafka")
    try:
        with pytest.raises(Answer) as refusal:
            rest.get(f"streams/{stream_name}/records", **{"from": "newest", "limit": 10})
        assert refusal.value.status == 503
        assert refusal.value.body["code"]
        assert "Kafka" in refusal.value.body["detail"] or "broker" in refusal.value.body["detail"]
        assert rest.get("streams")["results"], "what the database knows is still shown"
        wait_until(
            lambda: rest.get("overview")["broker"]["reachable"] is False,
            60,
            "the overview says that the broker is away",
        )
    finally:
        system.supervisor.start("kafka")
    wait_until(
        lambda: rest.get("overview")["broker"]["reachable"] is True,
        60,
        "the overview says that the broker is back",
    )

    def records_come() -> bool:
        try:
            rest.get(f"streams/{stream_name}/records", **{"from": "newest", "limit": 10})
        except Answer as refusal:
            if refusal.status != 503:  # for two seconds after a call without an answer others fail at once
                raise
            return False
        return True

    wait_until(records_come, 30, "the topic's records are shown again")
