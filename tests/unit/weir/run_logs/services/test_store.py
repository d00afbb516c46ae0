"""Lines of runs are stored once, and only the newest are kept."""

import time

import pytest

from jobs.kafka_messages import LogLine, LogReport
from tests.support.run_factories import job_of, running
from weir.retention import LOG_LINE_RETENTION, LOG_LINES_PER_RUN, LOG_SIZE_PER_RUN
from weir.run_logs.models import RunLogLine
from weir.run_logs.services import store
from weir.run_logs.services.store import SLACK_LINES, SLACK_SIZE
from weir.runs.models import Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])

NOW_US = time.time_ns() // 1_000


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


def report(run_id: str, first: int, count: int, size: int = 10) -> LogReport:
    lines = tuple(
        LogLine(
            number=number,
            at_us=NOW_US + number,
            level="info",
            origin="engine",
            logger="x",
            message=f"line {number} ".ljust(size, "."),
        )
        for number in range(first, first + count)
    )
    return LogReport(at_us=NOW_US, engine_id="e", incarnation="i", run_id=run_id, epoch=1, lines=lines)


@pytest.mark.every_database
def test_lines_that_come_again_are_stored_once(run: Run) -> None:
    for _ in range(2):
        store.apply_report(report(run.pk, 1, 3))
    store.apply_report(report(run.pk, 3, 2))
    assert sorted(RunLogLine.objects.values_list("number", flat=True)) == [1, 2, 3, 4]


def test_lines_of_a_deleted_run_are_nobodys(run: Run) -> None:
    store.apply_report(report("gone.1", 1, 3))
    assert not RunLogLine.objects.exists()
    store.apply_report(report(run.pk, 1, 3))
    run.delete()
    assert not RunLogLine.objects.exists()


@pytest.mark.every_database
def test_the_newest_lines_are_kept(run: Run, owner: User, workspace: Workspace) -> None:
    total = LOG_LINES_PER_RUN + SLACK_LINES + 60
    for first in range(1, total, 100):
        store.apply_report(report(run.pk, first, min(100, total - first)))
        assert RunLogLine.objects.count() <= LOG_LINES_PER_RUN + SLACK_LINES
    numbers = sorted(RunLogLine.objects.values_list("number", flat=True))
    assert numbers == list(range(total - len(numbers), total))
    assert len(numbers) >= LOG_LINES_PER_RUN


def test_long_lines_are_bounded_by_their_size(run: Run) -> None:
    each = 10_000
    for first in range(1, 200, 20):
        store.apply_report(report(run.pk, first, 20, each))
    sizes = list(RunLogLine.objects.values_list("size", flat=True))
    assert LOG_SIZE_PER_RUN - each <= sum(sizes) <= LOG_SIZE_PER_RUN + SLACK_SIZE + 20 * each
    assert RunLogLine.objects.filter(number=200).exists()


@pytest.mark.every_database
def test_what_a_database_does_not_take_is_left_out_of_a_line(run: Run) -> None:
    strange = report(run.pk, 1, 1).model_copy(
        update={
            "lines": (
                LogLine(number=1, at_us=1, level="error", origin="spark", logger="x\0" * 500, message="a\0b"),
            )
        }
    )
    store.apply_report(strange)
    stored = RunLogLine.objects.get()
    assert (stored.message, stored.logger) == ("ab", "x" * 100)


def test_old_lines_are_deleted(run: Run) -> None:
    store.apply_report(report(run.pk, 1, 3))
    age_us = int(LOG_LINE_RETENTION.total_seconds()) * 1_000_000
    assert store.purge(NOW_US + age_us + 2) == 1
    assert sorted(RunLogLine.objects.values_list("number", flat=True)) == [2, 3]
