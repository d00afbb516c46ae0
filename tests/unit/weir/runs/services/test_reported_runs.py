"""Reports of epochs that are over, or that nobody knows yet."""

import pytest

from tests.support.run_factories import job_of, running, state_report
from weir.runs.models import Execution, Run
from weir.runs.services.report_handlers import apply_report
from weir.runs.services.run_publisher import desired_run
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


@pytest.fixture
def run(owner: User, workspace: Workspace) -> Run:
    return running(job_of(workspace, owner))


def test_a_lower_epoch_says_nothing(run: Run) -> None:
    Run.objects.update(epoch=5)
    apply_report(state_report(run, "failed", epoch=4))
    run.refresh_from_db()
    assert run.observed == "running"


def test_a_higher_epoch_than_known_is_followed(run: Run) -> None:
    """The database was restored from before that epoch."""
    apply_report(state_report(run, "running", epoch=7))
    run.refresh_from_db()
    assert run.epoch == 7
    assert [one.epoch for one in Execution.objects.filter(ended_at=None)] == [7]


def test_a_higher_epoch_of_another_engine_is_superseded(run: Run) -> None:
    """The database was restored from before the run moved there. Another record of that epoch would be older
    than the one that the engine acts on.
    """
    known = desired_run(run)
    apply_report(state_report(run, "running", epoch=7).model_copy(update={"engine_id": "other"}))
    run.refresh_from_db()
    assert (run.epoch, run.observed, run.engine_id) == (8, "starting", known.engine_id)
    assert (desired_run(run).epoch, desired_run(run).state) == (8, "running")
    assert [one.epoch for one in Execution.objects.filter(ended_at=None)] == [8]


def test_of_a_run_that_is_to_be_stopped_too(run: Run) -> None:
    Run.objects.update(desired="stopped", observed="stopped")
    apply_report(state_report(run, "running", epoch=7).model_copy(update={"engine_id": "other"}))
    run.refresh_from_db()
    assert (run.epoch, run.observed, run.published_at) == (8, "stopped", None)
    assert (desired_run(run).epoch, desired_run(run).state) == (8, "stopped")
