"""Engines of this host: started once, found again, ended, and never replaced while they live."""

import os
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import EngineSettings, ProcessHandle
from tests.support.processes import wait_until
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Desired, Engine, ReconcilerState, Run
from weir.runs.services import engines, processes
from weir.runs.services.engine_logs import engine_log
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.placement import place
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def _job_engine(owner: User, workspace: Workspace) -> Engine:
    return place(job_of(workspace, owner), "dedicated", 3)


def _await_mark(engine: Engine) -> None:
    """A process shows its environment a moment after it was started."""
    mark = processes.label_of(settings.DATA_DIR, engine.id)
    wait_until(lambda: processes.find(mark) is not None, 10, "the process shows its mark")


def test_a_wanted_engine_is_started_once(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    for _ in range(3):
        reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert len(started) == 1
    assert (engine.state, engine.handle) == ("starting", started[0].model_dump())


def test_a_process_whose_handle_was_not_written_down_is_found(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    reconcile_engine(engine.id)
    _await_mark(engine)
    Engine.objects.update(handle=None)
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert len(started) == 1
    assert engine.handle == started[0].model_dump()


def test_a_process_that_a_restored_database_does_not_know_is_adopted(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    reconcile_engine(engine.id)
    _await_mark(engine)
    incarnation = Engine.objects.get().incarnation
    Engine.objects.update(handle=None, state="stopped", incarnation="")
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert len(started) == 1
    assert (engine.incarnation, engine.handle) == (incarnation, started[0].model_dump())


def test_an_engine_of_another_host_is_left_alone(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    Engine.objects.update(host_queue="engines.there")
    reconcile_engine(engine.id)
    assert started == []


def test_one_that_is_not_wanted_is_ended(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    reconcile_engine(engine.id)
    Engine.objects.update(should_run=False)
    reconcile_engine(engine.id)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process ended")
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert (engine.state, engine.handle, engine.crashes) == ("stopped", None, [])


def test_no_process_starts_that_would_find_an_epoch_that_is_over(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    def _refuse(_topic: str, _values: dict[str, bytes]) -> None:
        raise UnreachableError("BROKER_UNREACHABLE", "It timed out.")

    monkeypatch.setattr("weir.runs.services.run_publisher.publish", _refuse)
    run = running(job_of(workspace, owner), kind="dedicated")
    Engine.objects.update(state="stopped")
    Run.objects.update(published_at=None)
    reconcile_engine(run.engine_id or "")
    assert started == []
    assert Engine.objects.get().state == "stopped"


def test_a_start_that_another_worker_has_under_way_is_no_death(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    engine = _job_engine(owner, workspace)
    Engine.objects.update(
        state="starting", handle=None, incarnation="claimed", last_command_at=timezone.now()
    )
    reconcile_engine(engine.id)
    engine.refresh_from_db()
    assert (engine.state, engine.crashes, started) == ("starting", [], [])


def test_a_live_process_is_not_replaced_for_silence(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = _job_engine(owner, workspace)
    reconcile_engine(engine.id)
    later = timezone.now() + engines.SILENT_ENGINE_STOPPED_AFTER * 2
    ReconcilerState.objects.create(pk=1, broker_answers_since=None, relay_caught_up_at=later)
    reconcile_engine(engine.id, later)
    ReconcilerState.objects.update(broker_answers_since=timezone.now(), relay_caught_up_at=None)
    reconcile_engine(engine.id, later)
    assert processes.is_alive(started[0])
    # Everything else speaks. It seems to be silent for very long, but the machine may have been suspended.
    ReconcilerState.objects.update(broker_answers_since=timezone.now(), relay_caught_up_at=later)
    reconcile_engine(engine.id, later)
    reconcile_engine(engine.id, later)
    assert processes.is_alive(started[0])
    # It is still silent: it is ended.
    monkeypatch.setattr(engines, "_WATCHED_S", 0.0)
    reconcile_engine(engine.id, later)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process ended")


def test_a_handle_of_another_boot_or_start_is_another_process() -> None:
    mine = processes.handle_of(os.getpid())
    assert processes.is_alive(mine)
    assert not processes.is_alive(mine.model_copy(update={"boot_id": "other"}))
    assert not processes.is_alive(mine.model_copy(update={"started_ticks": mine.started_ticks + 1}))
    assert not processes.is_alive(mine.model_copy(update={"host": "other"}))
    assert not processes.is_alive(mine.model_copy(update={"pid": 2**22 + 1}))


def test_runs_share_an_engine_until_its_slots_are_taken(
    owner: User, workspace: Workspace, settings: Settings
) -> None:
    settings.ENGINE_SLOTS = 16
    job = job_of(workspace, owner)
    run = running(job)
    Run.objects.update(slots=10)
    assert place(job, "shared", 10) == run.engine  # its own slots do not count twice
    other = job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other"))
    assert place(other, "shared", 2).id == "shared-1"
    assert place(other, "shared", 3).id == "shared-2"
    with pytest.raises(ServiceError, match="slots"):
        place(other, "shared", 13)
    Run.objects.update(desired=Desired.STOPPED, observed="stopped")
    assert place(other, "shared", 12).id == "shared-1"


def test_a_process_that_was_started_too_late_does_not_run_beside_its_successor(
    owner: User, workspace: Workspace, started: list[ProcessHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was held up for long is taken for dead, and another starts the engine meanwhile."""
    engine = _job_engine(owner, workspace)
    settings_of = engines._settings_of

    def slow(engine: Engine, incarnation: str) -> EngineSettings:
        Engine.objects.filter(pk=engine.pk).update(incarnation="another's")
        return settings_of(engine, incarnation)

    monkeypatch.setattr(engines, "_settings_of", slow)
    reconcile_engine(engine.id)
    wait_until(lambda: not processes.is_alive(started[0]), 10, "the process ended")
    engine.refresh_from_db()
    assert engine.handle is None


def test_a_full_disk_is_no_crash_of_the_engine_that_cannot_start(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    """Five of them would be the end of all its runs, until a person starts them."""
    engine = _job_engine(owner, workspace)
    log, now = engine_log(engine.id), timezone.now()
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")
    for attempt in range(6):
        reconcile_engine(engine.id, now + timedelta(minutes=attempt))
    engine.refresh_from_db()
    assert (engine.state, engine.crashes, engine.failed_starts, started) == ("stopped", [], 0, [])
    assert engine.failure is not None
    assert "No space left on device" in engine.failure["message"]
    log.unlink()
    reconcile_engine(engine.id, now + timedelta(minutes=5, seconds=9))
    assert started == [], "it waits before it tries again"
    reconcile_engine(engine.id, now + timedelta(minutes=5, seconds=11))
    engine.refresh_from_db()
    assert (engine.state, engine.failure, len(started)) == ("starting", None, 1)
