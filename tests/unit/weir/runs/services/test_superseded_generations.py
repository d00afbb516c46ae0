"""What a generation had is deleted once another one has replaced it, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import result_topic
from tests.support.run_factories import job_of, running, started_anew
from weir.retention import SUPERSEDED_RETENTION
from weir.runs import tasks
from weir.runs.models import Desired, Execution, Generation, Job, Observed, Run
from weir.runs.services import reconciler, superseded_generations
from weir.runs.task_queue import DELETE_SUPERSEDED
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@dataclass
class Deleted:
    """What was deleted: topics, and runs that engines forget."""

    topics: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)


@pytest.fixture
def deleted(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deleted:
    found = Deleted()
    settings.CHECKPOINT_URL = tmp_path.as_uri()
    monkeypatch.setattr(
        superseded_generations, "delete_topics", lambda _, topics: found.topics.extend(topics)
    )
    monkeypatch.setattr(superseded_generations, "publish_tombstone", found.runs.append)

    def hand_on(task: str, *_: object, queue: str | None = None) -> None:
        assert (task, queue) == (DELETE_SUPERSEDED, settings.HOST_QUEUE)
        tasks.delete_superseded()

    monkeypatch.setattr(superseded_generations, "enqueue", hand_on)
    return found


@pytest.fixture
def job(deleted: Deleted, owner: User, workspace: Workspace, tmp_path: Path) -> Job:
    """A job whose first generation has ended, and whose second one has run for a while."""
    job = job_of(workspace, owner)
    old = running(job)
    started_anew(old)
    Run.objects.filter(pk=old.pk).update(published_at=None)
    for number in (1, 2):
        folder = tmp_path / "ops" / job.id / str(number)
        folder.mkdir(parents=True)
        Generation.objects.filter(number=number).update(
            checkpoint=folder.as_uri(),
            exchange_topic=f"weir.exchange.{job.id}.{number}",
            created_at=timezone.now() - SUPERSEDED_RETENTION,
        )
    job.refresh_from_db()
    assert deleted == Deleted()
    return job


def folders(job: Job, root: Path) -> set[str]:
    return {folder.name for folder in (root / "ops" / job.id).iterdir()}


def test_topics_checkpoint_and_desired_run_are_deleted_and_the_history_stays(
    job: Job, deleted: Deleted, tmp_path: Path
) -> None:
    tasks.purge_expired()
    first = Run.objects.get(generation__number=1)
    assert deleted.topics == [result_topic(first.id), f"weir.exchange.{job.id}.1"]
    assert (deleted.runs, folders(job, tmp_path)) == ([first.id], {"2"})
    assert dict(Generation.objects.values_list("number", "data_deleted")) == {1: True, 2: False}
    assert Run.objects.count() == 2
    assert Execution.objects.filter(run__generation__number=1).exists()
    tasks.purge_expired()
    assert len(deleted.runs) == 1, "once"


def test_no_engine_hears_of_it_again(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciler, "ensure_system_topics", lambda: "another id")
    reconciler.ReconcilerState.objects.create(pk=1, runs_topic_id="former id")
    tasks.purge_expired()
    assert not Run.objects.filter(generation__number=1, published_at=None).exists()
    reconciler.probe_home_cluster(timezone.now())
    unpublished = Run.objects.filter(published_at=None)
    assert list(unpublished.values_list("generation__number", flat=True)) == [2]


def test_a_validators_dead_letters_stay(job: Job, deleted: Deleted, tmp_path: Path) -> None:
    Job.objects.update(kind=Job.Kind.VALIDATOR)
    first = Run.objects.get(generation__number=1)
    tasks.purge_expired()
    assert (deleted.topics, deleted.runs, folders(job, tmp_path)) == ([], [first.id], {"2"})


def _young() -> None:
    Generation.objects.filter(number=2).update(created_at=timezone.now() - SUPERSEDED_RETENTION / 2)


def _running() -> None:
    Run.objects.filter(generation__number=1).update(observed=Observed.STOPPING)


def _wanted() -> None:
    Run.objects.filter(generation__number=1).update(desired=Desired.RUNNING)


def _deleted() -> None:
    Job.objects.update(desired=Desired.DELETED)


def _current() -> None:
    Job.objects.update(generation=1)


@pytest.mark.parametrize("change", [_young, _running, _wanted, _deleted, _current])
def test_what_may_be_used_still_or_goes_with_its_job_stays(
    job: Job, deleted: Deleted, change: Callable[[], None]
) -> None:
    change()
    tasks.purge_expired()
    superseded_generations.delete_superseded(timezone.now())
    assert deleted == Deleted()


def test_what_fails_is_done_later_and_keeps_no_other(
    job: Job, deleted: Deleted, owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = Generation.objects.get(number=2)
    third.pk, third.number = None, 3
    third.save()
    Generation.objects.update(created_at=timezone.now() - timedelta(hours=1))
    Run.objects.update(desired=Desired.STOPPED, observed=Observed.STOPPED)
    Job.objects.update(generation=3)
    with monkeypatch.context() as broken:
        tried: list[str] = []

        def refuse(url: str) -> None:
            tried.append(url)
            raise PermissionError("not yours")

        broken.setattr(superseded_generations, "delete_checkpoint", refuse)
        tasks.purge_expired()
        assert len(tried) == 2

        def away(run_id: str) -> None:
            tried.append(run_id)
            raise UnreachableError("BROKER_UNREACHABLE", "It is away.")

        broken.setattr(superseded_generations, "publish_tombstone", away)
        tasks.purge_expired()
        assert len(tried) == 3, "the others would wait for the same"
    assert not Generation.objects.filter(data_deleted=True).exists()
    tasks.purge_expired()
    assert Generation.objects.filter(data_deleted=True).count() == 2
