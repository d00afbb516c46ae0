"""Pages of a job's rows, while the job begins anew."""

import pytest

from tests.support.run_factories import job_of, running
from tests.support.users import client_of
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecord
from weir.results.services.store import TopicFlush, open_topic, store
from weir.runs.models import Job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def stored(job: Job, generation: int) -> None:
    """Three rows of a generation."""
    topic = open_topic(job_id=job.pk, generation=generation, topic="t", topic_id="id", partitions=1)
    rows = [ResultRecord(f"[{at}]", f'{{"n":{at}}}', at, False, 1, 0, at, 0) for at in range(3)]
    store([TopicFlush(topic.pk, job.pk, generation, "t", rows, {0: (0, 3)}, Fence())])


def test_pages_are_of_one_generation(workspace: Workspace, owner: User) -> None:
    """Else a list would begin with rows of one, and go on with those of another."""
    job = job_of(workspace, owner)
    running(job)
    for generation in (1, 2):
        stored(job, generation)
    client, route = client_of(owner), f"/api/v1/workspaces/ops/jobs/{job.pk}/results?limit=2"
    first = client.get(route).json()
    assert [row["value"]["n"] for row in first["rows"]] == [2, 1]
    second = client.get(f"{route}&after={first['next']}").json()
    assert ([row["value"]["n"] for row in second["rows"]], second["next"]) == ([0], None)
    Job.objects.filter(pk=job.pk).update(generation=2)
    outdated = client.get(f"{route}&after={first['next']}")
    assert (outdated.status_code, outdated.json()["code"]) == (422, "CURSOR_INVALID")
