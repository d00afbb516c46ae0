"""What the overview says needs attention."""

import pytest

from tests.support.measured_jobs import measured_job
from tests.support.run_factories import now_us
from tests.support.users import client_of
from weir.runs.models import Run
from weir.runs.services.lag_health import JobHealth, Kind
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])

_FALLING_BEHIND = "Falling behind: records are written faster than they are read."


@pytest.mark.parametrize(
    ("seconds", "kind", "reason"),
    [
        (30.0, Kind.FINE, None),
        (90.0, Kind.FINE, "warning: Lags by 1 min 30 s."),
        (None, Kind.CATCHING_UP, None),
        (4000.0, Kind.CATCHING_UP, "warning: Lags by 1 h 6 min."),
        (None, Kind.FALLING_BEHIND, f"error: {_FALLING_BEHIND}"),
        (5.0, Kind.FALLING_BEHIND, f"error: {_FALLING_BEHIND}"),
        (90.0, Kind.FALLING_BEHIND, f"error: Lags by 1 min 30 s. {_FALLING_BEHIND}"),
        (None, Kind.STALLED, "error: Some partitions aren't read while others are."),
        (None, Kind.STOPPED, "error: Records are waiting, and none are read."),
        (None, Kind.LOSING, "error: Retention has deleted records that were not read."),
    ],
)
def test_a_lag_that_needs_attention_is_told_where_its_seconds_are_unknown_too(
    workspace: Workspace, owner: User, seconds: float | None, kind: Kind, reason: str | None
) -> None:
    """Of a job that began at the earliest records only a lower bound is known while it is behind."""
    run = measured_job(workspace, owner)
    Run.objects.filter(pk=run.pk).update(
        lag_seconds=seconds, last_seen_at=run.observed_since, lag_health=JobHealth(kind, now_us()).stored()
    )
    told = client_of(owner).get("/api/v1/workspaces/ops/overview").json()
    reasons = [f"{each['severity']}: {each['reason']}" for each in told["attention"]]
    assert reasons == ([reason] if reason else [])
