"""While results cannot be stored, what waits to be measured takes bounded memory."""

import logging

import pytest

from jobs.kafka_messages import PartitionProgress, PositionsReport, ProgressReport, Report, RunStateReport
from weir.relay.applied_reports import AppliedReports

RUN = {"engine_id": "shared-1", "incarnation": "inc-1", "run_id": "a.1", "epoch": 1}


def positions(at_us: int, **offsets: int) -> PositionsReport:
    """Positions of partition 0 of sources."""
    sources = {source: {0: PartitionProgress(committed=offset)} for source, offset in offsets.items()}
    return PositionsReport(at_us=at_us, sources=sources, **RUN)  # type: ignore[arg-type]  # of mixed types


def batch(number: int) -> ProgressReport:
    """The end of a batch."""
    numbers = {"batch": number, "began_us": 0, "duration_ms": 1, "rows_in": 1, "rows_out": 1}
    return ProgressReport(at_us=number, sources={}, **numbers, **RUN)  # type: ignore[arg-type]  # of mixed types


def test_reports_come_out_once_in_order_and_those_that_nobody_measures_are_left_out() -> None:
    queue = AppliedReports()
    state = RunStateReport(at_us=1, revision=1, state="running", **RUN)  # type: ignore[arg-type]  # of mixed types
    queue.put([batch(1), state, positions(2, a=1)])
    queue.put([batch(3)])
    assert [report.at_us for report in queue.take()] == [1, 2, 3]
    assert queue.take() == []


def test_a_full_queue_folds_positions_and_loses_no_partition(caplog: pytest.LogCaptureFixture) -> None:
    queue = AppliedReports(most=100)
    queue.put([positions(0, b=7)])
    for number in range(1, 1_000):
        queue.put([positions(number, a=number)])
        if number % 200 == 0:
            queue.put([batch(number)])
    found = queue.take()
    assert len(found) <= 105
    assert [report.batch for report in found if isinstance(report, ProgressReport)] == [200, 400, 600, 800]
    reached: dict[str, int | None] = {}
    for report in found:
        if isinstance(report, PositionsReport):
            reached |= {source: partitions[0].committed for source, partitions in report.sources.items()}
    assert reached == {"a": 999, "b": 7}
    assert caplog.records == [], "nothing is lost"


def test_beyond_that_the_oldest_are_dropped_and_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    queue = AppliedReports(most=100)
    reports: list[Report] = [batch(number) for number in range(1_000)]
    for report in reports:
        queue.put([report])
        assert len(queue._waiting) <= 100
    with caplog.at_level(logging.WARNING):
        found = queue.take()
    assert [report.at_us for report in found] == list(range(1_000 - len(found), 1_000))
    assert f"{1_000 - len(found)} reports are missing in history" in caplog.text
