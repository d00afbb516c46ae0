"""A host whose processors are full is said to be overloaded, with numbers, by its engine and its jobs."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.support.run_factories import job_of, running
from weir.runs.models import Engine, Run, reports_read_until
from weir.runs.services.overload import full_since, overload_of
from weir.runs.services.queries import engines_json, job_summaries, jobs_of
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
FULL = {"cores_used": 1.9, "cores": 2, "engine_cores": 1.3}


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


def heard(
    seconds_ago: float, used: float | None, *, cores: int = 2, full_s: float = 70, state: str = "ready"
) -> None:
    """The engine's last heartbeats, over so many seconds, and that of its run."""
    at = timezone.now() - timedelta(seconds=seconds_ago)
    engine = Engine.objects.get()
    for moment in (at - timedelta(seconds=full_s), at - timedelta(seconds=full_s / 2), at):
        engine.host_full_since = full_since(engine, used, cores, moment)
        engine.last_seen_at = moment
    engine.ready, engine.state = True, state
    engine.host_cpu_cores, engine.host_cores, engine.cpu_cores = used, cores, 1.31
    engine.save()
    Run.objects.update(last_seen_at=at, observed_since=at)


@pytest.mark.parametrize(
    ("seconds_ago", "used", "more", "expected"),
    [
        (1, 1.93, {}, FULL),
        (1, 1.85, {}, None),
        (1, 1.93, {"full_s": 30}, None),  # as while an engine starts
        (30, 1.93, {"full_s": 2}, FULL),  # it is silent since
        (30, 1.93, {}, FULL),
        (90, 1.93, {}, None),  # what was then explains no silence of now
        (1, None, {}, None),
        (1, 1.93, {"cores": 0}, None),
        (1, 1.93, {"state": "lost"}, None),
    ],
)
def test_engine_and_jobs_say_so_while_it_is_known(
    run: Run,
    workspace: Workspace,
    seconds_ago: float,
    used: float | None,
    more: dict[str, Any],
    expected: dict[str, Any] | None,
) -> None:
    heard(seconds_ago, used, **more)
    (job,) = job_summaries(jobs_of(workspace))
    (engine,) = engines_json(workspace)
    assert (job["overload"], engine["overload"]) == (expected, expected)


def test_a_run_that_is_silent_on_a_full_host_is_explained(run: Run, workspace: Workspace) -> None:
    heard(30, 2.0)
    (job,) = job_summaries(jobs_of(workspace))
    run.refresh_from_db()
    assert (job["observed"], job["overload"]["cores_used"]) == ("unknown", 2.0)
    assert run.shown_state(reports_read_until()) == "unknown"
    found = overload_of(Engine.objects.get(), timezone.now())
    assert found is not None
    assert found.text == "Overloaded: 2.0 of 2 cores of the engine's host are in use."


def test_what_an_earlier_process_said_does_not_count(run: Run) -> None:
    heard(1, 2.0)
    engine = Engine.objects.get()
    later = timezone.now() + timedelta(hours=1)
    assert full_since(engine, 2.0, 2, later) == later


def test_a_run_that_is_stopped_is_not_overloaded(run: Run, workspace: Workspace) -> None:
    heard(1, 2.0)
    Run.objects.update(observed="stopped", desired="stopped")
    (job,) = job_summaries(jobs_of(workspace))
    assert job["overload"] is None


def test_the_engine_says_when_it_is_started_again(run: Run, workspace: Workspace) -> None:
    at = timezone.now() + timedelta(minutes=5)
    Engine.objects.update(retry_at=at)
    assert engines_json(workspace)[0]["retry_at"] is None, "it runs"
    Engine.objects.update(state="failed")
    assert engines_json(workspace)[0]["retry_at"] == at
