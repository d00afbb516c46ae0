"""Who plays tests: a warm engine without runs, and a process where there is none or it does not go on."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.job_tests.playable import PlayableTest, playable
from jobs.kafka_messages import ASK, CancelAsk, PlayFolderAsk
from jobs.play import PlayProblem, PlayResult
from tests.support.job_test_documents import counted
from tests.support.run_factories import job_of, running
from weir.job_tests.models import JobTestResult, JobTestRun
from weir.job_tests.services import play_engine, play_process, player
from weir.job_tests.services.runs import cancel_run, request_draft, request_run
from weir.job_tests.services.spool import Spool
from weir.job_tests.services.subjects import subject_of
from weir.job_tests.services.tests import create_test
from weir.runs.models import Engine, Job
from weir.workspaces.errors import NotFoundError, UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

HERE = "engines.here"
PLAYED = PlayResult(problem=PlayProblem(code="TIMED_OUT", message="It took too long."))


@pytest.fixture(autouse=True)
def _here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR, settings.HOST_QUEUE = tmp_path, HERE
    monkeypatch.setattr(player, "SLICE_S", 0.0)
    monkeypatch.setattr(player, "PREPARE_SLICE_S", 600.0)


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> list[PlayFolderAsk | CancelAsk]:
    """What engines were told."""
    sent: list[Any] = []

    def publish(topic: str, values: dict[str, bytes]) -> None:
        sent.extend(ASK.validate_json(value) for value in values.values())

    monkeypatch.setattr(play_engine, "publish", publish)
    return sent


@pytest.fixture
def run(workspace: Workspace, owner: User) -> JobTestRun:
    job = job_of(workspace, owner)
    create_test(job, owner, counted("one"))
    create_test(job, owner, counted("two"))
    return request_run(job, owner)


def test_a_run_judges_by_the_test_as_it_was_written(run: JobTestRun) -> None:
    """JSON has numbers and characters that the text of a document has not."""
    text = """
format: 1
name: numbers
batches: [{}]
expect:
  outputs:
    live:
      rows:
        - {symbol: "\\x7F", low: 0.000001}
        - {symbol: A, n: 9223372036854775807}
