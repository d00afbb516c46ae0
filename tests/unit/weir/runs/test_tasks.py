"""What a start does when the broker has lost what it is told of."""

import pytest

from tests.support.run_factories import job_of, running
from weir.runs import tasks
from weir.runs.models import Run
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_start_while_the_control_topic_is_gone_fails_no_job(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reconciler makes `weir.runs` again, and publishes all runs."""
    run = running(job_of(workspace, owner), state="starting")

    def lost(_: Run) -> None:
        raise NotFoundError("TOPIC_NOT_FOUND", "The topic doesn't exist on the cluster.")

    monkeypatch.setattr(tasks, "publish_run", lost)
    tasks.start_run(run.pk)
    run.refresh_from_db()
    assert (run.observed, run.failure) == ("starting", None)
