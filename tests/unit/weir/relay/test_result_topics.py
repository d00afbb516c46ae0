import pytest

from tests.support.run_factories import job_of, running
from weir.relay.result_topics import followed_topics
from weir.runs.models import Desired, Generation, Job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_windowed_results_age_and_tables_do_not(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    run = running(job)
    topic = run.generation.result_topic
    source = followed_topics()[topic]
    assert (source.job_id, source.generation, source.retention_ms, source.append_only) == (
        job.pk,
        1,
        1,
        False,
    )
    Generation.objects.update(result={"identity_kind": "key", "windowed": False})
    assert followed_topics()[topic].retention_ms is None
    Generation.objects.update(result={"identity_kind": "row", "windowed": False})
    assert (followed_topics()[topic].retention_ms, followed_topics()[topic].append_only) == (1, True)


def test_only_current_generations_of_jobs_that_stay(workspace: Workspace, owner: User) -> None:
    running(job_of(workspace, owner))
    Generation.objects.update(topics_ready=False)
    assert followed_topics() == {}
    Generation.objects.update(topics_ready=True)
    Job.objects.update(generation=2)
    assert followed_topics() == {}
    Job.objects.update(generation=1, desired=Desired.DELETED)
    assert followed_topics() == {}
