"""The current lag of a job by REST."""

import pytest

from tests.support.measured_jobs import measured_job
from tests.support.run_factories import started_anew
from tests.support.users import client_of, create_user
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


def test_what_a_generation_before_has_counted_is_not_the_present_ones(
    workspace: Workspace, owner: User
) -> None:
    """Until its first report nothing is known of it, and if it fails before, for as long as the job fails."""
    run = measured_job(workspace, owner)
    path = f"/api/v1/workspaces/ops/jobs/{run.generation.job_id}/lag"
    told = client_of(owner).get(path).json()
    assert (told["sources"]["trades"]["records"], told["counts"]["batches"]) == (20, 1)
    started_anew(run)
    told = client_of(owner).get(path).json()
    assert (told["at"], told["sources"], told["counts"], told["watermark_us"]) == (None, {}, None, None)


def test_a_stranger_gets_nothing(workspace: Workspace, owner: User) -> None:
    job = measured_job(workspace, owner).generation.job
    answer = client_of(create_user("eve")).get(f"/api/v1/workspaces/ops/jobs/{job.pk}/lag")
    assert answer.status_code == 404
