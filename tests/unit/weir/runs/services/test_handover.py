"""An engine hands its runs over to the standby, run by run, and becomes the next standby."""

import time

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from jobs.base.instants import instant_of
from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import DOCUMENT, job_of, running, state_report
from tests.support.users import create_user, workspace_of
from weir.runs.models import Engine, Execution, Run
from weir.runs.services import processes
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.handover import finish_handover, hand_over, replace_engine
from weir.runs.services.needed_engines import retire_idle_engines
from weir.runs.services.placement import place
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.standby import ensure_standby
from weir.runs.services.stop import stop_job
from weir.workspaces.errors import ConflictError, NotFoundError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture(autouse=True)
def standby_wanted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A standby is wanted; no process is ended."""
    settings.STANDBY = True
    monkeypatch.setattr(processes, "end", lambda *_, **__: None)


@pytest.fixture
def run(owner: User, workspace: Workspace, started: list[ProcessHandle]) -> Run:
    """A run on shared-1, with a ready standby, shared-2, beside it."""
    assert started == []
    found = running(job_of(workspace, owner))
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-2")
    return found


def now(run: Run) -> Run:
    return Run.objects.select_related("generation__job__workspace", "engine").get(pk=run.pk)


def test_a_run_is_to_stop_at_the_end_of_a_batch_and_its_successor_hears_of_it(run: Run) -> None:
    assert hand_over("shared-1").id == "shared-2"
    message = desired_run(now(run))
    assert (message.engine_id, message.state, message.epoch, message.successor_id) == (
        "shared-1", "stopped", 1, "shared-2",
    )  # fmt: skip
    assert now(run).observed == "running", "it still is"
    assert hand_over("shared-1").id == "shared-2", "again is no error"
    assert now(run).revision == 2


def test_the_next_epoch_begins_on_the_successor_once_the_stop_is_reported(run: Run) -> None:
    hand_over("shared-1")
    apply_report(state_report(now(run), "stopped"))
    moved = now(run)
    assert (moved.engine_id, moved.epoch, moved.observed, moved.awaiting_stop) == (
        "shared-2", 2, "starting", False,
    )  # fmt: skip
    message = desired_run(moved)
    assert (message.engine_id, message.state, message.successor_id) == ("shared-2", "running", None)
    assert Execution.objects.get(run=run, epoch=1).end_reason == "Moved to another engine."


def test_a_new_run_is_placed_on_the_successor_and_no_other_standby_is_made(
    run: Run, owner: User, workspace: Workspace
) -> None:
    hand_over("shared-1")
    ensure_standby()
    assert Engine.objects.count() == 2
    other = job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other"))
    assert place(other, "shared", 3).id == "shared-2"


def test_once_all_have_moved_the_engine_is_started_again_as_standby(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = ProcessHandle(host="h", pid=1, started_ticks=1, boot_id="b")
    Engine.objects.filter(pk="shared-1").update(handle=handle.model_dump())
    monkeypatch.setattr(processes, "is_alive", lambda _: True)
    hand_over("shared-1")
    reconcile_engine("shared-1")
    retire_idle_engines(now(run).observed_since)
    engine = Engine.objects.get(pk="shared-1")
    assert (engine.standby, engine.state, engine.should_run) == (False, "ready", True), "it has a run"
    apply_report(state_report(now(run), "stopped"))
    reconcile_engine("shared-1")
    engine.refresh_from_db()
    assert (engine.standby, engine.state, engine.successor, engine.should_run) == (
        True, "stopping", None, True,
    )  # fmt: skip


def test_a_crash_in_between_leads_to_the_successor_too(run: Run) -> None:
    hand_over("shared-1")
    Engine.objects.filter(pk="shared-1").update(handle=None)
    reconcile_engine("shared-1")
    assert (now(run).engine_id, now(run).epoch) == ("shared-2", 2)
    engine = Engine.objects.get(pk="shared-1")
    assert (engine.standby, engine.successor) == (True, None)


def test_an_engine_that_crashes_for_good_meanwhile_hands_nothing_over_any_more(run: Run) -> None:
    hand_over("shared-1")
    crashes = [instant_of(timezone.now())] * 4
    Engine.objects.filter(pk="shared-1").update(state="starting", handle=None, crashes=crashes)
    reconcile_engine("shared-1")
    engine = Engine.objects.get(pk="shared-1")
    assert (engine.state, engine.successor, engine.standby) == ("failed", None, False)
    ensure_standby()
    assert Engine.objects.filter(standby=True).count() == 1, "the next is made"


def test_an_engine_that_dies_after_its_last_run_has_moved_is_the_next_standby(run: Run) -> None:
    hand_over("shared-1")
    apply_report(state_report(now(run), "stopped"))
    Engine.objects.filter(pk="shared-1").update(handle=None)
    reconcile_engine("shared-1")
    engine = Engine.objects.get(pk="shared-1")
    assert (engine.standby, engine.successor) == (True, None)
    assert (now(run).engine_id, now(run).epoch) == ("shared-2", 2)


def test_a_successor_that_dies_leaves_the_runs_where_they_are(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = ProcessHandle(host="h", pid=1, started_ticks=1, boot_id="b")
    Engine.objects.filter(pk="shared-1").update(handle=handle.model_dump())
    hand_over("shared-1")
    Engine.objects.filter(pk="shared-2").update(state="lost")
    monkeypatch.setattr(processes, "is_alive", lambda _: True)
    reconcile_engine("shared-1")
    engine = Engine.objects.get(pk="shared-1")
    assert (engine.successor, engine.standby, engine.state) == (None, False, "ready")
    apply_report(state_report(now(run), "stopped"))
    assert (now(run).engine_id, now(run).epoch) == ("shared-1", 2), "it was asked to stop, and goes on"


def test_a_job_that_is_stopped_meanwhile_stops_at_once_and_does_not_move(run: Run, owner: User) -> None:
    hand_over("shared-1")
    stop_job(run.generation.job, owner)
    message = desired_run(now(run))
    assert (message.state, message.successor_id) == ("stopped", None)
    apply_report(state_report(now(run), "stopped"))
    assert (now(run).engine_id, now(run).epoch, now(run).observed) == ("shared-1", 1, "stopped")


@pytest.mark.parametrize("engine_id", ["shared-2", "shared-9", "isolation-1"])
def test_only_an_engine_that_serves_hands_over(run: Run, engine_id: str) -> None:
    with pytest.raises(ConflictError) as refusal:
        hand_over(engine_id)
    assert refusal.value.code == "NOT_SERVING"


def test_a_person_replaces_an_engine_that_runs_jobs_of_their_workspace_alone(
    run: Run, owner: User, workspace: Workspace
) -> None:
    other = workspace_of(create_user("bob"), "other")
    with pytest.raises(ConflictError) as refusal:
        replace_engine(other, "shared-1", None)
    assert refusal.value.code == "ENGINE_SHARED"
    assert Engine.objects.get(pk="shared-1").successor is None
    with pytest.raises(NotFoundError):
        replace_engine(other, "dedicated-1", None)
    assert replace_engine(workspace, "shared-1", owner).id == "shared-2"
    assert workspace.events.filter(kind="engine", subject="shared-1", action="changed").count() == 1


def test_without_a_ready_standby_nothing_is_moved(run: Run) -> None:
    Engine.objects.filter(pk="shared-2").update(ready=False)
    with pytest.raises(ConflictError) as refusal:
        hand_over("shared-1")
    assert refusal.value.code == "NO_STANDBY"
    assert not now(run).awaiting_stop


def test_a_run_that_came_when_the_hand_over_began_moves_too(
    run: Run, owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "is_alive", lambda _: True)
    handle = ProcessHandle(host="h", pid=1, started_ticks=1, boot_id="b")
    Engine.objects.filter(pk="shared-1").update(handle=handle.model_dump())
    hand_over("shared-1")
    late = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: late")))
    Run.objects.filter(pk=late.pk).update(engine="shared-1")  # written when the hand-over was not seen yet
    apply_report(state_report(now(run), "stopped"))
    reconcile_engine("shared-1")
    apply_report(state_report(now(late), "stopped"))
    assert now(late).engine_id == "shared-2"
    reconcile_engine("shared-1")
    assert Engine.objects.get(pk="shared-1").standby


def test_the_command_says_that_the_hand_over_was_given_up(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lose_successor(_seconds: float) -> None:
        """Meanwhile the successor's host is gone, and the engine's worker sees it."""
        Engine.objects.filter(pk="shared-2").update(state="lost")
        finish_handover("shared-1")

    monkeypatch.setattr(time, "sleep", lose_successor)
    with pytest.raises(CommandError, match=r"given up: shared-2 is gone\. The runs go on at shared-1"):
        call_command("replace_engine", "shared-1", wait=60)
    assert "All runs have moved" not in capsys.readouterr().out


def test_the_command_says_that_all_runs_have_moved(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def move(_seconds: float) -> None:
        apply_report(state_report(now(run), "stopped"))
        finish_handover("shared-1")

    monkeypatch.setattr(time, "sleep", move)
    call_command("replace_engine", "shared-1", wait=60)
    assert "All runs have moved" in capsys.readouterr().out
