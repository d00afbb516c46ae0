"""Values of metrics from what is stored, look by look."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs.base.instants import instant_of
from tests.support.measured_jobs import started_job
from tests.support.validator_factories import create_validator
from weir.alerts.services.readings import Readings
from weir.dead_letters.models import CountedRange
from weir.measurements import read_snapshot
from weir.runs.models import Job, Run
from weir.runs.services.report_handlers import reports_read
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


class Looks:
    """Looks at one job, on a clock of the test's own."""

    def __init__(self, workspace: Workspace, owner: User) -> None:
        self.run = started_job(workspace, owner)
        self.now = timezone.now()
        self.readings = Readings()

    def not_running_s(self, after_s: float, **changed: Any) -> float | None:
        """What is read so many seconds later, when these columns of the run have changed; None: nothing."""
        self.now += timedelta(seconds=after_s)
        if "observed" in changed:
            changed["observed_since"] = self.now
        Run.objects.filter(pk=self.run.pk).update(**changed)
        reports_read(instant_of(self.now))
        taken = self.readings.take(replace(read_snapshot(None), now=self.now))
        return next(iter(taken.values.get("job.not_running_seconds", {}).values()), None)


def test_a_job_that_fails_and_starts_again_and_again_is_not_running_all_the_time(
    workspace: Workspace, owner: User
) -> None:
    looks = Looks(workspace, owner)
    assert looks.not_running_s(0, observed="running", last_seen_at=looks.now) == 0
    for _ in range(10):
        looks.not_running_s(20, observed="failed")
        looks.not_running_s(20, observed="starting")
    assert looks.not_running_s(10) == 390
    looks.readings = Readings()  # the relay begins again
    assert looks.not_running_s(10) == 400
    assert looks.not_running_s(10, observed="running", last_seen_at=looks.now + timedelta(seconds=10)) == 0
    assert looks.not_running_s(10, observed="failed") == 0
    assert looks.not_running_s(10) == 10


def test_of_a_job_that_is_not_heard_of_it_is_not_known_whether_it_runs(
    workspace: Workspace, owner: User
) -> None:
    """It began to run days ago. One that did not run before goes on not running."""
    looks = Looks(workspace, owner)
    looks.not_running_s(0, observed="running", last_seen_at=looks.now)
    assert looks.not_running_s(300_000, last_seen_at=looks.now + timedelta(seconds=300_000)) == 0
    assert looks.not_running_s(60) is None
    assert looks.not_running_s(0, last_seen_at=looks.now) == 0
    looks.not_running_s(0, observed="waiting", last_seen_at=looks.now)
    assert looks.not_running_s(60) is None
    assert looks.not_running_s(0, last_seen_at=looks.now) == 60


def test_a_stream_is_watched_in_a_workspace_without_jobs(workspace: Workspace, owner: User) -> None:
    validator = create_validator(workspace)
    assert not Job.objects.filter(kind=Job.Kind.JOB).exists()
    CountedRange.objects.create(
        validator=validator, topic_id="t", partition=0, first=0, last=1, hour=timezone.now(), valid=1
    )
    taken = Readings().take(read_snapshot(None))
    assert {(one.workspace_id, one.group) for one in taken.subjects if one.scope == "stream"} == {
        (workspace.pk, (("stream", "trades"),))
    }
