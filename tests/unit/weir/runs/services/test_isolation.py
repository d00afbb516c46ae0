"""Which of its runs ends a shared engine is found out one by one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.kafka_messages import ProcessHandle
from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, Execution, Run
from weir.runs.services.engines import note_host_ended, reconcile_engine
from weir.runs.services.epochs import restart
from weir.runs.services.isolation import advance_isolation
from weir.runs.services.placement import ISOLATION_ENGINE, WARM_ENGINE, place
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.states import note_state
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def two_runs(owner: User, workspace: Workspace) -> tuple[Run, Run]:
    return running(job_of(workspace, owner)), running(
        job_of(workspace, owner, DOCUMENT.replace("name: stats", "name: other"))
    )


def crash(engine_id: str, times: int = 1) -> None:
    """The engine's process is seen dead."""
    for _ in range(times):
        Engine.objects.filter(pk=engine_id).update(
            state="starting", handle=None, retry_at=None, incarnation="gone", last_command_at=None
        )
        reconcile_engine(engine_id)


def later(seconds: int) -> None:
    advance_isolation(timezone.now() + timedelta(seconds=seconds))


def test_the_first_crash_puts_nobody_on_trial(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE)
    for run in (one, two):
        run.refresh_from_db()
        assert (run.isolation, run.epoch, run.engine_id) == ("", 2, WARM_ENGINE)


def test_after_the_second_they_wait_and_no_engine_is_told_to_run_them(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    for run in (one, two):
        run.refresh_from_db()
        assert (run.isolation, run.observed, run.engine_id) == ("queued", "failed", None)
        assert "one at a time" in run.failure["message"]
        assert desired_run(run).engine_id == ""


def test_one_at_a_time_and_who_ends_it_is_never_shared_again(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    later(0)
    later(1)
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.isolation, one.engine_id, one.observed) == ("active", ISOLATION_ENGINE, "starting")
    assert two.isolation == "queued"
    crash(ISOLATION_ENGINE)
    one.refresh_from_db()
    assert (one.observed, one.isolation, one.engine_id, one.retry_at) == ("failed", "", None, None)
    assert "crashes its engine" in one.failure["message"]
    assert Execution.objects.filter(run=one, ended_at__isnull=True).count() == 0
    job = one.generation.job
    job.refresh_from_db()
    assert place(job, "shared", 1).kind == "dedicated"
    later(2)
    two.refresh_from_db()
    assert (two.isolation, two.engine_id) == ("active", ISOLATION_ENGINE)


def test_who_runs_for_a_minute_goes_back(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    later(0)
    one.refresh_from_db()
    note_state(one, "running")
    later(30)
    one.refresh_from_db()
    assert (one.isolation, one.awaiting_stop) == ("active", False)
    later(90)
    one.refresh_from_db()
    assert (one.isolation, one.awaiting_stop, desired_run(one).state) == ("", True, "stopped")
    later(91)
    two.refresh_from_db()
    assert two.isolation == "queued", "the isolation engine is not free yet"
    note_state(one, "stopped")
    one.refresh_from_db()
    assert (one.engine_id, one.observed) == (WARM_ENGINE, "starting")
    later(92)
    two.refresh_from_db()
    assert two.isolation == "active"


def test_the_queue_goes_on_when_the_isolation_engine_is_stopped_under_a_run(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    later(0)
    one.refresh_from_db()
    note_state(one, "stopped")  # with its engine, which was idle a moment ago
    later(1)
    Engine.objects.filter(pk=ISOLATION_ENGINE).update(state="ready")
    note_host_ended(publish=False)
    one.refresh_from_db()
    assert (one.engine_id, one.observed, one.epoch) == (ISOLATION_ENGINE, "starting", 4)
    note_state(one, "running")
    later(90)
    one.refresh_from_db()
    note_state(one, "stopped")
    one.refresh_from_db()
    assert (one.engine_id, one.isolation) == (WARM_ENGINE, "")
    later(91)
    two.refresh_from_db()
    assert two.isolation == "active"


def test_a_run_that_stays_on_the_isolation_engine_is_tried_and_goes_back(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, two = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    later(0)
    one.refresh_from_db()
    note_state(one, "running")
    Run.objects.filter(pk=one.pk).update(isolation="")
    later(90)
    one.refresh_from_db()
    assert one.awaiting_stop
    note_state(one, "stopped")
    later(91)
    two.refresh_from_db()
    assert two.isolation == "active"


def test_whoever_starts_the_job_again_ends_its_trial(
    owner: User, workspace: Workspace, started: list[ProcessHandle]
) -> None:
    one, _ = two_runs(owner, workspace)
    crash(WARM_ENGINE, 2)
    one.refresh_from_db()
    restart(one, place(one.generation.job, "shared", 1))
    one.refresh_from_db()
    assert (one.isolation, one.engine_id, one.observed) == ("", WARM_ENGINE, "starting")
