"""What of a run's reports stands in its history."""

import pytest

from jobs.messages import PartitionProgress, ProgressReport
from tests.support.weir_runs import job_of, now_us, running
from weir.lag.models import LagPoint
from weir.relay.history import HistoryKeeper
from weir.runs.models import Run
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def batch(run: Run, number: int, malformed: int) -> ProgressReport:
    return ProgressReport(
        at_us=now_us(), engine_id="e", incarnation="i", run_id=run.pk, epoch=run.epoch, batch=number, began_us=now_us(), duration_ms=5,
        rows_in=9, rows_out=1, sources={"trades": {0: PartitionProgress(committed=9 * number, end=9 * number)}},
        malformed={"trades": malformed},
    )  # fmt: skip


def test_what_was_counted_before_the_first_point_is_in_it(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    keeper = HistoryKeeper()
    keeper.learn_runs()
    keeper.take([batch(run, 1, malformed=3), batch(run, 2, malformed=2)])
    keeper.store(now_us(), {})
    keeper.store(now_us(), {})
    keeper.take([batch(run, 3, malformed=4)])
    keeper.store(now_us(), {})
    points = LagPoint.objects.using("results").order_by("at_us")
    assert [point.malformed for point in points] == [5, 0, 4]
