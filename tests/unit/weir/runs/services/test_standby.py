"""The standby engine takes over the runs of a shared engine that dies, and takes nothing from them before."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import ProcessHandle
from tests.support.engine_crashes import crash, end
from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, heartbeat, job_of, running
from weir.runs.models import Engine, Execution, Run
from weir.runs.services import start
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.handover import finish_handover, hand_over
from weir.runs.services.isolation import advance_isolation
from weir.runs.services.needed_engines import retire_idle_engines
from weir.runs.services.placement import place, shared_candidate, slots_for_runs
from weir.runs.services.reconciler import _retry_failed
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.standby import ensure_standby
from weir.runs.services.start import start_job
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


@pytest.fixture(autouse=True)
def published(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Ids of the runs that were published; a standby is wanted."""
    settings.STANDBY = True
    found: list[str] = []
    monkeypatch.setattr(
        "weir.runs.services.run_publisher.publish", lambda _topic, values: found.extend(values)
    )
    return found


@pytest.fixture
def run(owner: User, workspace: Workspace, started: list[ProcessHandle]) -> Run:
    assert started == []  # the fixture sets this host's queue, which engines get when they are placed
    return running(job_of(workspace, owner))


def ready_standby() -> Engine:
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-2")
    return Engine.objects.get(standby=True)


def test_there_is_one_as_soon_as_an_engine_serves(run: Run) -> None:
    Engine.objects.update(state="starting")
    ensure_standby()
    assert Engine.objects.filter(standby=True).count() == 0
    Engine.objects.update(state="ready")
    ensure_standby()
    ensure_standby()
    standby = Engine.objects.get(standby=True)
    assert (standby.id, standby.kind, standby.state, standby.should_run) == (
        "shared-2",
        "shared",
        "stopped",
        True,
    )


def test_its_process_waits_while_runs_start_but_not_for_ever(run: Run, started: list[ProcessHandle]) -> None:
    ensure_standby()
    Run.objects.update(observed="replaying", observed_since=timezone.now() - timedelta(seconds=30))
    reconcile_engine("shared-2")
    assert started == []
    Run.objects.update(observed_since=timezone.now() - timedelta(seconds=61))
    reconcile_engine("shared-2")
    assert len(started) == 1


@pytest.mark.parametrize(
    "change",
    [{"freshness_ms": 400}, {"observed_since": timezone.now() - timedelta(hours=1)}],
    ids=["there are rows", "a minute is over"],
)
def test_its_process_waits_for_the_first_rows_of_runs_but_not_for_ever(
    run: Run, started: list[ProcessHandle], change: dict[str, object]
) -> None:
    ensure_standby()
    Run.objects.update(observed="running", observed_since=timezone.now() - timedelta(seconds=30))
    reconcile_engine("shared-2")
    assert started == []
    Run.objects.update(**change)
    reconcile_engine("shared-2")
    assert len(started) == 1


def test_when_both_begin_together_the_engine_that_serves_comes_first(
    run: Run, started: list[ProcessHandle]
) -> None:
    long_ago = timezone.now() - timedelta(hours=8)
    ensure_standby()
    Run.objects.update(observed="starting", observed_since=long_ago)  # since the system was stopped
    Engine.objects.filter(pk="shared-1").update(state="stopped", started_at=long_ago)
    reconcile_engine("shared-2")
    assert started == [], "the engine that serves is still to be started"
    Engine.objects.filter(pk="shared-1").update(state="ready", started_at=timezone.now())
    reconcile_engine("shared-2")
    assert started == [], "its runs are starting"
    Run.objects.update(observed="running", freshness_ms=400)
    reconcile_engine("shared-2")
    assert len(started) == 1


def test_the_runs_of_a_dead_engine_are_told_to_it_at_once(
    run: Run, started: list[ProcessHandle], published: list[str], django_capture_on_commit_callbacks: object
) -> None:
    ready_standby()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]  # a pytest-django fixture
        crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch, run.observed) == ("shared-2", 2, "starting")
    assert (desired_run(run).engine_id, desired_run(run).state) == ("shared-2", "running")
    assert published[0] == run.id
    assert Execution.objects.get(run=run, epoch=2).engine_id == "shared-2"


