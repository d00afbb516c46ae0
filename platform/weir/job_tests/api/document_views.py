"""Views of tests of documents that no job has: drafts, and worked examples with streams of their own."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.job_tests.api.serializers import (
    JobTestRunSerializer,
    TestCheckSerializer,
    TestedDocumentSerializer,
)
from weir.job_tests.services.queries import get_document_run
from weir.job_tests.services.runs import cancel_run, request_document
from weir.job_tests.services.subjects import subject_of_document
from weir.job_tests.services.tests import check_text
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class DocumentTestCheckView(WorkspaceView):
    """Checking a test of a document."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="documents_test_check", request=TestedDocumentSerializer, responses=TestCheckSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """All problems of a test document against a job document; 200 unless a contract is invalid."""
        form = TestedDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        subject = subject_of_document(self.workspace, data["document"], data["streams"])
        _, problems = check_text(data["test"], subject.plan)
        return Response(TestCheckSerializer({"problems": [found.as_json() for found in problems]}).data)


class DocumentTestsView(WorkspaceView):
    """Running a test of a document."""

    @extend_schema(
        operation_id="documents_test",
        request=TestedDocumentSerializer,
        responses={202: JobTestRunSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Run a test of a document that no job has; the same person's run before it ends. Its run tells what
        came by batch.
        """
        form = TestedDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        run = request_document(self.workspace, self.user, data["document"], data["streams"], data["test"])
        return Response(JobTestRunSerializer(run).data, status=202)


class DocumentTestRunView(WorkspaceView):
    """One run of a test of a document."""

    @extend_schema(operation_id="documents_test_run", responses=JobTestRunSerializer)
    def get(self, request: Request, slug: str, test_run_id: str) -> Response:
        """How far it is."""
        return Response(JobTestRunSerializer(get_document_run(self.workspace, test_run_id)).data)

    @extend_schema(operation_id="documents_test_cancel", responses={202: JobTestRunSerializer})
    def delete(self, request: Request, slug: str, test_run_id: str) -> Response:
        """Cancel it; no error when it has ended."""
        run = cancel_run(get_document_run(self.workspace, test_run_id))
        return Response(JobTestRunSerializer(run).data, status=202)
