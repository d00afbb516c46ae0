"""The whole system on PostgreSQL, whose server is killed and comes back: nothing is lost or doubled."""

import time
from collections.abc import Iterator

import pytest
import requests

from tests.chaos.jobs import Job, assert_exact, await_life, one_in_each_mode
from tests.chaos.load import Load
from tests.support.cds_archive import share_class_data
from tests.support.java_options import QUICK_ENGINES
from tests.support.postgres_node import PostgresServer
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.system import System
from weir.embedded.install import frontend

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(1200)]

AWAY_SECONDS = 30  # longer than an engine may be silent
ANSWER_SECONDS = 20
SHORT_OUTAGES = 3


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        server.prepare()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> Iterator[System]:
    """A system of its own, in place of the one that all tests share."""
    frontend()
    running = System(tmp_path_factory.mktemp("on-postgres"), {**QUICK_ENGINES, **postgres.variables})
    share_class_data(running.layout.data)
    try:
        running.start()
        yield running
    finally:
        running.stop()


def test_a_database_that_is_killed_and_comes_back_loses_and_doubles_nothing(
    system: System, rest: Rest, stream_name: str, postgres: PostgresServer
) -> None:
    jobs = one_in_each_mode(rest, stream_name)
    with Load(system.bootstrap, stream_name) as load:
        for job in jobs:
            job.start()
        await_life(jobs, load)
        before = system.processes()
        postgres.kill()
        try:
            assert_said(system, rest)
            wait_out()
        finally:
            postgres.start()
        wait_until(lambda: is_ready(system), 30, "the web process is ready again")
        await_life(jobs, load)
        for _ in range(SHORT_OUTAGES):
            postgres.kill()
            postgres.start()
            await_life(jobs, load)
        expected = load.finish()
        for job in jobs:
            assert_exact(job, expected, 120)
    assert system.processes() == before, "no process has ended for it"
    for job in jobs:
        assert [each["epoch"] for each in job.executions()] == [1], "no run was started again for it"
        stop(rest, job)


def stop(rest: Rest, job: Job) -> None:
    """Commands reach the worker, and reports the database."""
    rest.post(f"jobs/{job.id}/stop")
    job.await_state("stopped", 60)


def assert_said(system: System, rest: Rest) -> None:
    """Whoever asks is told that it is the database, soon, and not only that something went wrong."""
    began = time.monotonic()
    with pytest.raises(Answer) as refusal:
        rest.get("jobs")
    assert (refusal.value.status, refusal.value.body["code"]) == (503, "DATABASE_AWAY")
    assert "database" in refusal.value.body["detail"]
    ready = requests.get(f"{system.base_url}/readyz", timeout=60)
    assert ready.status_code == 503
    assert ready.json()["checks"] == {"default": False, "results": False, "broker": None}
    assert requests.get(f"{system.base_url}/healthz", timeout=10).status_code == 200
    assert requests.get(system.base_url, timeout=10).status_code == 200, "the page itself needs no database"
    assert time.monotonic() - began < ANSWER_SECONDS


def is_ready(system: System) -> bool:
    return requests.get(f"{system.base_url}/readyz", timeout=30).status_code == 200


def wait_out() -> None:
    until = time.monotonic() + AWAY_SECONDS
    wait_until(lambda: time.monotonic() > until, AWAY_SECONDS + 10, "the outage is over")
