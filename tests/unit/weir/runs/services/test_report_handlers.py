"""What engines report becomes what people see, and nothing that is over speaks again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.engine.failures import failure_of
from jobs.kafka_messages import Failure, PartitionProgress, PositionsReport, ProgressReport
from jobs.run_states import UNKNOWN
from tests.support.run_factories import job_of, now_us, running, state_report
from weir.runs.models import Desired, Engine, Execution, Observed, Run
from weir.runs.services.engine_ends import interrupted_runs, release_runs
from weir.runs.services.epochs import restart
from weir.runs.services.queries import jobs_json
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.stop import stop_job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


def test_a_state_is_noted_with_its_time(run: Run) -> None:
    apply_report(state_report(run, "waiting"))
    run.refresh_from_db()
    assert (run.observed, run.shown_state(None)) == ("waiting", "waiting")
    assert run.last_seen_at is not None


def test_silence_makes_a_live_state_unknown_and_leaves_an_ended_one(run: Run) -> None:
    apply_report(state_report(run, "running"))
    run.refresh_from_db()
    later = timezone.now() + timedelta(seconds=9)
    assert run.shown_state(None, later) == UNKNOWN
    assert run.shown_state(later, later) == UNKNOWN
    assert run.shown_state(timezone.now(), later) == "running", "the relay has not read that far"
    run.observed = Observed.STOPPED
    assert run.shown_state(later, later) == "stopped"


@pytest.mark.parametrize("change", [{"state": "failed"}, {"state": "lost"}, {"incarnation": "inc-2"}])
def test_what_a_process_said_before_it_died_does_not_revive_its_run(run: Run, change: dict[str, str]) -> None:
    """It may be read after the end of the process was noted."""
    Engine.objects.update(**change)
    Run.objects.update(observed="failed", failure={"code": "ENGINE_ERROR", "message": "It crashed."})
    apply_report(state_report(run, "running"))
    run.refresh_from_db()
    assert (run.observed, run.failure["message"]) == ("failed", "It crashed.")


def test_a_report_of_another_engine_says_nothing(run: Run) -> None:
    forged = state_report(run, "failed").model_copy(update={"engine_id": "other"})
    apply_report(forged)
    run.refresh_from_db()
    assert run.observed == "running"


def test_a_failure_is_tried_again_until_the_budget_is_spent(run: Run) -> None:
    failure = Failure(code="ENGINE_ERROR", message="It broke.", raw="trace")
    for attempt in range(5):
        Run.objects.update(observed="running")
        apply_report(state_report(run, "failed", failure))
        run.refresh_from_db()
        assert (run.retry_at is None) == (attempt == 4)
    assert run.failure["message"] == "It broke."
    assert run.observed == "failed"


@pytest.mark.parametrize("state", ["starting", "replaying", "running", "stopping", "stopped"])
def test_what_a_run_waited_for_is_forgotten_once_it_goes_on_or_stops(run: Run, state: str) -> None:
    """A stopped job would say that it starts by itself."""
    waits = Failure(code="WAITS_FOR_PROCESSOR", message="The job starts by itself.")
    apply_report(state_report(run, "queued", waits))
    run.refresh_from_db()
    assert run.failure is not None
    apply_report(state_report(run, state))
    run.refresh_from_db()
    assert (run.observed, run.failure) == (state, None)


def test_what_a_run_waited_for_is_forgotten_when_its_engine_dies_after_its_stop(
    run: Run, owner: User
) -> None:
    apply_report(state_report(run, "queued", Failure(code="WAITS_FOR_PROCESSOR", message="By itself.")))
    stop_job(run.generation.job, owner)
    assert run.engine is not None
    release_runs(run.engine, interrupted_runs(run.engine), "Engine stopped.")
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("stopped", None)


def test_a_permanent_failure_is_not_tried_again(run: Run) -> None:
    apply_report(
        state_report(
            run, "failed", Failure(code="TOPIC_NOT_FOUND", message="The topic is gone.", permanent=True)
        )
    )
    run.refresh_from_db()
    assert (run.observed, run.retry_at) == ("failed", None)
    assert Execution.objects.get().end_reason == "The topic is gone."


def test_a_failed_epoch_is_published_as_stopped_so_that_no_later_engine_executes_it(run: Run) -> None:
    apply_report(state_report(run, "failed", Failure(code="ENGINE_ERROR", message="It broke.")))
    run.refresh_from_db()
    assert run.retry_at is not None
    assert (desired_run(run).epoch, desired_run(run).state) == (1, "stopped")


def test_a_run_that_its_engine_ended_with_itself_begins_the_next_epoch(run: Run) -> None:
    apply_report(state_report(run, "stopped"))
    run.refresh_from_db()
    assert desired_run(run).state == "stopped"
    assert run.engine is not None
    release_runs(run.engine, list(interrupted_runs(run.engine)), "Engine stopped.")
    run.refresh_from_db()
    assert (run.epoch, run.observed, desired_run(run).state) == (2, Observed.STARTING, "running")
    reasons = Execution.objects.filter(run=run).order_by("epoch").values_list("end_reason", flat=True)
    assert list(reasons) == ["Engine stopped.", ""]


def test_an_unreachable_broker_spends_no_budget(run: Run) -> None:
    for _ in range(9):
        Run.objects.update(observed="running")
        apply_report(state_report(run, "failed", Failure(code="BROKER_UNREACHABLE", message="No answer.")))
    run.refresh_from_db()
    assert run.crashes == []
    assert run.retry_at is not None


def test_a_restart_waits_until_the_old_epoch_has_stopped(run: Run) -> None:
    assert run.engine is not None
    run.positions = {"trades": {"0": {"committed": 5, "fetched": 9}, "1": {"committed": 3}}}
    restart(run, run.engine)
    run.refresh_from_db()
    assert (run.epoch, run.awaiting_stop) == (1, True)
    apply_report(state_report(run, "stopped"))
    run.refresh_from_db()
    assert (run.epoch, run.awaiting_stop, run.observed) == (2, False, "starting")
    assert run.replay_until == {"trades": {"0": 9, "1": 3}}
    assert list(Execution.objects.order_by("epoch").values_list("epoch", "state")) == [
        (1, "stopped"),
        (2, "starting"),
    ]


def test_a_dedicated_engine_is_not_wanted_when_its_job_has_stopped(owner: User, workspace: Workspace) -> None:
    run = running(job_of(workspace, owner), kind="dedicated")
    stop_job(run.generation.job, owner)
    run.refresh_from_db()
    apply_report(state_report(run, "stopped"))
    assert not Engine.objects.get().should_run


def test_a_stop_is_kept_when_the_engine_says_so(run: Run, owner: User) -> None:
    stop_job(run.generation.job, owner)
    run.refresh_from_db()
    assert (run.desired, run.revision, run.observed) == (Desired.STOPPED, 2, "running")
    apply_report(state_report(run, "stopped"))
    run.refresh_from_db()
    assert run.observed == "stopped"
    assert Execution.objects.get().ended_at is not None


def test_positions_and_progress_are_merged(run: Run) -> None:
    common = {
        "at_us": now_us(),
        "engine_id": run.engine_id or "",
        "incarnation": "inc-1",
        "run_id": run.id,
        "epoch": 1,
    }
    places = {"trades": {0: PartitionProgress(fetched=7, end=9)}}
    apply_report(PositionsReport(**common, sources=places))
    done = {"trades": {0: PartitionProgress(committed=5), 1: PartitionProgress(committed=1)}}
    apply_report(
        ProgressReport(
            **common,
            batch=1,
            began_us=1,
            duration_ms=500,
            rows_in=10,
            rows_out=3,
            sources=done,
            watermark_us=99,
        )
    )
    run.refresh_from_db()
    assert run.positions == {"trades": {"0": {"fetched": 7, "end": 9, "committed": 5}, "1": {"committed": 1}}}
    assert desired_run(run).committed == {"trades": {0: 5, 1: 1}}
    assert (run.rows_per_second, run.watermark_us) == (None, 99)  # a rate needs more than one batch


def test_positions_of_a_source_that_is_not_read_as_a_stream_any_more_go(run: Run) -> None:
    """An older engine told those of a broadcast table, of which nothing is known but its end."""
    Run.objects.update(positions={"trades": {"0": {"committed": 1}}, "countries": {"0": {"end": 3}}})
    told = {
        "at_us": now_us(),
        "engine_id": run.engine_id or "",
        "incarnation": "inc-1",
        "run_id": run.id,
        "epoch": 1,
    }
    apply_report(PositionsReport(**told, sources={}))
    assert Run.objects.get().positions.keys() == {"trades", "countries"}, "the engine knows nothing yet"
    places = {"trades": {0: PartitionProgress(fetched=7)}}
    apply_report(PositionsReport(**told, sources=places))
    assert Run.objects.get().positions == {"trades": {"0": {"committed": 1, "fetched": 7}}}


def test_a_run_that_drains_says_how_far_it_is(run: Run) -> None:
    report = {
        "at_us": now_us(), "engine_id": run.engine_id, "incarnation": "inc-1", "run_id": run.id,
        "epoch": 1, "sources": {}, "draining": True,
        "catching_up": {"since_us": 5, "read": 300, "left": 100, "records_per_second": 50.0, "done_us": 9},
    }  # fmt: skip
    apply_report(PositionsReport.model_validate(report))
    (job,) = jobs_json([run.generation.job])
    assert job["catching_up"] == {
        "since_us": 5, "records_read": 300, "records_left": 100, "share_read": 0.75,
        "records_per_second": 50.0, "done_us": 9,
    }  # fmt: skip
    unknown = report | {"catching_up": {"since_us": 5, "read": 0}}
    apply_report(PositionsReport.model_validate(unknown))
    (job,) = jobs_json([run.generation.job])
    assert job["catching_up"] == {
        "since_us": 5, "records_read": 0, "records_left": None, "share_read": None,
        "records_per_second": None, "done_us": None,
    }  # fmt: skip
    apply_report(PositionsReport.model_validate(report | {"draining": False, "catching_up": None}))
    (job,) = jobs_json([run.generation.job])
    assert job["catching_up"] is None


@pytest.mark.parametrize("draining", [True, False])
def test_a_run_says_that_it_drains_a_backlog(run: Run, draining: bool) -> None:
    Run.objects.update(draining=not draining)
    report = {
        "at_us": now_us(), "engine_id": run.engine_id or "", "incarnation": "inc-1", "run_id": run.id,
        "epoch": 1, "sources": {}, "draining": draining,
    }  # fmt: skip
    apply_report(PositionsReport.model_validate(report))
    run.refresh_from_db()
    assert run.draining is draining
    (job,) = jobs_json([run.generation.job])
    assert job["draining"] is draining


def test_an_epoch_that_met_the_end_of_the_one_before_is_tried_again(run: Run) -> None:
    """Its predecessor had not heard yet that it was over, as after a host was given up."""
    failure = failure_of("[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update to the log.")
    apply_report(state_report(run, "failed", failure))
    run.refresh_from_db()
    assert run.retry_at is not None
    assert run.failure is not None
    assert run.failure["code"] == "SUPERSEDED"


def test_reports_that_are_read_again_leave_the_history_as_it_is(run: Run) -> None:
    """The relay ended before it had committed that it had read them."""
    reports = [state_report(run, "running"), state_report(run, "stopping"), state_report(run, "stopped")]
    for report in [*reports, *reports]:
        apply_report(report)
    execution = Execution.objects.get(run=run)
    assert execution.ended_at is not None
    assert execution.state == "stopped"


def test_a_run_that_waits_after_its_replay_repeats_nothing_any_more(run: Run) -> None:
    """Its rows are shown and judged though a cluster is silent that it read once, at its start."""
    Run.objects.update(replay_until={"trades": {"0": 9}})
    for state in ("replaying", "running"):
        apply_report(state_report(run, state))
    apply_report(state_report(run, "waiting", Failure(code="CLUSTER_UNREACHABLE", message="No answer.")))
    run.refresh_from_db()
    assert (run.observed, run.replay_until) == ("waiting", {})
