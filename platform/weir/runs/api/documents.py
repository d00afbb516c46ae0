"""Views of documents: check, versions, what an edit would do."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.plan.forecast import forecast
from jobs.plan.lineage import output_lineage, source_paths
from jobs.plan.render import render
from weir.runs import services
from weir.runs.api.selectors import find_job
from weir.runs.api.serializers import (
    CheckSerializer,
    DocumentSerializer,
    ForecastSerializer,
    LoadSerializer,
    NewVersionSerializer,
    ScriptSerializer,
    VerdictSerializer,
    VersionSerializer,
)
from weir.runs.models import JobVersion
from weir.runs.planning import judge, plan_in
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.models import Role


class ByNumber(CursorPagination):
    """Newest first."""

    ordering = "-number"
    page_size = 50


class CheckView(WorkspaceView):
    """Checking a document."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # it changes nothing

    @extend_schema(operation_id="check", request=DocumentSerializer, responses=CheckSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """All problems of a document at once, with what flows out of every step; always 200."""
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        plan = plan_in(self.workspace, form.validated_data["document"])
        return Response({**plan.as_json(), "lineage": output_lineage(plan), "source_paths": source_paths(plan) if plan.ok else {}})


class ScriptView(WorkspaceView):
    """A document as a script."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # it changes nothing

    @extend_schema(operation_id="check_script", request=DocumentSerializer, responses=ScriptSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The job as a stand-alone PySpark script that plain spark-submit runs, or why it cannot be one."""
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        script = render(plan_in(self.workspace, form.validated_data["document"]))
        return Response({"script": script.text, "refusals": list(script.refusals)})


class ForecastView(WorkspaceView):
    """What a document would keep."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # it changes nothing

    @extend_schema(operation_id="check_forecast", request=LoadSerializer, responses=ForecastSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """How large the state of each step becomes for these rates and numbers of keys."""
        form = LoadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        plan = plan_in(self.workspace, form.validated_data["document"])
        found = forecast(plan, form.validated_data["rates"], form.validated_data["keys"]) if plan.ok else []
        return Response({"steps": [state.as_json() for state in found]})


class VersionsView(WorkspaceView):
    """The versions of a job."""

    pagination_class: ClassVar[type[CursorPagination]] = ByNumber

    @extend_schema(operation_id="versions_list", responses=VersionSerializer(many=True))
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """All versions, newest first."""
        rows = JobVersion.objects.filter(job=find_job(self.workspace, job_id)).select_related("created_by")
        pages = ByNumber()
        return pages.get_paginated_response(VersionSerializer(pages.paginate_queryset(rows, request, view=self), many=True).data)

    @extend_schema(operation_id="versions_create", request=NewVersionSerializer, responses={201: VersionSerializer})
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """A new version; what runs goes on until the job is started again."""
        job = find_job(self.workspace, job_id)
        form = NewVersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        version = services.add_version(job, self.person, wanted["document"], wanted["note"], wanted["expected"])
        return Response(VersionSerializer(version).data, status=201)


class VerdictView(WorkspaceView):
    """What an edit would do."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # it changes nothing

    @extend_schema(operation_id="jobs_verdict", request=DocumentSerializer, responses=VerdictSerializer)
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Goes on with the same state, begins a new generation, or cannot be; with reasons, before it happens."""
        job = find_job(self.workspace, job_id)
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        judged = judge(job, form.validated_data["document"])
        return Response(
            {
                "verdict": judged.outcome,
                "changes": list(judged.changes),
                "problems": [problem.as_json() for problem in judged.problems],
            }
        )
