"""What engines are told of a run."""

import pytest

from tests.support.quiet_topics import quiet_topics
from tests.support.run_factories import DOCUMENT, job_of, running
from tests.support.users import client_of
from weir.runs.services import start
from weir.runs.services.run_publisher import desired_run
from weir.runs.services.versions import add_version
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.mark.parametrize(
    ("written", "records"),
    [
        ("{}", None),
        ("{rate_limit: 1500}", 1_500),
        ("{rate_limit: 1500, trigger: 10s}", 15_000),
        ("{rate_limit: 1500, trigger: 100ms}", 150),
        ("{rate_limit: 10, trigger: 150ms}", 1),
    ],
)
def test_a_batch_reads_what_the_rate_limit_allows_in_a_trigger_interval(
    workspace: Workspace, owner: User, written: str, records: int | None
) -> None:
    run = running(job_of(workspace, owner, f"{DOCUMENT}settings: {written}\n"))
    assert desired_run(run).max_rows_per_batch == records


def test_an_engine_is_told_the_slots_that_the_run_was_placed_by(workspace: Workspace, owner: User) -> None:
    run = running(job_of(workspace, owner))
    run.slots = 5
    assert desired_run(run).slots == 5


def test_people_see_the_rate_limit_of_the_run(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is that of the version that was started."""
    monkeypatch.setattr(start, "confirm_topics", list)
    quiet_topics(monkeypatch)
    job = job_of(workspace, owner, f"{DOCUMENT}settings: {{rate_limit: 1500}}\n")
    path, client = f"/api/v1/workspaces/ops/jobs/{job.id}", client_of(owner)
    assert client.get(path).json()["rate_limit"] is None
    assert client.post(f"{path}/start", {"from": "earliest"}).status_code < 300
    found = client.get(path).json()
    assert (found["rate_limit"], found["mode"]["mode"]) == (1_500, "microbatch")
    add_version(job, owner, DOCUMENT)
    assert client.post(f"{path}/start", {"from": "resume"}).status_code < 300
    assert client.get(path).json()["rate_limit"] is None
