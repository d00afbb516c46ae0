"""A run that was let in once keeps its place through interruptions; one that still waits asks again."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from jobs.kafka_messages import Failure, ProcessHandle
from tests.support.run_factories import DOCUMENT, job_of, running, state_report
from weir.runs.models import Engine, Observed, Run
from weir.runs.services import processes
from weir.runs.services.engine_ends import note_host_ended
from weir.runs.services.engines import reconcile_engine
from weir.runs.services.epochs import restart
from weir.runs.services.handover import hand_over
from weir.runs.services.reconciler import _retry_failed
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.standby import ensure_standby
from weir.runs.services.states import note_state
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def crash(run: Run) -> None:
    Engine.objects.filter(pk=run.engine_id).update(handle=None, last_command_at=None)
    reconcile_engine(run.engine_id or "")


def stop_of_the_system(run: Run) -> None:
    note_host_ended(publish=False)


def handing_over(run: Run) -> None:
    ensure_standby()
    Engine.objects.filter(standby=True).update(state="ready", ready=True, incarnation="inc-2")
    hand_over(run.engine_id or "")
    run.refresh_from_db()
    apply_report(state_report(run, "stopped"))


def restart_of_a_live_run(run: Run) -> None:
    assert run.engine is not None
    restart(run, run.engine)
    note_state(run, Observed.STOPPED)


def retry(run: Run) -> None:
    note_state(run, Observed.FAILED, Failure(code="ENGINE_ERROR", message="A passing one."))
    _retry_failed(timezone.now() + timedelta(minutes=1))


Interruption = Callable[[Run], None]
INTERRUPTIONS: list[Interruption] = [crash, stop_of_the_system, handing_over, restart_of_a_live_run, retry]


@pytest.fixture(autouse=True)
def no_process_is_ended(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.STANDBY = True
    monkeypatch.setattr(processes, "end", lambda *_, **__: None)


def reported(owner: User, workspace: Workspace, *states: str) -> Run:
    """A run in its first epoch, whose engine has reported these states."""
    run = running(job_of(workspace, owner), state="starting")
    for state in states:
        apply_report(state_report(run, state))
    return Run.objects.select_related("engine", "generation__job__workspace").get(pk=run.pk)


@pytest.mark.parametrize("interrupt", INTERRUPTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    ("states", "admitted"),
    [
        (("starting",), False),
        (("starting", "queued"), False),
        (("starting", "waiting"), False),  # a cluster did not answer before the run was let in
        (("starting", "running"), True),
        (("starting", "replaying", "waiting"), True),
    ],
    ids=lambda each: ",".join(each) if isinstance(each, tuple) else str(each),
)
def test_only_a_run_that_was_let_in_does_not_ask_for_capacity_again(
    owner: User,
    workspace: Workspace,
    started: list[ProcessHandle],
    interrupt: Interruption,
    states: tuple[str, ...],
    admitted: bool,
) -> None:
    run = reported(owner, workspace, *states)
    interrupt(run)
    run.refresh_from_db()
    assert (run.epoch, run.observed) == (2, "starting")
    assert desired_run(run).recovering is admitted
    Engine.objects.filter(pk=run.engine_id).update(state="ready")
    stop_of_the_system(run)
    run.refresh_from_db()
    assert (run.epoch, desired_run(run).recovering) == (3, admitted), "and so after the next one"


def test_a_person_who_starts_a_stopped_job_takes_a_new_place(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    run = reported(owner, workspace, "running", "stopped")
    assert run.engine is not None
    restart(run, run.engine)
    run.refresh_from_db()
    assert desired_run(run).recovering is False


def test_a_run_whose_engine_had_too_few_slots_is_placed_anew(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    """There it would fail as before, and spend what it may."""
    settings.ENGINE_SLOTS = 4  # of which runs hold three, as many as one of these needs
    run = running(job_of(workspace, owner))
    other = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: others")))
    assert other.engine_id != run.engine_id
    Run.objects.update(engine=run.engine, slots=3)  # as if both had been placed at once
    other.refresh_from_db()
    note_state(other, Observed.FAILED, Failure(code="OUT_OF_SLOTS", message="Too few."))
    _retry_failed(timezone.now() + timedelta(minutes=1))
    other.refresh_from_db()
    assert (other.observed, other.epoch, other.engine_id == run.engine_id) == ("starting", 2, False)
