"""A job that is made from an example has its tests."""

from pathlib import Path

import pytest
from django.conf import settings

from jobs.job_tests.folder import read_folder
from tests.support.run_factories import job_of
from weir.clusters.services.clusters import home_cluster
from weir.job_tests.models import JobTest, JobTestRun
from weir.job_tests.services.queries import standing_tests
from weir.job_tests.services.start_check import require_tests_passed
from weir.job_tests.services.tests import change_test
from weir.runs.models import Job
from weir.runs.services.examples import read_tests
from weir.runs.services.planning import current_version
from weir.runs.services.versions import add_version, create_job
from weir.runs.signals import example_used
from weir.streams.models import Stream
from weir.workspaces.errors import ConflictError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

FOLDERS = read_folder(Path(settings.EXAMPLES_DIR))


def job_of_example(workspace: Workspace, owner: User, name: str) -> tuple[Job, list[str]]:
    """A job of an example, as the service makes it; its streams' topics are not there."""
    folder = next(one for one in FOLDERS if one.name == name)
    for stream, contract in folder.contracts.items():
        Stream.objects.create(
            workspace=workspace,
            name=stream,
            cluster=home_cluster(),
            topic=stream,
            topic_id=stream,
            partitions=1,
            contract=contract.model_dump(mode="json"),
        )
    texts = read_tests(Path(settings.EXAMPLES_DIR) / name)
    job = create_job(workspace, owner, folder.document)
    example_used.send(sender=Job, job=job, actor=owner, tests=texts)
    return job, texts


@pytest.mark.parametrize("name", [folder.name for folder in FOLDERS])
def test_its_tests_are_there_and_hold_up_no_start(workspace: Workspace, owner: User, name: str) -> None:
    job, texts = job_of_example(workspace, owner, name)
    assert sorted(JobTest.objects.filter(job=job).values_list("document_text", flat=True)) == sorted(texts)
    assert {(found.state, found.must_run) for found in standing_tests(job)} == {("not_run", False)}
    require_tests_passed(job, current_version(job), owner)
    assert not JobTestRun.objects.exists()


def test_a_start_waits_for_one_that_somebody_changed(workspace: Workspace, owner: User) -> None:
    job, _ = job_of_example(workspace, owner, "words")
    test = JobTest.objects.filter(job=job).first()
    assert test is not None
    change_test(test, owner, test.document_text + "\n", 1)
    with pytest.raises(ConflictError, match="must be run first"):
        require_tests_passed(job, current_version(job), owner)


def test_a_start_of_the_next_version_waits_for_all(workspace: Workspace, owner: User) -> None:
    job, texts = job_of_example(workspace, owner, "words")
    add_version(job, owner, current_version(job).document_text + "# changed\n")
    job.refresh_from_db()
    assert JobTestRun.objects.filter(job=job, version=2).exists()
    with pytest.raises(ConflictError, match=f"{len(texts)} test"):
        require_tests_passed(job, current_version(job), owner)


def test_tests_that_do_not_fit_are_left_out(workspace: Workspace, owner: User) -> None:
    """The workspace had other streams of the example's names."""
    job = job_of(workspace, owner)
    folder = next(one for one in FOLDERS if one.name == "words")
    example_used.send(sender=Job, job=job, actor=owner, tests=[test.text for test in folder.tests])
    assert not JobTest.objects.exists()