"""
    subject = subject_of(run)
    made = playable(text, subject.plan, subject.contracts)
    assert isinstance(made, PlayableTest), made
    spool = Spool(run.pk)
    spool.prepare()
    spool.write(0, made)
    read = spool.read_test(0)
    assert read is not None
    assert read.test == made.test
    assert read.test.expect.outputs["live"].rows == [
        {"symbol": "\x7f", "low": 0.000001},
        {"symbol": "A", "n": 2**63 - 1},
    ]


def engine(**values: Any) -> Engine:
    given = {"id": "shared-2", "standby": True, "host_queue": HERE, "ready": True, "state": "ready"}
    return Engine.objects.create(kind=Engine.Kind.SHARED, incarnation="first", slots=8, **given | values)


def sliced(run: JobTestRun) -> JobTestRun:
    player.play_slice(run.pk)
    run.refresh_from_db()
    return run


def test_the_standby_plays_and_no_process_is_started(
    run: JobTestRun, asks: list[Any], processes: list[str]
) -> None:
    engine()
    assert sliced(run).engine == "shared-2"
    assert [(ask.type, ask.engine_id, ask.run_id) for ask in asks] == [("play_folder", "shared-2", run.pk)]
    folder = Spool(run.pk).plays
    folder.accept()
    folder.write_result(0, PLAYED)
    assert (sliced(run).done, run.state) == (1, "running")
    folder.write_result(1, PLAYED)
    assert (sliced(run).done, run.state) == (2, "finished")
    assert processes == []


@pytest.mark.parametrize("case", ["none", "not ready", "another host", "another workspace", "with a run"])
def test_without_an_idle_engine_of_the_host_a_process_plays(
    run: JobTestRun, asks: list[Any], processes: list[str], case: str
) -> None:
    match case:
        case "not ready":
            engine(ready=False)
        case "another host":
            engine(host_queue="engines.there")
        case "another workspace":
            engine(workspace=Workspace.objects.create(slug="other", name="Other"))
        case "with a run":
            started = running(Job.objects.get(pk=run.job_id))
            Engine.objects.filter(pk=started.engine_id).update(ready=True, state="ready", host_queue=HERE)
    sliced(run)
    assert asks == []
    assert processes == [run.pk]


@pytest.mark.parametrize(
    "error",
    [UnreachableError("BROKER_UNREACHABLE", "It is away."), NotFoundError("TOPIC_NOT_FOUND", "It's gone.")],
)
def test_without_a_broker_a_process_plays(
    run: JobTestRun, processes: list[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def away(*_: Any) -> None:
        raise error

    monkeypatch.setattr(play_engine, "publish", away)
    engine()
    assert sliced(run).engine == ""
    assert processes == [run.pk]


@pytest.mark.parametrize(
    "loss", ["never accepted", "declined", "started again", "took over a run", "stopped"]
)
def test_where_an_engine_does_not_go_on_a_process_plays_the_rest(
    run: JobTestRun, asks: list[Any], processes: list[str], loss: str
) -> None:
    standby = engine()
    folder = Spool(sliced(run).pk).plays
    folder.write_result(0, PLAYED)
    if loss != "never accepted":
        folder.accept()
    match loss:
        case "never accepted":
            assert run.asked_at is not None
            JobTestRun.objects.update(asked_at=run.asked_at - timedelta(minutes=1))
        case "declined":
            folder.decline()
        case "started again":
            Engine.objects.update(incarnation="second")
        case "took over a run":
            started = running(Job.objects.get(pk=run.job_id))
            type(started).objects.filter(pk=started.pk).update(engine=standby)
        case "stopped":
            Engine.objects.filter(pk=standby.pk).update(ready=False, state="stopping")
    sliced(run)
    assert processes == [run.pk]
    assert [ask.type for ask in asks] == ["play_folder", "cancel"]
    assert (run.engine, run.done, run.state) == ("", 1, "running")
    folder.write_result(1, PLAYED)
    assert sliced(run).state == "finished"


def test_a_test_of_which_the_process_dies_has_an_error_and_the_others_are_played(
    run: JobTestRun, processes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Spool(sliced(run).pk).plays
    folder.begin(0)
    with monkeypatch.context() as dead:
        lives = iter([False])
        dead.setattr(play_process, "lives", lambda _: next(lives, True))
        Spool(run.pk).log.write_text("java.lang.OutOfMemoryError: Java heap space")
        assert (sliced(run).state, run.done) == ("running", 1)
    (result,) = JobTestResult.objects.all()
    assert result.status == "error"
    assert result.result["message"] == (
        "Spark ended while it played this test.\njava.lang.OutOfMemoryError: Java heap space"
    )
    assert processes == [run.pk, run.pk]
    folder.begin(1)
    folder.write_result(1, PLAYED)
    assert (sliced(run).state, run.done) == ("finished", 2)


@pytest.mark.parametrize("case", ["it has begun none", "an engine had begun one", "time is over"])
def test_a_process_that_dies_of_no_test_ends_the_run(
    run: JobTestRun, asks: list[Any], processes: list[str], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    if case == "an engine had begun one":
        standby = engine()
        folder = Spool(sliced(run).pk).plays
        folder.begin(0)
        standby.delete()
    sliced(run)
    if case == "time is over":
        Spool(run.pk).plays.begin(0)
        JobTestRun.objects.update(started_at=timezone.now() - timedelta(seconds=play_process.MOST_S + 1))
    monkeypatch.setattr(play_process, "lives", lambda _: False)
    assert sliced(run).state == "failed"
    assert "Spark ended before all tests were played" in run.message
    assert not JobTestResult.objects.exists()


def test_canceling_tells_the_engine(run: JobTestRun, asks: list[Any], processes: list[str]) -> None:
    engine()
    sliced(run)
    cancel_run(run)
    assert sliced(run).state == "canceled"
    first, second = asks
    assert (second.type, second.engine_id, second.owner) == ("cancel", "shared-2", first.owner)
    assert Spool(run.pk).plays.waiting() == []


@pytest.mark.parametrize("step", ["prepare", "record_result"])
def test_a_run_that_cannot_go_on_ends_and_the_next_one_begins(
    workspace: Workspace,
    owner: User,
    run: JobTestRun,
    processes: list[str],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    """A host plays one run at a time: one that fails again and again would hold up all workspaces."""
    later = request_draft(Job.objects.get(pk=run.job_id), owner, counted("later"))
    with monkeypatch.context() as patched:
        patched.setattr(player, step, _fails)
        sliced(run)
        assert sliced(run).state == "failed"
    assert run.message == "Weir couldn't run these tests (KeyError). The cause is in the worker's log."
    assert run.claimed_until is None
    assert sliced(later).state == "running"


def _fails(*_: Any) -> bool:
    raise KeyError("a defect")


def test_a_test_whose_files_are_gone_has_no_result(
    run: JobTestRun, processes: list[str], asks: list[Any]
) -> None:
    sliced(run)
    Spool(run.pk).remove()
    assert (sliced(run).state, run.done) == ("failed", 0)
    assert "are gone" in run.message
    assert not JobTestResult.objects.exists()


def test_of_a_job_that_is_deleted_while_its_tests_are_played_nothing_is_left(
    run: JobTestRun, processes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sliced(run)

    def deleted_meanwhile(*_: Any) -> bool:
        Job.objects.filter(pk=run.job_id).delete()
        return True

    monkeypatch.setattr(player, "record_result", deleted_meanwhile)
    assert player.play_slice(run.pk) == HERE
    assert player.play_slice(run.pk) is None
    assert not Spool(run.pk).plays.path.exists()


def test_a_worker_that_judges_many_results_keeps_its_claim(
    run: JobTestRun, processes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one would judge them too, by files that the first may have removed."""
    sliced(run)
    claims: list[bool] = []

    def slow(judged: JobTestRun, number: int) -> bool:
        held = JobTestRun.objects.filter(pk=run.pk)
        if number == 0:
            held.update(claimed_until=timezone.now())  # judging took as long as the claim
        else:
            claims.append(held.filter(claimed_until__gt=timezone.now() + timedelta(seconds=30)).exists())
        return True

    monkeypatch.setattr(player, "record_result", slow)
    assert sliced(run).state == "finished"
    assert claims == [True]
