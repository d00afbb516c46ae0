"""Tests are played on a host that answers: those of one that is gone do not wait for ever."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.support.job_test_documents import counted
from tests.support.run_factories import job_of
from weir.job_tests import tasks
from weir.job_tests.models import JobTestRun
from weir.job_tests.services import play_engine, player
from weir.job_tests.services.play_hosts import leave_silent_hosts, remove_left_folders
from weir.job_tests.services.runs import cancel_run, request_draft, request_run
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.tests import create_test
from weir.runs.models import EngineHost, Job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
HERE, THERE = "engines.here", "engines.there"


@pytest.fixture(autouse=True)
def _here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR, settings.HOST_QUEUE = tmp_path, HERE
    monkeypatch.setattr(player, "SLICE_S", 0.0)
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 600.0)
    monkeypatch.setattr(play_engine, "ask", lambda run, seconds: False)


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    job = job_of(workspace, owner)
    create_test(job, owner, counted("one"))
    return job


def heard(queue: str, seconds_ago: float = 0.0, *, sees: bool = True) -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    EngineHost.objects.update_or_create(
        queue=queue, defaults={"heard_at": at, "cores": 2, "sees_checkpoints": sees}
    )


def test_a_run_goes_to_a_host_that_answers(job: Job, owner: User) -> None:
    assert request_draft(job, owner, counted()).host_queue == HERE, "none has been heard yet"
    heard(THERE, sees=False)
    assert request_draft(job, owner, counted()).host_queue == THERE
    heard(HERE)
    assert request_draft(job, owner, counted()).host_queue == HERE


def test_a_run_of_a_silent_host_begins_again_on_another(
    job: Job, owner: User, settings: Settings, processes: list[str]
) -> None:
    run = request_run(job, owner)
    player.play_slice(run.pk)
    heard(HERE, 120)
    heard(THERE)
    leave_silent_hosts()
    run.refresh_from_db()
    assert (run.state, run.host_queue, run.prepared, run.handle) == ("queued", THERE, 0, None)
    assert dict(player.unattended_runs()) == {run.pk: THERE}
    assert player.play_slice(run.pk) is None, "the host that comes back does not go on with it"
    settings.HOST_QUEUE = THERE
    player.play_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, processes) == ("running", [run.pk, run.pk])


@pytest.mark.parametrize("case", ["canceled", "ended elsewhere", "deleted"])
def test_a_host_that_answers_again_keeps_no_records_of_runs_that_ended_meanwhile(
    job: Job, owner: User, processes: list[str], case: str
) -> None:
    run, other = request_run(job, owner), request_draft(job, owner, counted())
    player.play_slice(run.pk)
    Spool(other.pk).prepare()
    heard(HERE, 120)
    match case:
        case "canceled":
            cancel_run(run)
            leave_silent_hosts()
        case "ended elsewhere":
            heard(THERE)
            leave_silent_hosts()
            remove_left_folders()
            assert Spool(run.pk).is_there, "hosts may share a folder"
            JobTestRun.objects.filter(pk=run.pk).update(state="finished")
        case "deleted":
            JobTestRun.objects.filter(pk=run.pk).delete()
    heard(HERE)
    remove_left_folders()
    assert not Spool(run.pk).is_there
    assert Spool(other.pk).is_there


def test_a_host_without_tests_has_nothing_to_remove() -> None:
    remove_left_folders()


def test_every_host_that_answers_is_told_to_remove_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str | None]] = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, queue=None: told.append((task, queue)))
    heard(HERE)
    heard(THERE, 120)
    tasks.clean_hosts()
    assert told == [(tasks.remove_left_folders.name, HERE)]


def test_a_run_that_was_canceled_ends_although_its_host_is_silent(job: Job, owner: User) -> None:
    run = cancel_run(request_run(job, owner))
    heard(HERE, 120)
    leave_silent_hosts()
    run.refresh_from_db()
    assert run.state == "canceled"
    assert run.finished_at is not None


@pytest.mark.parametrize("case", ["heard", "held by a worker", "alone", "none has been heard"])
def test_other_runs_stay_where_they_are(job: Job, owner: User, processes: list[str], case: str) -> None:
    run = request_run(job, owner)
    player.play_slice(run.pk)
    if case != "none has been heard":
        heard(HERE, 0 if case == "heard" else 120)
    if case in ("heard", "held by a worker"):
        heard(THERE)
    if case == "held by a worker":
        JobTestRun.objects.update(claimed_until=timezone.now() + timedelta(seconds=30))
    leave_silent_hosts()
    run.refresh_from_db()
    assert (run.state, run.host_queue) == ("running", HERE)
