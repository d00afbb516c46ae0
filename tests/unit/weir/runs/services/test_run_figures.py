"""What a run achieves is said while it is live."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support.run_factories import job_of, running
from weir.runs.services.run_figures import NO_FIGURES, figures_json
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


def test_of_a_run_that_has_ended_only_what_its_lag_meant_stays(owner: User, workspace: Workspace) -> None:
    run = running(job_of(workspace, owner))
    run.lag_records, run.lag_seconds, run.rows_per_second, run.freshness_ms = 40, 1.5, 12.5, 7
    run.draining, run.skipping = True, [{"source": "s"}]
    now = timezone.now()
    run.last_seen_at = now

    live = figures_json(run, "running", now)
    assert live["lag"] == {"records": 40, "seconds": 1.5}
    assert (live["rows_per_second"], live["freshness_ms"], live["draining"]) == (12.5, 7, True)
    assert figures_json(run, "unknown", now) == live | {"rows_per_second": None}

    run.last_seen_at = now - timedelta(seconds=31)
    assert figures_json(run, "running", now) == live, "the relay reads on"
    old = figures_json(run, "unknown", now)
    assert old == NO_FIGURES | {"lag_health": live["lag_health"], "skipping": live["skipping"]}

    run.observed = "stopped"
    assert figures_json(run, "stopped", now) == NO_FIGURES
