"""Each phase of a start is noted once, for the epoch that reached it."""

from collections.abc import Mapping
from typing import Any

import pytest

from jobs.kafka_messages import ProgressReport
from tests.support.run_factories import job_of, now_us, running, state_report
from weir.runs.api.job_serializers import ExecutionSerializer
from weir.runs.models import Execution, Run
from weir.runs.services.epochs import begin_epoch
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.start_phases import (
    PHASES,
    after_interruption,
    interrupted_at,
    note_phases,
    phases_ms,
)
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


def said(run: Run, state: str, phases_us: Mapping[str, int]) -> None:
    apply_report(state_report(run, state).model_copy(update={"phases_us": dict(phases_us)}))


def shown(run: Run, epoch: int = 2) -> dict[str, int]:
    """The phases that were reached."""
    found = phases_ms(Execution.objects.get(run=run, epoch=epoch))
    assert tuple(found) == PHASES
    return {phase: at for phase, at in found.items() if at is not None}


def batch(run: Run, began_us: int, number: int, state_load_ms: int | None = None) -> None:
    apply_report(
        ProgressReport(
            at_us=began_us + SECOND, engine_id=run.engine_id or "", incarnation="inc-1", run_id=run.id,
            epoch=run.epoch, batch=number, began_us=began_us, duration_ms=1000, rows_in=1, rows_out=1,
            sources={}, state_load_ms=state_load_ms,
        )
    )  # fmt: skip


def test_a_restart_that_replays(run: Run) -> None:
    began = began_us(run)
    engine = {"placed": began + SECOND, "engine_ready": began - 60 * SECOND, "received": began + 2 * SECOND}
    said(run, "starting", engine)
    assert shown(run) == {"placed": 1_000, "engine_ready": 1_000, "received": 2_000}, "ready before"
    engine |= {"planned": began + 3 * SECOND, "queries_started": began + 4 * SECOND}
    said(run, "replaying", engine)
    batch(run, began + 5 * SECOND, 7, 250)
    batch(run, began + 7 * SECOND, 8, 0)
    said(run, "running", engine | {"caught_up": began + 8 * SECOND})
    said(run, "running", engine | {"caught_up": began + 9 * SECOND})
    assert shown(run) == {
        "placed": 1_000, "engine_ready": 1_000, "received": 2_000, "planned": 3_000, "queries_started": 4_000,
        "first_batch": 5_000, "caught_up": 8_000,
    }  # fmt: skip
    (first,) = rest_of(run)
    assert first["state_load_ms"] == 250, "of the first batch"
    assert first["interrupted_at"] is None
    assert first["phases_ms"]["noticed"] is None


def test_after_a_death_phases_count_from_the_end_of_the_process(run: Run) -> None:
    died = now_us()
    assert run.engine is not None
    begin_epoch(run, run.engine, phases=after_interruption(died, died + 400_000))
    said(run, "starting", {"placed": died + 600_000})
    assert shown(run, 3) == {"noticed": 400, "placed": 600}
    execution = Execution.objects.get(run=run, epoch=3)
    at = interrupted_at(execution)
    assert at is not None
    assert round(at.timestamp() * SECOND) == died
    newest, _ = rest_of(run)
    assert newest["state_load_ms"] is None


def test_a_death_that_nobody_saw_has_no_time(run: Run) -> None:
    assert after_interruption(None, now_us()) == {}


def test_a_lost_report_leaves_its_phase_out(run: Run) -> None:
    began = began_us(run)
    said(run, "running", {"queries_started": began + 2 * SECOND})
    assert shown(run) == {"queries_started": 2_000}


def test_the_next_epoch_begins_anew_and_the_history_stays(run: Run) -> None:
    said(run, "running", {"received": now_us()})
    assert run.engine is not None
    run.refresh_from_db()
    begin_epoch(run, run.engine)
    assert shown(run, 3) == {}
    assert shown(run, 2).keys() == {"received"}


def test_an_engine_whose_clock_is_behind_gives_no_negative_time(run: Run) -> None:
    began = began_us(run)
    said(run, "running", {"received": began - 5 * SECOND, "queries_started": began + SECOND})
    assert shown(run) == {"received": 0, "queries_started": 1_000}


def test_what_is_noted_costs_no_query(run: Run, django_assert_num_queries: Any) -> None:
    note_phases(run, {"received": now_us()})
    with django_assert_num_queries(0):
        note_phases(run, {"received": now_us()})


def rest_of(run: Run) -> list[dict[str, Any]]:
    """Executions as REST shows them, the newest first."""
    executions = Execution.objects.filter(run=run, epoch__gt=1).order_by("-epoch")
    return [dict(row) for row in ExecutionSerializer(executions, many=True).data]
