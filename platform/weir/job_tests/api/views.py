"""Views of tests of jobs and their runs."""

from typing import ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.job_tests.junit import junit_xml
from weir.job_tests.api.serializers import (
    JobTestChangeSerializer,
    JobTestListSerializer,
    JobTestRunSerializer,
    JobTestSerializer,
    NewTestRunSerializer,
    TestCheckSerializer,
    TestDocumentSerializer,
    TestDraftSerializer,
    TestVersionQuerySerializer,
)
from weir.job_tests.services.queries import get_run, get_test, newest_run, results_of, standing_tests
from weir.job_tests.services.runs import cancel_run, request_draft, request_run
from weir.job_tests.services.tests import change_test, check_text, create_test, delete_test, plan_of
from weir.runs.services.planning import current_version
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


def _version(request: Request) -> int | None:
    form = TestVersionQuerySerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    found: int | None = form.validated_data["version"]
    return found


class JobTestsView(WorkspaceView):
    """The tests of a job."""

    @extend_schema(
        operation_id="job_tests_list",
        parameters=[TestVersionQuerySerializer],
        responses=JobTestListSerializer,
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The tests of a version with their newest results."""
        job = get_job(self.workspace, job_id)
        version = current_version(job, _version(request))
        data = {
            "version": version.number,
            "results": standing_tests(job, version.number),
            "run": newest_run(job),
        }
        return Response(JobTestListSerializer(data).data)

    @extend_schema(
        operation_id="job_tests_create", request=TestDocumentSerializer, responses={201: JobTestSerializer}
    )
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Add a test, from the job's newest version on."""
        job = get_job(self.workspace, job_id)
        form = TestDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        made = create_test(job, self.user, form.validated_data["document"])
        return Response(JobTestSerializer(made).data, status=201)


class JobTestView(WorkspaceView):
    """One test."""

    @extend_schema(operation_id="job_tests_get", responses=JobTestSerializer)
    def get(self, request: Request, slug: str, job_id: str, test_id: str) -> Response:
        """The test with its document."""
        return Response(JobTestSerializer(get_test(get_job(self.workspace, job_id), test_id)).data)

    @extend_schema(
        operation_id="job_tests_change", request=JobTestChangeSerializer, responses=JobTestSerializer
    )
    def put(self, request: Request, slug: str, job_id: str, test_id: str) -> Response:
        """Replace the document from the newest version on, if nobody changed the test since `revision`."""
        test = get_test(get_job(self.workspace, job_id), test_id)
        form = JobTestChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        changed = change_test(test, self.user, data["document"], data["revision"])
        return Response(JobTestSerializer(changed).data)

    @extend_schema(operation_id="job_tests_delete", responses={204: None})
    def delete(self, request: Request, slug: str, job_id: str, test_id: str) -> Response:
        """Delete the test; versions before the newest keep it."""
        delete_test(get_test(get_job(self.workspace, job_id), test_id), self.user)
        return Response(status=204)


class TestCheckView(WorkspaceView):
    """Checking a test document."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="job_tests_check", request=TestDraftSerializer, responses=TestCheckSerializer)
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """All problems of a test document against a version of the job; always 200."""
        job = get_job(self.workspace, job_id)
        form = TestDraftSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        _, problems = check_text(data["document"], plan_of(job, data["version"]))
        return Response(TestCheckSerializer({"problems": [found.as_json() for found in problems]}).data)


class JUnitView(WorkspaceView):
    """Results for CI systems."""

    @extend_schema(
        operation_id="job_tests_junit",
        parameters=[TestVersionQuerySerializer],
        responses={(200, "application/xml"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, slug: str, job_id: str) -> HttpResponse:
        """The newest results of a version's tests as JUnit XML; one that was not run is an error."""
        job = get_job(self.workspace, job_id)
        results = results_of(standing_tests(job, _version(request)))
        return HttpResponse(
            junit_xml({job.name: results}),
            content_type="application/xml",
            headers={"Content-Disposition": 'attachment; filename="junit.xml"'},
        )


class TestRunsView(WorkspaceView):
    """Runs of tests."""

    @extend_schema(
        operation_id="job_test_runs_create",
        request=NewTestRunSerializer,
        responses={202: JobTestRunSerializer},
    )
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Run tests; the same that wait or run already are returned."""
        job = get_job(self.workspace, job_id)
        form = NewTestRunSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        run = request_run(job, self.user, form.validated_data["version"], form.validated_data["tests"])
        return Response(JobTestRunSerializer(run).data, status=202)


class TestRunView(WorkspaceView):
    """One run of tests."""

    @extend_schema(operation_id="job_test_runs_get", responses=JobTestRunSerializer)
    def get(self, request: Request, slug: str, job_id: str, test_run_id: str) -> Response:
        """How far it is."""
        return Response(JobTestRunSerializer(get_run(get_job(self.workspace, job_id), test_run_id)).data)

    @extend_schema(operation_id="job_test_runs_cancel", responses={202: JobTestRunSerializer})
    def delete(self, request: Request, slug: str, job_id: str, test_run_id: str) -> Response:
        """Cancel it; no error when it has ended."""
        run = cancel_run(get_run(get_job(self.workspace, job_id), test_run_id))
        return Response(JobTestRunSerializer(run).data, status=202)


class TestDraftsView(WorkspaceView):
    """Tests that are not saved."""

    @extend_schema(
        operation_id="job_test_drafts_run", request=TestDraftSerializer, responses={202: JobTestRunSerializer}
    )
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Run a test that is not saved; its run tells what came, and the expectation by which it passes."""
        job = get_job(self.workspace, job_id)
        form = TestDraftSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        run = request_draft(job, self.user, form.validated_data["document"], form.validated_data["version"])
        return Response(JobTestRunSerializer(run).data, status=202)
