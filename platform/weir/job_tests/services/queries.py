"""Reads tests with their newest results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from jobs.formats.contract import StreamContract
from jobs.job_tests.results import JobTestResult as TestResult
from weir.job_tests.models import JobTest, JobTestResult, JobTestRun
from weir.job_tests.services.basis import basis_of, read_streams
from weir.runs.models import Job, JobVersion
from weir.runs.services.planning import current_version
from weir.streams.services.streams import catalog
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace

Standing = Literal["passed", "failed", "error", "outdated", "not_run"]


@dataclass(frozen=True)
class StandingTest:
    """A test and how it stands with one version.

    Attributes:
        test: itself.
        state: of its newest result; outdated: something that it depends on has changed since.
        result: the newest; None: it was not played with that version.
        batches: how many it has.
        must_run: it has to be played before a start. A test that came with an example does not, with the
            version that came with it: it was played with this document before the example was published.
    """

    test: JobTest
    state: Standing
    result: JobTestResult | None
    batches: int
    must_run: bool = False


def standing_tests(job: Job, number: int | None = None) -> list[StandingTest]:
    """The tests of a version by name, and how they stand: as many queries, however many there are. Each has
    its document no more, as all of them together may be hundreds of megabytes.

    Args:
        job: whose tests.
        number: of the version; None: the newest.
    """
    version = current_version(job, number)
    tests = JobTest.objects.of_version(version.number).filter(job=job)
    results = {
        result.test_id: result
        for result in JobTestResult.objects.filter(test__in=tests, version=version.number)
    }
    contracts = catalog(job.workspace)
    if results:
        contracts.read(read_streams(version))
    listed = tests.select_related("changed_by").defer("document_text", "accepted")
    return [
        _standing(test, results.get(test.pk), version, contracts) for test in listed.iterator(chunk_size=1)
    ]


def _standing(
    test: JobTest, result: JobTestResult | None, version: JobVersion, contracts: Mapping[str, StreamContract]
) -> StandingTest:
    document = test.document
    del test.document  # loaded again if somebody asks for it
    batches = len(document.get("batches", ()))
    if result is None:
        came_along = test.from_example and test.first_version == version.number
        return StandingTest(test, "not_run", None, batches, must_run=not came_along)
    if result.basis != basis_of(document, version, contracts):
        return StandingTest(test, "outdated", result, batches, must_run=True)
    state: Standing = (
        "passed" if result.status == "passed" else "failed" if result.status == "failed" else "error"
    )
    return StandingTest(test, state, result, batches)


def get_test(job: Job, test_id: str) -> JobTest:
    """A test of this job.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = JobTest.objects.filter(job=job, pk=test_id).select_related("job__workspace", "changed_by").first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Test not found, or you don't have access.")
    return found


def get_run(job: Job, run_id: str) -> JobTestRun:
    """A run of tests of this job.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = JobTestRun.objects.filter(job=job, pk=run_id).select_related("job__workspace").first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Test run not found, or you don't have access.")
    return found


def get_document_run(workspace: Workspace, run_id: str) -> JobTestRun:
    """A run of a test of a document that no job has.

    Raises:
        NotFoundError: there is none of that id.
    """
    found = JobTestRun.objects.filter(workspace=workspace, job=None, pk=run_id).first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Test run not found, or you don't have access.")
    return found


def newest_run(job: Job) -> JobTestRun | None:
    """The job's run of tests that was asked for last; drafts don't count."""
    return JobTestRun.objects.filter(job=job, draft="").first()


def names(tests: Iterable[StandingTest], *states: Standing) -> list[str]:
    """Names of the tests in one of these states."""
    return [found.test.name for found in tests if found.state in states]


def results_of(tests: Iterable[StandingTest]) -> list[TestResult]:
    """The results as a report tells them; a test that was not played as it is now is an error."""
    return [
        TestResult.model_validate(found.result.result)
        if found.result is not None and found.state != "outdated"
        else TestResult(name=found.test.name, status="error", message="It was not run with this version.")
        for found in tests
    ]
