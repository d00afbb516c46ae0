"""Each phase of a start is noted once, for the epoch that reached it."""

from typing import Any

import pytest

from jobs.kafka_messages import ProgressReport
from tests.support.run_factories import job_of, now_us, running, state_report
from weir.runs.models import Execution, Run
from weir.runs.services.epochs import begin_epoch
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.start_phases import note_phases, phases_ms
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])

SECOND = 1_000_000


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    """The second epoch of a run."""
    started = running(job_of(workspace, owner))
    assert started.engine is not None
    begin_epoch(started, started.engine)
    return started


def began_us(run: Run) -> int:
    return int(Execution.objects.get(run=run, epoch=2).started_at.timestamp() * SECOND)


def said(run: Run, state: str, at_us: int) -> None:
    apply_report(state_report(run, state).model_copy(update={"at_us": at_us}))


def batch(run: Run, began_us: int, number: int) -> None:
    apply_report(
        ProgressReport(
            at_us=began_us + SECOND, engine_id=run.engine_id or "", incarnation="inc-1", run_id=run.id,
            epoch=run.epoch, batch=number, began_us=began_us, duration_ms=1000, rows_in=1, rows_out=1,
            sources={},
        )
    )  # fmt: skip


def test_a_restart_that_replays(run: Run) -> None:
    began = began_us(run)
    said(run, "starting", began + 1 * SECOND)
    said(run, "replaying", began + 2 * SECOND)
    batch(run, began + 3 * SECOND, 7)
    batch(run, began + 5 * SECOND, 8)
    said(run, "running", began + 6 * SECOND)
    said(run, "waiting", began + 7 * SECOND)
    said(run, "running", began + 9 * SECOND)
    assert phases_ms(Execution.objects.get(run=run, epoch=2)) == {
        "received": 1_000, "queries_started": 2_000, "first_batch": 3_000, "caught_up": 6_000,
    }  # fmt: skip


def test_a_start_without_anything_to_replay_is_live_at_once(run: Run) -> None:
    began = began_us(run)
    said(run, "running", began + 2 * SECOND)
    assert phases_ms(Execution.objects.get(run=run, epoch=2)) == {
        "queries_started": 2_000,
        "caught_up": 2_000,
    }


def test_the_next_epoch_begins_anew_and_the_history_stays(run: Run) -> None:
    said(run, "running", now_us())
    assert run.engine is not None
    run.refresh_from_db()
    begin_epoch(run, run.engine)
    assert phases_ms(Execution.objects.get(run=run, epoch=3)) == {}
    assert phases_ms(Execution.objects.get(run=run, epoch=2)).keys() == {"queries_started", "caught_up"}


def test_an_engine_whose_clock_is_behind_gives_no_negative_time(run: Run) -> None:
    began = began_us(run)
    said(run, "starting", began - 5 * SECOND)
    said(run, "running", began + SECOND)
    assert phases_ms(Execution.objects.get(run=run, epoch=2)) == {
        "received": 0, "queries_started": 1_000, "caught_up": 1_000,
    }  # fmt: skip


def test_what_is_noted_costs_no_query(run: Run, django_assert_num_queries: Any) -> None:
    note_phases(run, now_us(), "received")
    with django_assert_num_queries(0):
        note_phases(run, now_us(), "received")
