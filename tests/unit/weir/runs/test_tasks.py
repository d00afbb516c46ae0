"""What a start does when the broker has lost what it is told of."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.run_factories import job_of, running
from weir.runs import tasks
from weir.runs.models import Engine, Generation, Run
from weir.runs.services.stop import stop_job
from weir.workspaces.errors import BusyError, NotFoundError, ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_start_while_the_control_topic_is_gone_fails_no_job(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reconciler makes `weir.runs` again, and publishes all runs."""
    run = running(job_of(workspace, owner), state="starting")

    def lost(_: Run) -> None:
        raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")

    monkeypatch.setattr(tasks, "publish_run", lost)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("starting", None)


@pytest.mark.parametrize("what", ["stopped", "started anew"])
def test_a_start_whose_topic_is_gone_changes_nothing_that_came_after_it(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Clusters take their time to say so."""
    job = job_of(workspace, owner)
    run = running(job, state="starting")

    def gone(_: Generation) -> None:
        if what == "stopped":
            stop_job(job, owner)
        else:
            Run.objects.filter(pk=run.pk).update(epoch=2)
        raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")

    monkeypatch.setattr(tasks, "prepare_generation", gone)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("starting", None)


def test_a_start_whose_topic_is_gone_fails(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running(job_of(workspace, owner), state="starting")

    def gone(_: Generation) -> None:
        raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")

    monkeypatch.setattr(tasks, "prepare_generation", gone)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert run.failure is not None
    assert (run.observed, run.failure["code"]) == ("failed", "TOPIC_NOT_FOUND")


def test_a_start_that_still_prepares_is_not_begun_again(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ticks ask every 2 s, and a scan of the inputs may take 20 s."""
    run = awaiting_topics(workspace, owner)
    begun: list[str] = []

    def prepare(generation: Generation) -> None:
        begun.append(generation.result_topic)
        tasks.start_run(run.pk)

    monkeypatch.setattr(tasks, "prepare_generation", prepare)
    monkeypatch.setattr(tasks, "publish_run", lambda _: None)
    tasks.start_run(run.pk)
    assert begun == [run.generation.result_topic]


@pytest.mark.parametrize(
    "error", [BusyError(), NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")]
)
def test_a_start_that_failed_late_does_not_end_a_run_that_another_has_started(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, error: ServiceError
) -> None:
    run = awaiting_topics(workspace, owner)

    def late(_: Generation) -> None:
        Run.objects.filter(pk=run.pk).update(observed="running")
        raise error

    monkeypatch.setattr(tasks, "prepare_generation", late)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("running", None)


def test_a_start_for_which_all_are_busy_waits(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = awaiting_topics(workspace, owner)

    def busy(_: Generation) -> None:
        raise BusyError

    monkeypatch.setattr(tasks, "prepare_generation", busy)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("starting", None)


def test_a_jobs_own_engine_is_kept_until_the_job_is_deleted() -> None:
    """Its row says on which host its log and settings are."""
    for engine_id in ("shared-7", "dedicated-4f2c"):
        Engine.objects.create(
            id=engine_id,
            kind=engine_id.partition("-")[0],
            should_run=False,
            state="stopped",
            started_at=timezone.now() - timedelta(days=8),
        )
    tasks.purge_expired()
    assert list(Engine.objects.values_list("id", flat=True)) == ["dedicated-4f2c"]


def test_a_deletion_that_takes_long_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ticks ask every 2 s. Each would wait for the same cluster, until no thread is left."""
    begun: list[str] = []

    def finish(job_id: str) -> None:
        begun.append(job_id)
        tasks.finish_deletion(job_id)

    monkeypatch.setattr(tasks, "finish", finish)
    tasks.finish_deletion("4f2c")
    assert begun == ["4f2c"]


def awaiting_topics(workspace: Workspace, owner: User) -> Run:
    run = running(job_of(workspace, owner), state="starting")
    Generation.objects.filter(pk=run.generation_id).update(topics_ready=False)
    run.generation.refresh_from_db()
    return run
