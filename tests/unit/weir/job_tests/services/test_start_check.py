"""Before a start the tests of its version are asked."""

import tracemalloc

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from jobs.job_tests.results import JobTestResult as Outcome
from tests.support.job_test_documents import counted
from tests.support.run_factories import CONTRACT, DOCUMENT, job_of, running
from tests.support.users import client_of
from weir.job_tests.models import JobTest, JobTestResult, JobTestRun
from weir.job_tests.services.queries import standing_tests
from weir.job_tests.services.runs import request_run
from weir.job_tests.services.start_check import require_tests_passed
from weir.job_tests.services.tests import change_test, create_test
from weir.runs.models import Job
from weir.runs.services.planning import current_version
from weir.runs.services.start import start_job
from weir.runs.services.start_checks import START_CHECKS
from weir.runs.services.versions import add_version
from weir.streams.models import Stream
from weir.workspaces.errors import ConflictError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    return job_of(workspace, owner)


def give(job: Job, owner: User, **statuses: str) -> None:
    """Results of a run of these tests."""
    run = request_run(job, owner)
    for play in run.plays:
        test = JobTest.objects.get(pk=play["test"])
        status = statuses[test.name]
        result = {"name": test.name, "status": status}
        JobTestResult.objects.update_or_create(
            test=test,
            version=job.version,
            defaults={"status": status, "result": result, "basis": play["basis"], "elapsed_ms": 1},
        )
    JobTestRun.objects.filter(pk=run.pk).update(state="finished")


def refusal(job: Job, owner: User) -> ConflictError | None:
    try:
        require_tests_passed(job, current_version(job), owner)
    except ConflictError as error:
        return error
    return None


def states(job: Job) -> dict[str, str]:
    return {found.test.name: found.state for found in standing_tests(job)}


def test_a_job_without_tests_starts(job: Job, owner: User) -> None:
    assert refusal(job, owner) is None
    assert not JobTestRun.objects.exists()


def test_tests_that_were_not_run_are_run_first(job: Job, owner: User) -> None:
    create_test(job, owner, counted("a"))
    found = refusal(job, owner)
    assert found is not None
    run = JobTestRun.objects.get()
    assert (found.code, found.more) == ("TESTS_PENDING", {"tests": ["a"], "test_run": run.pk})
    assert refusal(job, owner) is not None
    assert JobTestRun.objects.count() == 1  # the same is not asked for twice


def test_red_tests_refuse_a_start(job: Job, owner: User) -> None:
    for name in ("a", "b", "c"):
        create_test(job, owner, counted(name))
    give(job, owner, a="passed", b="failed", c="error")
    found = refusal(job, owner)
    assert found is not None
    assert (found.code, found.more) == ("TESTS_FAILED", {"tests": ["b", "c"]})
    give(job, owner, a="passed", b="passed", c="passed")
    assert refusal(job, owner) is None


def test_a_result_ends_with_what_it_depends_on(job: Job, owner: User) -> None:
    test = create_test(job, owner, counted("a"))
    give(job, owner, a="passed")
    assert states(job) == {"a": "passed"}
    add_version(job, owner, DOCUMENT.replace("min(price)", "max(price)"))
    assert states(job) == {"a": "not_run"}
    give(job, owner, a="passed")
    change_test(test, owner, counted("a", 2), 1)
    assert states(job) == {"a": "outdated"}
    give(job, owner, a="passed")
    Stream.objects.update(contract={**CONTRACT, "delay": "3s"})
    assert states(job) == {"a": "outdated"}
    found = refusal(job, owner)
    assert found is not None
    assert found.code == "TESTS_PENDING"


def test_a_new_version_has_its_tests_run(job: Job, owner: User) -> None:
    add_version(job, owner, DOCUMENT.replace("min(price)", "max(price)"))
    assert not JobTestRun.objects.exists()
    create_test(job, owner, counted("a"))
    add_version(job, owner, DOCUMENT.replace("min(price)", "sum(price)"))
    assert list(JobTestRun.objects.values_list("version", "state")) == [(3, "queued")]


def test_a_start_asks_unless_it_runs_already(job: Job, owner: User) -> None:
    create_test(job, owner, counted("a"))
    with pytest.raises(ConflictError):
        start_job(job, owner, "now", checks=START_CHECKS)
    running(job)
    assert start_job(job, owner, "now", checks=START_CHECKS).generation == 1


def test_a_list_of_tests_holds_no_documents(
    job: Job, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Of which a job may have a hundred of a megabyte each."""
    for at in range(20):
        create_test(job, owner, counted(f"t{at}"))
    give(job, owner, **{f"t{at}": "passed" for at in range(20)})
    document = {"batches": [{"records": {"trades": [{"values": {"symbol": "x" * 500_000}}]}}]}
    JobTest.objects.update(document=document, document_text="x" * 500_000, accepted={"a": "x" * 500_000})
    JobTestResult.objects.update(result=Outcome(name="t", status="passed").model_dump(mode="json"))
    client, path = client_of(owner), f"/api/v1/workspaces/ops/jobs/{job.pk}"
    client.get(f"{path}/tests")  # what is imported with the first request doesn't count
    for route in ("tests", "test-report"):
        with CaptureQueriesContext(connection) as asked:
            tracemalloc.start()
            answer = client.get(f"{path}/{route}")
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert answer.status_code == 200, answer.content
        assert peak < 8_000_000
        columns = " ".join(each["sql"] for each in asked)
        assert '"job_tests_jobtest"."document_text"' not in columns
        assert '"job_tests_jobtest"."accepted"' not in columns
    assert {row["batches"] for row in client.get(f"{path}/tests").json()["results"]} == {1}
    with django_assert_max_num_queries(6):
        assert {found.state for found in standing_tests(job)} == {"outdated"}


def test_a_run_of_many_tests_holds_no_documents(job: Job, owner: User) -> None:
    for at in range(20):
        create_test(job, owner, counted(f"t{at}"))
    document = {"batches": [{"records": {"trades": [{"values": {"symbol": "x" * 500_000}}]}}]}
    JobTest.objects.update(document=document)
    tracemalloc.start()
    run = request_run(job, owner)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(run.plays) == 20
    assert peak < 8_000_000