def test_the_dead_engine_is_the_next_standby_and_waits_until_its_runs_have_caught_up(
    run: Run, started: list[ProcessHandle]
) -> None:
    ready_standby()
    crash("shared-1")
    dead = Engine.objects.get(pk="shared-1")
    assert (dead.standby, dead.state, started) == (True, "lost", [])
    Run.objects.update(observed="running", freshness_ms=400)
    reconcile_engine("shared-1")
    assert len(started) == 1
    candidate = shared_candidate()
    assert candidate is not None
    assert candidate.id == "shared-2"


def waits_for_its_retry(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(observed="failed", retry_at=timezone.now())


def test_a_run_that_waits_for_its_retry_goes_on_where_the_others_are(
    run: Run, owner: User, workspace: Workspace
) -> None:
    running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other")))
    ready_standby()
    waits_for_its_retry(run)
    crash("shared-1")
    Engine.objects.filter(pk="shared-1").update(state="ready", ready=True)  # the next standby
    _retry_failed(timezone.now())
    run.refresh_from_db()
    assert (run.engine_id, run.epoch, run.observed) == ("shared-2", 2, "starting")


def test_a_run_that_waits_for_its_retry_goes_on_elsewhere_when_its_engine_hands_over(run: Run) -> None:
    ready_standby()
    waits_for_its_retry(run)
    hand_over("shared-1")
    _retry_failed(timezone.now())
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-2", 2)
    assert finish_handover("shared-1"), "nothing is left to wait for"


def test_a_run_that_waits_for_its_retry_does_not_start_on_an_engine_that_has_failed(run: Run) -> None:
    waits_for_its_retry(run)
    Engine.objects.filter(pk="shared-1").update(state="failed")
    _retry_failed(timezone.now())
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.observed, run.engine.state, run.engine.should_run) == ("starting", "stopped", True), (
        "it is started once more"
    )


def test_no_job_gets_a_standby_of_its_own_that_a_run_waits_on(
    run: Run, owner: User, workspace: Workspace
) -> None:
    waits_for_its_retry(run)
    Engine.objects.filter(pk="shared-1").update(standby=True, state="ready", ready=True)
    other = job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other"))
    assert place(other, "dedicated", 3).id == f"dedicated-{other.id}"


def test_crashes_follow_the_runs_so_that_a_run_that_kills_engines_is_isolated(
    run: Run, started: list[ProcessHandle]
) -> None:
    ready_standby()
    crash("shared-1")
    Engine.objects.filter(pk="shared-1").update(state="ready", ready=True)  # the next standby
    crash("shared-2")
    run.refresh_from_db()
    assert (run.isolation, run.engine_id) == ("queued", None)
    assert Engine.objects.get(standby=True).id == "shared-1", (
        "it does not serve beside a run that kills engines"
    )
    advance_isolation(timezone.now())
    run.refresh_from_db()
    assert run.engine is not None
    assert (run.isolation, run.engine.id, run.engine.kind) == ("active", "shared-1", "isolation")
    assert place(run.generation.job, "shared", 3).id == "shared-2"


def test_one_that_is_not_ready_takes_over_nothing(run: Run, started: list[ProcessHandle]) -> None:
    ensure_standby()
    crash("shared-1")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-1", 2)
    assert len(started) == 1


def test_a_standby_that_dies_is_started_again(run: Run, started: list[ProcessHandle]) -> None:
    standby = ready_standby()
    Run.objects.update(freshness_ms=400)
    crash(standby.id)
    standby.refresh_from_db()
    assert (standby.standby, standby.state) == (True, "starting")
    run.refresh_from_db()
    assert (run.engine_id, run.epoch) == ("shared-1", 1)


