from collections.abc import Iterator

import pytest
from django.db import IntegrityError, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder

from jobs.kafka_messages import HeartbeatReport, PartitionProgress, PositionsReport, Report, RunStateReport
from tests.support.run_factories import DOCUMENT, heartbeat, job_of, running, state_report
from weir.relay import reports
from weir.relay.reports import apply, newest_only
from weir.runs.models import Run
from weir.workspaces.errors import ServiceError
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


@pytest.mark.django_db
@pytest.mark.parametrize("error", [ServiceError("BUSY", "Busy."), KeyError("document")])
def test_a_report_that_a_consumer_cannot_handle_is_left_out_and_the_others_are_not(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    documents = [DOCUMENT.replace("name: stats", f"name: job-{number}") for number in range(2)]
    runs = [running(job_of(workspace, owner, document), state="starting") for document in documents]

    def stumble(report: Report) -> None:
        if not isinstance(report, HeartbeatReport) and report.run_id == runs[0].id:
            raise error

    monkeypatch.setattr(reports, "CONSUMERS", (*reports.CONSUMERS, stumble))
    apply([state_report(run, "running") for run in runs])
    assert [Run.objects.get(pk=run.id).observed for run in runs] == ["starting", "running"]


@pytest.fixture
def _newer_database(transactional_db: None) -> Iterator[None]:
    """It was migrated by a newer version of Weir."""
    applied = MigrationRecorder(connection)
    applied.record_applied("runs", "9999_of_a_newer_version")
    yield
    applied.record_unapplied("runs", "9999_of_a_newer_version")


@pytest.mark.usefixtures("_newer_database")
@pytest.mark.parametrize("error", [ProgrammingError("no such column"), IntegrityError("NOT NULL")])
def test_no_report_is_left_out_while_an_upgrade_is_under_way(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The database was migrated, and this relay is still of the version before."""
    run = running(job_of(workspace, owner), state="starting")

    def stumble(report: Report) -> None:
        raise error

    monkeypatch.setattr(reports, "CONSUMERS", (*reports.CONSUMERS, stumble))
    with pytest.raises(reports.AWAY, match=r"newer version of Weir \(runs.9999_of_a_newer_version\)"):
        apply([state_report(run, "running")])
    assert Run.objects.get().observed == "starting"
