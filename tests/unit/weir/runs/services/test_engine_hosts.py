"""Engines are spread over the hosts that are there, by what is in use on each, and move when one is gone."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import crash
from tests.support.run_factories import DOCUMENT, job_of, running, state_report
from weir.runs.models import Engine, EngineHost, Job, ReconcilerState, Run
from weir.runs.services import reconciler
from weir.runs.services.deletion import finish_deletions
from weir.runs.services.engine_hosts import host_loads, note_host, roomiest_host
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.handover import finish_handover, hand_over
from weir.runs.services.placement import dedicated_engine_id, isolation_engine, place
from weir.runs.services.ready_engines import ready_engines
from weir.runs.services.reconciler import _retry_failed
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.standby import ensure_standby
from weir.runs.task_queue import NOTE_HOST
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
GONE = timedelta(minutes=2)


@pytest.fixture
def job(owner: User, workspace: Workspace, started: list[ProcessHandle]) -> Job:
    assert started == []  # the fixture sets this host's queue: engines.here
    return job_of(workspace, owner)


@pytest.fixture
def another(owner: User, workspace: Workspace) -> Callable[[], Job]:
    """Makes one more job."""
    numbers = iter(range(100))
    return lambda: job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: more-{next(numbers)}"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Commands to workers: task, arguments and queue."""
    found: list[tuple[object, ...]] = []

    def keep(task: str, *arguments: object, queue: str | None = None) -> None:
        found.append((task, *arguments, queue))

    for room in ("reconciler", "engine_hosts", "deletion"):
        monkeypatch.setattr(f"weir.runs.services.{room}.enqueue", keep)
    return found


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published."""
    monkeypatch.setattr("weir.runs.services.run_publisher.publish", lambda *_: None)


def host(name: str, cores: int = 4, silent: timedelta = timedelta(), *, sees: bool = True) -> None:
    EngineHost.objects.create(
        queue=name, heard_at=timezone.now() - silent, cores=cores, sees_checkpoints=sees
    )


def serve(engine: Engine, used: float, cores: int = 4) -> None:
    """The engine is ready, and its heartbeat says how much of its host is in use."""
    Engine.objects.filter(pk=engine.pk).update(
        state="ready", ready=True, host_cpu_cores=used, host_cores=cores, last_seen_at=timezone.now()
    )


def test_without_hosts_engines_go_where_the_settings_say(job: Job) -> None:
    assert place(job, "shared", 1).host_queue == "engines.here"


def test_a_new_engine_goes_to_the_host_with_most_room(job: Job, another: Callable[[], Job]) -> None:
    host("engines.a", cores=4)
    host("engines.b", cores=8)
    first = place(job, "dedicated", 1)
    assert first.host_queue == "engines.b"
    serve(first, used=6.5, cores=8)
    assert place(another(), "dedicated", 1).host_queue == "engines.a"
    assert {load.queue: load.used for load in host_loads(timezone.now())} == {
        "engines.a": 1.0,  # an engine is starting there
        "engines.b": 6.5,
    }


def test_runs_share_an_engine_until_its_host_is_full_and_then_use_the_next_host(
    job: Job, another: Callable[[], Job]
) -> None:
    host("engines.a")
    host("engines.b")
    first = place(job, "shared", 1)
    serve(first, used=2.9)
    assert place(another(), "shared", 1) == first
    serve(first, used=3.1)
    second = place(another(), "shared", 1)
    assert (second.id, first.host_queue, second.host_queue) == ("shared-2", "engines.a", "engines.b")
    serve(second, used=3.5)
    assert place(another(), "shared", 1) == first, "all are full: it waits there, with the reason"
    serve(first, used=1.0)
    assert place(another(), "shared", 1) == first


def test_a_standby_serves_where_there_is_room_and_not_on_a_full_host(
    job: Job, another: Callable[[], Job], settings: Settings
) -> None:
    settings.STANDBY = True
    host("engines.a")
    host("engines.b")
    first = place(job, "shared", 1)
    serve(first, used=1.0)
    ensure_standby()
    standby = Engine.objects.get(standby=True)
    assert standby.host_queue == "engines.b"
    serve(standby, used=3.5)
    serve(first, used=3.9)
    host("engines.c")
    assert place(another(), "shared", 1).host_queue == "engines.c"
    Engine.objects.filter(pk="shared-3").delete()
    serve(standby, used=0.2)
    assert place(another(), "shared", 1) == standby


def test_a_host_that_is_silent_or_sees_other_checkpoints_gets_no_engine(job: Job) -> None:
    host("engines.gone", cores=64, silent=GONE)
    host("engines.apart", cores=32, sees=False)
    host("engines.small", cores=1)
    assert roomiest_host() == "engines.small"
    assert place(job, "shared", 1).host_queue == "engines.small"


def test_a_load_that_is_old_does_not_count(job: Job) -> None:
    host("engines.a")
    serve(place(job, "shared", 1), used=3.9)
    Engine.objects.update(last_seen_at=timezone.now() - timedelta(minutes=1))
    assert [load.used for load in host_loads(timezone.now())] == [0.0]


def test_a_stopped_engine_starts_elsewhere_when_its_host_is_gone(job: Job) -> None:
    host("engines.a")
    engine = place(job, "dedicated", 1)
    Engine.objects.filter(pk=engine.pk).update(state="stopped", should_run=False)
    EngineHost.objects.update(heard_at=timezone.now() - GONE)
    host("engines.b")
    assert place(job, "dedicated", 1).host_queue == "engines.b"


def test_each_host_is_asked_for_by_its_own_queue(sent: list[tuple[object, ...]]) -> None:
    host("engines.a", silent=timedelta(seconds=11))
    host("engines.b")
    reconciler.reconcile()
    assert [command for command in sent if command[0] == NOTE_HOST] == [(NOTE_HOST, "engines.a")]


def test_a_host_that_was_heard_before_the_clock_was_set_back_is_asked(sent: list[tuple[object, ...]]) -> None:
    host("engines.a", silent=-timedelta(hours=1))
    for _ in range(2):
        reconciler.reconcile()
    assert [command for command in sent if command[0] == NOTE_HOST] == [(NOTE_HOST, "engines.a")]


def test_a_silent_host_is_asked_once_a_minute_and_gets_no_other_command(
    job: Job, sent: list[tuple[object, ...]]
) -> None:
    """What nobody takes from its queue fills Valkey."""
    host("engines.a")
    engine = place(job, "shared", 1)
    Engine.objects.filter(pk=engine.pk).update(state="ready")
    EngineHost.objects.update(heard_at=timezone.now() - timedelta(hours=1))
    host("engines.b")
    sent.clear()
    for _ in range(20):
        reconciler.reconcile()
    assert [command for command in sent if "engines.a" in command] == [(NOTE_HOST, "engines.a")]


def test_hosts_that_share_the_checkpoints_see_so(settings: Settings, tmp_path: Path) -> None:
    settings.CHECKPOINT_URL = (tmp_path / "shared folder").as_uri()
    for name in ("engines.a", "engines.b"):
        settings.HOST_QUEUE = name
        note_host()
    settings.CHECKPOINT_URL = (tmp_path / "another").as_uri()
    settings.HOST_QUEUE = "engines.c"
    note_host()
    assert dict(EngineHost.objects.values_list("queue", "sees_checkpoints")) == {
        "engines.a": True,
        "engines.b": True,
        "engines.c": False,
    }
    assert not (tmp_path / "another").exists()


def test_a_host_alone_may_begin_with_new_checkpoints(settings: Settings, tmp_path: Path) -> None:
    settings.HOST_QUEUE = "engines.a"
    for folder in ("old", "new"):
        settings.CHECKPOINT_URL = (tmp_path / folder).as_uri()
        note_host()
        assert EngineHost.objects.get().sees_checkpoints
    assert ReconcilerState.objects.get().checkpoints_mark


def test_an_object_store_is_the_same_for_all(settings: Settings) -> None:
    settings.CHECKPOINT_URL = "s3a://bucket/checkpoints"
    host("engines.a")
    settings.HOST_QUEUE = "engines.b"
    note_host()
    assert EngineHost.objects.get(pk="engines.b").sees_checkpoints


def test_engines_of_a_host_that_is_gone_move_and_their_runs_begin_again(
    job: Job, settings: Settings, sent: list[tuple[object, ...]], django_capture_on_commit_callbacks: Callable
) -> None:
    settings.STANDBY = True
    host("engines.there")
    run = running(job)
    dead = Engine.objects.get()
    elsewhere = {"host": "there", "pid": 1, "started_ticks": 1, "boot_id": "other"}
    ensure_standby()
    Engine.objects.update(state="ready", ready=True, handle=elsewhere, incarnation="old")
    with pytest.raises(CommandError, match=r"was heard \d+ s ago"):
        call_command("engine_hosts", forget="engines.there")
    EngineHost.objects.update(heard_at=timezone.now() - GONE)
    with pytest.raises(CommandError, match="No other engine host"):
        call_command("engine_hosts", forget="engines.there")
    assert EngineHost.objects.filter(pk="engines.there").exists(), "nothing has moved"
    host("engines.here")
    with django_capture_on_commit_callbacks(execute=True):
        call_command("engine_hosts", forget="engines.there")
    assert {queue for _, _, queue in sent} == {"engines.here"}
    assert set(Engine.objects.values_list("host_queue", flat=True)) == {"engines.here"}
    reconcile_engine(dead.id)
    moved = Run.objects.get(pk=run.pk)
    assert (moved.engine_id, moved.epoch, moved.desired) == (dead.id, 2, "running")
    assert not Engine.objects.get(standby=True).ready, "the standby was on that host, too"
    assert desired_run(run).host == "engines.there"
    assert desired_run(moved).host == "engines.here", "a process that was only cut off leaves it alone"


def standby_there(job: Job, settings: Settings) -> Run:
    """A run of shared-1 on this host, and a ready standby, shared-2, on another one, which is heard still."""
    settings.STANDBY = True
    host("engines.here")
    run = running(job)
    host("engines.there", cores=64)
    ensure_standby()
    Engine.objects.update(state="ready", ready=True, incarnation="inc-1", last_seen_at=timezone.now())
    assert Engine.objects.get(standby=True).host_queue == "engines.there"
    return run


def lose(queue: str = "engines.there") -> None:
    """The host has lost power: nobody notes that its engines are dead."""
    EngineHost.objects.filter(pk=queue).update(heard_at=timezone.now() - GONE)


@pytest.mark.usefixtures("silence")
def test_a_standby_on_a_host_that_is_silent_takes_over_nothing(job: Job, settings: Settings) -> None:
    run = standby_there(job, settings)
    lose()
    crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-1", 2)


@pytest.mark.usefixtures("silence")
def test_the_host_that_asks_is_there_however_late_its_answer(job: Job, settings: Settings) -> None:
    settings.STANDBY = True
    host("engines.here")
    run = running(job)
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-1")
    lose("engines.here")
    crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-2", 2)


@pytest.mark.usefixtures("silence")
def test_the_host_of_the_settings_may_be_the_one_that_is_gone(
    job: Job, another: Callable[[], Job], settings: Settings, sent: list[tuple[object, ...]]
) -> None:
    """On Kubernetes all roles are told the first pod's queue, and none of them but that pod runs there."""
    settings.STANDBY = True
    host("engines.here")
    run = running(job)
    serve(Engine.objects.get(), used=0.1)
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-1")
    lose("engines.here")
    host("engines.there")
    assert place(another(), "shared", 1).host_queue == "engines.there"
    crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-1", 2), "the standby is as dead"
    Job.objects.filter(pk=job.pk).update(desired="deleted")
    sent.clear()
    finish_deletions()
    assert [command[-1] for command in sent] == ["engines.there"]


