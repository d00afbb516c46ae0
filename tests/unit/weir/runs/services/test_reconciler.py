"""In which order a tick of the reconciler asks and hands on, and what keeps it from nothing."""

import json
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from tests.support.run_factories import DOCUMENT, job_of, running
from weir.clusters.services.clients import home_profile
from weir.runs.models import Engine, Generation, JobVersion, ReconcilerState, Run
from weir.runs.services import reconciler, run_publisher
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.epochs import begin_epoch
from weir.runs.services.placement import WARM_ENGINE
from weir.runs.task_queue import RECONCILE_ENGINE, START_RUN
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def done(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What ticks did, beside a broker that does not answer."""
    settings.WARM_ENGINE = True
    found: list[str] = []

    def ask(_: datetime) -> bool:
        found.append("asked the broker")
        return False

    def hand_on(task: str, *_: Any, **__: Any) -> None:
        found.append(task)

    monkeypatch.setattr(reconciler, "probe_home_cluster", ask)
    monkeypatch.setattr(reconciler, "enqueue", hand_on)
    return found


def test_engines_of_a_system_that_starts_again_do_not_wait_for_the_broker(done: list[str]) -> None:
    ReconcilerState.objects.create(pk=1, broker_answers_since=timezone.now())
    reconciler.reconcile()
    assert done == [RECONCILE_ENGINE, "asked the broker"]


def test_beside_a_broker_that_is_away_none_is_started(done: list[str]) -> None:
    ReconcilerState.objects.create(pk=1, broker_answers_since=None)
    reconciler.reconcile()
    assert done == ["asked the broker"]


Published = dict[str, dict[str, Any]]


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Published:
    """What engines were told of runs, by run, beside a broker that answers."""
    found: Published = {}
    monkeypatch.setattr(reconciler, "probe_home_cluster", lambda _: True)
    monkeypatch.setattr(
        run_publisher,
        "publish",
        lambda _, values: found.update({run_id: json.loads(value) for run_id, value in values.items()}),
    )
    return found


def unpublished(owner: User, workspace: Workspace, count: int) -> list[Run]:
    documents = [DOCUMENT.replace("name: stats", f"name: job-{number}") for number in range(count)]
    runs = [running(job_of(workspace, owner, document)) for document in documents]
    Run.objects.update(published_at=None)
    return runs


def test_a_run_that_cannot_be_read_fails_alone(
    owner: User, workspace: Workspace, published: Published
) -> None:
    """An older version of Weir has saved it."""
    unreadable, sound = unpublished(owner, workspace, 2)
    JobVersion.objects.filter(job__generations__run=unreadable).update(document={"format": 1, "gone": True})
    for _ in range(2):
        reconciler.reconcile()
    assert {run_id: told["state"] for run_id, told in published.items()} == {
        unreadable.id: "stopped",
        sound.id: "running",
    }
    assert not Run.objects.filter(published_at=None).exists()
    unreadable.refresh_from_db()
    assert unreadable.failure is not None
    assert (unreadable.observed, unreadable.failure["code"], unreadable.failure["permanent"]) == (
        "failed",
        "PLAN_INVALID",
        True,
    )
    assert "Save the job as a new version" in unreadable.failure["message"]


def test_the_last_record_of_a_run_is_the_newest(
    owner: User, workspace: Workspace, published: Published
) -> None:
    """An engine that starts reads no other, and would execute an epoch that is over."""
    (run,) = unpublished(owner, workspace, 1)
    read_before = Run.objects.get(pk=run.pk)
    assert run.engine is not None
    begin_epoch(run, run.engine)
    run_publisher.publish_run(Run.objects.get(pk=run.pk))
    run_publisher.publish_run(read_before)
    assert published[run.id]["epoch"] == 1
    reconciler.reconcile()
    assert published[run.id]["epoch"] == 2


def test_a_run_that_changes_while_another_is_published_is_read_then(
    owner: User, workspace: Workspace, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = unpublished(owner, workspace, 2)
    told: list[tuple[str, int]] = []

    def publish(_: str, values: dict[str, bytes]) -> None:
        """While the first waits for the broker, the other's next epoch begins."""
        for run_id, value in values.items():
            told.append((run_id, json.loads(value)["epoch"]))
            if len(told) == 1:
                (other,) = Run.objects.exclude(pk=run_id)
                assert other.engine is not None
                begin_epoch(other, other.engine)

    monkeypatch.setattr(run_publisher, "publish", publish)
    reconciler.reconcile()
    (first, _), (second, epoch) = told
    assert ({first, second}, epoch) == ({run.id for run in runs}, 2)


@pytest.mark.parametrize("differs", [True, False])
def test_a_resumed_run_whose_start_was_lost_gives_its_topic_the_new_retention(
    owner: User,
    workspace: Workspace,
    published: Published,
    monkeypatch: pytest.MonkeyPatch,
    differs: bool,
) -> None:
    (run,) = unpublished(owner, workspace, 1)
    Generation.objects.update(topic_retention_ms=2 if differs else None)
    handed_on: list[Any] = []
    monkeypatch.setattr(reconciler, "enqueue", lambda *command, **_: handed_on.append(command))
    for _ in range(2):
        reconciler.reconcile()
    assert ((START_RUN, run.id) in handed_on, run.id in published) == (differs, True)
    assert handed_on.count((START_RUN, run.id)) <= 1, "its start is queued once"


def test_a_run_that_is_too_large_for_a_record_fails_alone_and_can_be_stopped(
    owner: User, workspace: Workspace, published: Published
) -> None:
    """Many sources, each with a wide contract."""
    large, sound = unpublished(owner, workspace, 2)
    fields = [{"name": f"a_field_of_many_{number:040}", "type": "string"} for number in range(500)]
    source = {
        "stream": "wide",
        "cluster": home_profile().model_dump(),
        "topic": "wide",
        "topic_id": "id",
        "partitions": 1,
        "contract": {"fields": fields},
        "start": {"kind": "earliest"},
    }
    large.generation.sources = {f"s{number}": source for number in range(20)}
    large.generation.save()
    reconciler.reconcile()
    large.refresh_from_db()
    assert (published[large.id]["state"], published[sound.id]["state"]) == ("stopped", "running")
    assert large.failure is not None
    assert (large.observed, large.failure["code"]) == ("failed", "RUN_TOO_LARGE")
    assert "900,000 is the limit" in large.failure["message"]
    Run.objects.filter(pk=large.pk).update(desired="stopped", revision=2, published_at=None)
    del published[large.id]
    reconciler.reconcile()
    assert published[large.id]["state"] == "stopped"


@pytest.mark.usefixtures("published")
def test_a_run_that_cannot_be_read_does_not_keep_its_engine_from_starting(
    owner: User, workspace: Workspace, started: list[object]
) -> None:
    unpublished(owner, workspace, 1)
    JobVersion.objects.update(document={"format": 1})
    Engine.objects.update(state="stopped", host_queue="engines.here")
    reconcile_engine(WARM_ENGINE)
    assert len(started) == 1


def test_a_step_that_fails_keeps_no_other_from_its_work(
    owner: User, workspace: Workspace, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: datetime) -> None:
        raise KeyError("unexpected")

    (run,) = unpublished(owner, workspace, 1)
    monkeypatch.setattr(reconciler, "place_waiting", fail)
    reconciler.reconcile()
    assert set(published) == {run.id}


def test_schemas_are_told_before_the_runs_that_read_with_them(
    owner: User, workspace: Workspace, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record whose schema an engine does not find is malformed for good."""
    unpublished(owner, workspace, 1)
    runs_before: list[int] = []
    monkeypatch.setattr(reconciler, "publish_pending", lambda: runs_before.append(len(published)))
    reconciler.reconcile()
    assert (runs_before, len(published)) == ([0], 1)


def test_a_tick_that_takes_long_is_the_only_one(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight seconds for each run, while another worker asks for its turn again and again."""
    unpublished(owner, workspace, 4)
    clock = [timezone.now()]
    depths: list[int] = []
    ended = [0]

    def publish(*_: object) -> None:
        depths.append(len(depths) - ended[0])
        clock[0] += timedelta(seconds=8)
        if depths[-1] == 0:
            reconciler.reconcile()
        ended[0] += 1

    monkeypatch.setattr(reconciler, "timezone", SimpleNamespace(now=lambda: clock[0]))
    monkeypatch.setattr(reconciler, "probe_home_cluster", lambda _: True)
    monkeypatch.setattr(run_publisher, "publish", publish)
    reconciler.reconcile()
    assert depths == [0] * 4
    assert ReconcilerState.objects.get().reconciling_until is None


def test_a_killed_workers_turn_ends_when_the_clock_is_set_back(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpublished(owner, workspace, 1)
    told: list[object] = []
    monkeypatch.setattr(reconciler, "probe_home_cluster", lambda _: True)
    monkeypatch.setattr(run_publisher, "publish", lambda *given: told.append(given))
    ReconcilerState.objects.update_or_create(
        pk=1, defaults={"reconciling_until": timezone.now() + timedelta(seconds=15)}
    )
    reconciler.reconcile()
    assert told == []
    ReconcilerState.objects.update(reconciling_until=timezone.now() + timedelta(hours=1))
    reconciler.reconcile()
    assert len(told) == 1


def test_a_tick_whose_turn_another_worker_has_does_no_more(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood still for a minute, as on a host that sleeps."""
    unpublished(owner, workspace, 2)
    clock = [timezone.now()]
    told: list[object] = []

    def publish(*given: object) -> None:
        told.append(given)
        clock[0] += timedelta(seconds=60)
        ReconcilerState.objects.update(reconciling_until=clock[0] + timedelta(seconds=20))

    monkeypatch.setattr(reconciler, "timezone", SimpleNamespace(now=lambda: clock[0]))
    monkeypatch.setattr(reconciler, "probe_home_cluster", lambda _: True)
    monkeypatch.setattr(run_publisher, "publish", publish)
    reconciler.reconcile()
    assert len(told) == 1
    assert ReconcilerState.objects.get().reconciling_until == clock[0] + timedelta(seconds=20)
