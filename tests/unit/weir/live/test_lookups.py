"""What the hub finds of a job."""

import pytest

from tests.support.run_factories import job_of, running
from weir.live.lookups import find_job
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("saved", [{"topic": "t"}, {"cluster": {"kind": "of old"}, "topic": "t"}])
def test_a_source_that_an_older_version_saved_keeps_no_results_back(
    owner: User, workspace: Workspace, saved: dict[str, object]
) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    run.generation.sources |= {"old": saved}
    run.generation.save()
    found = find_job(workspace.pk, job.pk)
    assert found is not None
    assert found.run is not None
    assert "old" not in found.sources