def test_a_standby_on_a_host_that_is_silent_gets_no_run(
    job: Job, another: Callable[[], Job], settings: Settings
) -> None:
    standby_there(job, settings)
    lose()
    assert place(another(), "dedicated", 1).host_queue == "engines.here"
    Run.objects.update(slots=settings.ENGINE_SLOTS)
    placed = place(another(), "shared", 1)
    assert (placed.id, placed.host_queue) == ("shared-3", "engines.here")


def test_a_run_goes_to_no_engine_of_a_host_that_is_silent_while_another_is_heard(
    job: Job, another: Callable[[], Job]
) -> None:
    host("engines.there")
    first = place(job, "shared", 1)
    serve(first, used=0.1)
    lose()
    assert place(another(), "shared", 1) == first, "there is nothing better"
    host("engines.here")
    assert place(another(), "shared", 1).host_queue == "engines.here"


@pytest.mark.usefixtures("silence")
def test_a_hand_over_to_an_engine_of_a_host_that_is_silent_is_given_up(job: Job, settings: Settings) -> None:
    run = standby_there(job, settings)
    assert hand_over("shared-1").id == "shared-2"
    lose()
    run.refresh_from_db()
    apply_report(state_report(run, "stopped"))
    assert not finish_handover("shared-1")
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine.host_queue, run.epoch) == ("engines.here", 2)
    assert Engine.objects.get(pk="shared-1").successor is None


