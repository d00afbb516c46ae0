"""The next epoch of a run, begun from what was read a moment ago."""

import pytest

from tests.support.run_factories import job_of, running
from weir.runs.models import Desired, Run
from weir.runs.services.epochs import begin_epoch
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_a_stop_meanwhile_is_not_undone(workspace: Workspace, owner: User) -> None:
    read = running(job_of(workspace, owner))
    Run.objects.update(desired=Desired.STOPPED, version=2, positions={"s": {"0": {"committed": 5}}})
    begin_epoch(read, read.engine)
    run = Run.objects.get()
    assert (run.epoch, run.observed, run.published_at) == (2, "starting", None)
    assert (run.desired, run.version) == (Desired.STOPPED, 2)
    assert run.positions == {"s": {"0": {"committed": 5}}}
