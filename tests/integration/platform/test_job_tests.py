"""Tests of a job from the request to their results, on Spark in the process that plays them."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.job_test_documents import counted
from tests.support.processes import wait_until
from tests.support.run_factories import job_of
from tests.support.worked_examples import FILE
from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services import play_process, player
from weir.job_tests.services.queries import standing_tests
from weir.job_tests.services.runs import cancel_run, request_document, request_draft, request_run
from weir.job_tests.services.tests import create_test
from weir.runs.models import Job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]


@pytest.fixture(autouse=True)
def _here(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.HOST_QUEUE = tmp_path, "engines.here"


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


def played(run: JobTestRun) -> JobTestRun:
    """The run, after a worker has taken slice after slice."""

    def has_ended() -> bool:
        player.play_slice(run.pk)
        run.refresh_from_db()
        return not run.is_live

    wait_until(has_ended, 400, "the tests are played")
    return run


def test_tests_are_played_and_judged(job: Job, owner: User, tmp_path: Path) -> None:
    good, red = create_test(job, owner, counted("good")), create_test(job, owner, counted("red", 2))
    run = played(request_run(job, owner))
    assert (run.state, run.done, run.message) == ("finished", 2, "")
    found = {standing.test.pk: standing for standing in standing_tests(job)}
    assert found[good.pk].state == "passed"
    assert found[red.pk].state == "failed"
    result = found[red.pk].result
    assert result is not None
    (difference,) = result.result["differences"]
    assert [(field["field"], field["expected"], field["got"]) for field in difference["fields"]] == [
        ("n", 2, 1)
    ]
    assert JobTest.objects.get(pk=good.pk).accepted.keys() == {"trades", "stats"}
    assert not list((tmp_path / "job-tests").iterdir())  # records are gone from the disk


@pytest.mark.long  # a start of Spark, as the next
def test_a_draft_is_played_without_being_kept(job: Job, owner: User) -> None:
    draft = played(request_draft(job, owner, counted("draft", 3)))
    assert draft.outcome is not None
    assert draft.outcome["result"]["status"] == "failed"
    rows = draft.outcome["expect"]["outputs"]["live"]["rows"]
    assert {row["n"] for row in rows} == {1}
    assert not JobTest.objects.exists()


@pytest.mark.long
def test_a_worked_example_is_played_without_a_job(workspace: Workspace, owner: User) -> None:
    example = json.loads(FILE.read_text("utf-8"))["aggregate"][1]
    run = played(request_document(workspace, owner, example["document"], example["streams"], example["test"]))
    assert run.outcome is not None
    assert run.outcome["result"]["status"] == "passed"
    assert [len(batch["outputs"][0]["rows"]) for batch in run.outcome["batches"]] == [2, 2, 2, 1, 0]


def test_a_canceled_run_ends_its_process(job: Job, owner: User) -> None:
    create_test(job, owner, counted())
    run = request_run(job, owner)
    player.play_slice(run.pk)
    run.refresh_from_db()
    handle = ProcessHandle.model_validate(run.handle)
    assert play_process.lives(handle)
    cancel_run(run)
    assert played(run).state == "canceled"
    wait_until(lambda: not play_process.lives(handle), 20, "the process has ended")


def test_a_process_that_dies_fails_the_run(job: Job, owner: User) -> None:
    create_test(job, owner, counted())
    run = request_run(job, owner)
    player.play_slice(run.pk)
    run.refresh_from_db()
    play_process.kill(ProcessHandle.model_validate(run.handle))
    ended = played(run)
    assert (ended.state, ended.done) == ("failed", 0)
    assert "Spark ended" in ended.message