@pytest.mark.usefixtures("silence")
def test_a_retry_does_not_begin_on_a_host_that_is_silent(job: Job) -> None:
    host("engines.there")
    run = running(job)
    host("engines.here")
    lose()
    Run.objects.update(observed="failed", retry_at=timezone.now())
    _retry_failed(timezone.now())
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine.host_queue, run.epoch) == ("engines.here", 2)


def test_an_isolation_engine_on_a_host_that_is_silent_tries_nothing(job: Job, settings: Settings) -> None:
    host("engines.there")
    serve(isolation_engine(), used=0.1)
    assert isolation_engine().id == "isolation-1"
    host("engines.here")
    lose()
    tries = isolation_engine()
    assert (tries.id, tries.host_queue) == ("isolation-2", "engines.here")


def test_a_preview_asks_no_engine_of_a_host_that_is_silent(
    job: Job, workspace: Workspace, settings: Settings
) -> None:
    standby_there(job, settings)
    assert {engine.id for engine in ready_engines(workspace)} == {"shared-1", "shared-2"}
    lose()
    assert {engine.id for engine in ready_engines(workspace)} == {"shared-1"}


def test_the_command_says_of_each_host_what_it_does(capsys: pytest.CaptureFixture[str], job: Job) -> None:
    host("engines.a")
    host("engines.apart", sees=False)
    host("engines.gone", silent=GONE)
    place(job, "shared", 1)
    call_command("engine_hosts")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("engines.a: 1 engine, 1.0 of 4 cores in use, heard ")
    assert "does not see the checkpoints of the others" in lines[1]
    assert "silent, takes no engine" in lines[2]