def test_no_run_is_placed_on_it_but_one_that_would_need_a_new_engine(
    run: Run, owner: User, workspace: Workspace, settings: Settings
) -> None:
    ready_standby()
    other = job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other"))
    assert place(other, "shared", 3).id == "shared-1"
    Run.objects.update(slots=slots_for_runs(settings.ENGINE_SLOTS) - 10)
    placed = place(other, "shared", 20)
    assert (placed.id, placed.standby) == ("shared-2", False)
    ensure_standby()
    assert Engine.objects.get(standby=True).id == "shared-3"


def test_it_is_kept_while_idle_and_retired_when_it_is_not_wanted_any_more(
    run: Run, settings: Settings
) -> None:
    standby = ready_standby()
    later = timezone.now() + timedelta(hours=1)
    retire_idle_engines(later)
    standby.refresh_from_db()
    assert standby.should_run
    settings.STANDBY = False
    ensure_standby()
    retire_idle_engines(later)
    standby.refresh_from_db()
    assert (standby.standby, standby.should_run) == (False, False)


def test_a_standby_takes_over_from_engines_that_are_killed_however_often(
    run: Run, started: list[ProcessHandle]
) -> None:
    ready_standby()
    for number in range(20):  # as in the benchmark of recovery
        run.refresh_from_db()
        serving, standby = run.engine_id, Engine.objects.get(standby=True).id
        Engine.objects.filter(pk=standby).update(state="ready", ready=True)
        end(serving or "")
        run.refresh_from_db()
        assert (run.engine_id, run.epoch, run.isolation) == (standby, 2 + number, "")
        assert Engine.objects.get(pk=standby).crashes == []


def test_when_the_kernel_takes_engine_and_standby_nobody_is_tried(
    run: Run, started: list[ProcessHandle]
) -> None:
    ready_standby()
    end("shared-1", memory_kill=True)
    end("shared-2", memory_kill=True)
    run.refresh_from_db()
    assert (run.isolation, run.observed, run.epoch) == ("", "starting", 3)


def test_a_standby_that_cannot_start_is_tried_less_and_less_often_and_stays_the_only_one(
    run: Run, started: list[ProcessHandle]
) -> None:
    ensure_standby()
    moment, pauses, failures = timezone.now(), list[timedelta](), list[str]()
    for _ in range(10):
        Engine.objects.filter(standby=True).update(
            state="starting", handle=None, incarnation="gone", last_command_at=None
        )
        reconcile_engine("shared-2", moment)
        standby = Engine.objects.get(standby=True)
        assert standby.id == "shared-2"
        failures.append((standby.failure or {})["message"])
        if standby.state == "failed":
            assert standby.retry_at is not None
            pauses.append(standby.retry_at - moment)
            ensure_standby(moment)
            assert Engine.objects.get(standby=True).state == "failed", "not before that"
            moment = standby.retry_at
            ensure_standby(moment)
            assert Engine.objects.get(standby=True).state == "stopped"
    assert [pause // timedelta(minutes=1) for pause in pauses] == [5, 10, 20, 40, 60, 60]
    assert failures[-1] == "Engine ended before it was ready, 10 times in a row."
    Engine.objects.filter(standby=True).update(state="starting", incarnation="inc-3")
    apply_report(heartbeat(Engine.objects.get(standby=True), incarnation="inc-3"))
    standby = Engine.objects.get(standby=True)
    assert (standby.state, standby.failed_starts, standby.retry_at) == ("ready", 0, None)


def test_a_start_that_is_refused_takes_it_from_nobody(
    run: Run, owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet_topics(monkeypatch)
    monkeypatch.setattr(start, "confirm_topics", lambda streams: streams)
    ready_standby()
    document = DOCUMENT.replace("name: stats", "name: other") + "settings: {engine: dedicated}\n"
    with pytest.raises(ServiceError):
        start_job(job_of(workspace, owner, document), owner, "resume")
    assert Engine.objects.get(standby=True).id == "shared-2"
