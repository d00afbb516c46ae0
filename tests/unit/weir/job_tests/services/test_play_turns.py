"""A host plays tests for all workspaces: what each may have waiting is bounded, and they take turns."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone
from pytest_django import Settings

from tests.support.job_test_documents import counted
from tests.support.run_factories import CONTRACT, DOCUMENT, job_of
from tests.support.users import client_of, create_user, member, workspace_of
from weir.job_tests.models import JobTestRun
from weir.job_tests.services import play_engine, play_process, player, preparation
from weir.job_tests.services.play_turns import next_run, take_turn
from weir.job_tests.services.runs import MAX_LIVE_RUNS, request_document, request_draft, request_run
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.tests import create_test
from weir.runs.models import Job
from weir.runs.services.versions import add_version
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]
HERE = "engines.here"


@pytest.fixture(autouse=True)
def _here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR, settings.HOST_QUEUE = tmp_path, HERE
    monkeypatch.setattr(player, "SLICE_S", 0.0)
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 600.0)
    monkeypatch.setattr(play_engine, "ask", lambda run, seconds: False)
    monkeypatch.setattr(play_process, "kill", lambda handle: None)


def job_with_tests(workspace: Workspace, owner: User, number: int = 1) -> Job:
    """A job with two tests."""
    job = job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: stats-{number}"))
    for name in ("one", "two"):
        create_test(job, owner, counted(name))
    return job


def live() -> set[str]:
    """Runs that wait or run and that nobody has canceled."""
    rows = JobTestRun.objects.filter(state__in=("queued", "preparing", "running"), cancel_requested=False)
    return set(rows.values_list("pk", flat=True))


def ended(run: JobTestRun) -> None:
    JobTestRun.objects.filter(pk=run.pk).update(state=JobTestRun.State.FINISHED)


def test_a_newer_draft_ends_the_same_persons_older_one(owner: User, workspace: Workspace) -> None:
    job, bob = job_with_tests(workspace, owner), member(workspace, "bob", Role.EDITOR)
    request_draft(job, owner, counted())
    others = request_draft(job, bob, counted())
    request_document(workspace, owner, DOCUMENT, {"trades": CONTRACT}, counted())
    saved = request_run(job, owner)
    newest = request_draft(job, owner, counted())
    assert live() == {others.pk, saved.pk, newest.pk}


def test_of_two_drafts_at_once_one_is_left(owner: User, workspace: Workspace) -> None:
    job = job_with_tests(workspace, owner)
    barrier = threading.Barrier(2, timeout=30)

    def ask(_: int) -> None:
        barrier.wait()
        try:
            request_draft(job, owner, counted())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, range(2)))
    assert len(live()) == 1


def test_a_workspace_has_so_many_runs_and_others_their_own(owner: User, workspace: Workspace) -> None:
    jobs = [job_with_tests(workspace, owner, number) for number in range(MAX_LIVE_RUNS + 1)]
    runs = [request_run(job, owner) for job in jobs[:-1]]
    path = f"/api/v1/workspaces/ops/jobs/{jobs[-1].id}/test-runs"
    refused = client_of(owner).post(path, {}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_REQUESTS")
    assert "cancel one" in refused.json()["detail"]
    assert request_run(jobs[0], owner) == runs[0]  # is there already
    assert add_version(jobs[-1], owner, DOCUMENT.replace("name: stats", "name: last")).number == 2
    request_draft(jobs[-1], owner, counted())
    eve = create_user("eve")
    request_run(job_with_tests(workspace_of(eve, "labs"), eve), eve)
    ended(runs[0])
    request_run(jobs[-1], owner)


def test_workspaces_take_turns(owner: User, workspace: Workspace, processes: list[str]) -> None:
    jobs = [job_with_tests(workspace, owner, number) for number in range(4)]
    many = [request_run(job, owner) for job in jobs]
    eve = create_user("eve")
    labs = workspace_of(eve, "labs")
    few = [request_run(job_with_tests(labs, eve, number), eve) for number in range(2)]
    played = []
    while (following := next_run(HERE)) is not None:
        assert dict(player.unattended_runs()) == {following: HERE}
        for run in [*many, *few]:  # in whatever order workers take them up
            player.play_slice(run.pk)
        assert processes[-1:] == [following]
        played.append(following)
        run = JobTestRun.objects.get(pk=following)
        ended(run)
        if run.job is not None and run.job.workspace_id == workspace.pk:
            run.job.delete()  # and with it that it had a turn
    order = [many[0], few[0], many[1], few[1], many[2], many[3]]
    assert played == [run.pk for run in order]


def test_of_two_that_begin_at_once_one_does(owner: User, workspace: Workspace) -> None:
    run = request_run(job_with_tests(workspace, owner), owner)
    barrier = threading.Barrier(2, timeout=30)

    def begin(_: int) -> bool:
        mine = JobTestRun.objects.select_related("job__workspace").get(pk=run.pk)
        barrier.wait()
        try:
            return take_turn(mine)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(begin, range(2))) == [False, True]


def test_scripts_are_written_some_at_a_time_by_whoever_is_there(
    owner: User, workspace: Workspace, processes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 0.0)
    run = request_run(job_with_tests(workspace, owner), owner)
    assert player.play_slice(run.pk) == HERE
    run.refresh_from_db()
    assert (run.state, run.prepared, processes) == ("preparing", 1, [])
    assert run.preparing_s > 0
    # Its worker died, and the claim is over: the tests did not end, nobody has begun to play them.
    JobTestRun.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    player.play_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.prepared, processes) == ("running", 2, [run.pk])
    assert Spool(run.pk).plays.waiting() == [0, 1]


def test_each_script_renews_the_claim(owner: User, workspace: Workspace, processes: list[str]) -> None:
    run = request_run(job_with_tests(workspace, owner), owner)
    assert take_turn(run)
    claims = []

    def note(prepared: JobTestRun) -> None:
        JobTestRun.objects.filter(pk=run.pk).update(claimed_until=timezone.now())
        player._note_prepared(prepared)
        claims.append(JobTestRun.objects.get(pk=run.pk).claimed_until)

    assert preparation.prepare(run, 60.0, note)
    assert len(claims) == 2
    assert all(claim is not None and claim > timezone.now() for claim in claims)
    assert processes == []


def test_scripts_have_a_budget(
    owner: User, workspace: Workspace, processes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 0.0)
    monkeypatch.setattr(player, "MOST_S", 0.0)
    run = request_run(job_with_tests(workspace, owner), owner)
    player.play_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, processes) == ("failed", [])
    assert "Preparing the tests took longer" in run.message
