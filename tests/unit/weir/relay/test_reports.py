import pytest

from jobs.kafka_messages import PartitionProgress, PositionsReport, Report, RunStateReport
from tests.support.run_factories import heartbeat, job_of, running, state_report
from weir.relay.reports import apply, newest_only
from weir.runs.models import Run
from weir.workspaces.models import User, Workspace


def moved(at_us: int, **cells: int) -> PositionsReport:
    sources = {"s": {int(name[1:]): PartitionProgress(committed=offset) for name, offset in cells.items()}}
    return PositionsReport(at_us=at_us, engine_id="e", incarnation="i", run_id="r", epoch=1, sources=sources)


def state(at_us: int, name: str) -> RunStateReport:
    return RunStateReport.model_validate(
        {
            "at_us": at_us,
            "engine_id": "e",
            "incarnation": "i",
            "run_id": "r",
            "epoch": 1,
            "revision": 1,
            "state": name,
        }
    )


def test_positions_are_merged_and_states_are_kept() -> None:
    reports: list[Report] = [state(1, "starting"), moved(2, p0=5, p1=6), state(3, "running"), moved(4, p0=7)]
    kept = newest_only(reports)
    assert [report.at_us for report in kept] == [1, 3, 4]
    last = kept[-1]
    assert isinstance(last, PositionsReport)
    assert {partition: cell.committed for partition, cell in last.sources["s"].items()} == {0: 7, 1: 6}


@pytest.mark.django_db
def test_a_report_that_cannot_be_written_is_left_out_and_the_others_are_not(
    workspace: Workspace, owner: User
) -> None:
    run = running(job_of(workspace, owner), state="starting")
    engine = run.engine
    assert engine is not None
    forged = heartbeat(engine).model_copy(update={"memory_bytes": 10**30, "incarnation": "inc-1"})
    apply([forged, state_report(run, "running")])
    assert Run.objects.get().observed == "running"