def test_a_silent_host_keeps_no_deletion_waiting_for_an_engine_that_has_ended(
    job: Job, settings: Settings, sent: list[tuple[object, ...]]
) -> None:
    settings.HOST_QUEUE = "engines.b"
    host("engines.gone", silent=GONE)
    host("engines.b")
    Engine.objects.create(id=dedicated_engine_id(job), kind="dedicated", host_queue="engines.gone", slots=4)
    Job.objects.filter(pk=job.pk).update(desired="deleted")
    for state, queues in (("ready", []), ("stopped", ["engines.b"])):
        Engine.objects.update(state=state)
        sent.clear()
        finish_deletions()
        assert [command[-1] for command in sent] == queues


def test_a_stopped_engine_of_a_silent_host_is_not_asked_to_start(
    job: Job, sent: list[tuple[object, ...]]
) -> None:
    host("engines.a")
    place(job, "shared", 1)
    EngineHost.objects.update(heard_at=timezone.now() - GONE)
    ReconcilerState.objects.update_or_create(pk=1, defaults={"broker_answers_since": timezone.now()})
    sent.clear()
    reconciler._start_stopped()
    assert sent == []


def lose_checkpoints(queue: str = "engines.there") -> None:
    """The host is there, but its checkpoints are not mounted any more."""
    EngineHost.objects.filter(pk=queue).update(sees_checkpoints=False)


@pytest.mark.usefixtures("silence")
def test_a_standby_on_a_host_that_has_lost_the_checkpoints_gets_no_run(
    job: Job, another: Callable[[], Job], settings: Settings
) -> None:
    run = standby_there(job, settings)
    lose_checkpoints()
    assert place(another(), "dedicated", 1).host_queue == "engines.here"
    crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-1", 2)


def test_a_run_goes_to_no_engine_of_a_host_that_has_lost_the_checkpoints_while_another_sees_them(
    job: Job, another: Callable[[], Job]
) -> None:
    host("engines.there")
    first = place(job, "shared", 1)
    serve(first, used=0.1)
    serve(isolation_engine(), used=0.1)
    lose_checkpoints()
    assert place(another(), "shared", 1) == first, "there is nothing better"
    host("engines.here")
    assert place(another(), "shared", 1).host_queue == "engines.here"
    assert isolation_engine().host_queue == "engines.here"


@pytest.mark.usefixtures("silence")
def test_a_host_that_has_lost_the_checkpoints_starts_no_engine_and_its_runs_begin_elsewhere(
    job: Job, started: list[ProcessHandle]
) -> None:
    host("engines.here")
    run = running(job)
    host("engines.there")
    lose_checkpoints("engines.here")
    crash("shared-1")
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine.host_queue, run.epoch) == ("engines.there", 2)
    assert started == []
    EngineHost.objects.update(sees_checkpoints=True)
    reconcile_engine("shared-1")
    assert len(started) == 1


@pytest.mark.usefixtures("silence")
def test_an_engine_of_a_jobs_own_moves_from_a_host_that_has_lost_the_checkpoints_once_it_has_ended(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    job = job_of(workspace, owner, f"{DOCUMENT}settings: {{engine: dedicated}}\n")
    host("engines.here")
    run = running(job, "dedicated")
    host("engines.there")
    lose_checkpoints("engines.here")
    crash(dedicated_engine_id(job))
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.engine_id, run.engine.host_queue) == (dedicated_engine_id(job), "engines.there")
    assert started == []
