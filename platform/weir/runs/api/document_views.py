"""Views of documents: check, versions, diff."""

from typing import ClassVar, Final

from django.db.models import Max
from django.db.models.functions import Length
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.plan.forecast import forecast
from jobs.plan.lineage import output_lineage, source_paths
from jobs.plan.render import render
from weir.runs.api.document_serializers import (
    CheckedDocumentSerializer,
    CheckSerializer,
    ComparedDocumentSerializer,
    DiffSerializer,
    DocumentSerializer,
    ForecastSerializer,
    LoadSerializer,
    MeasuredLoadSerializer,
    NewVersionSerializer,
    ScriptSerializer,
    SqlDocumentSerializer,
    SqlSerializer,
    SqlTextSerializer,
    VersionSerializer,
)
from weir.runs.models import JobVersion
from weir.runs.services.job_diff import diff_job
from weir.runs.services.measured_load import measured_load
from weir.runs.services.planning import carried_contracts, plan_carried, plan_in
from weir.runs.services.queries import get_job, get_version
from weir.runs.services.sql_documents import document_of, sql_of
from weir.runs.services.versions import add_version
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.pagination import NewestFirst
from weir.workspaces.roles import Right

MAX_LISTED_CHARACTERS: Final = 4_000_000  # of the texts of versions on a page


class ByNumber(NewestFirst):
    """Newest first."""

    ordering = "-number"


class CheckView(WorkspaceView):
    """Checking a document."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="documents_check", request=CheckedDocumentSerializer, responses=CheckSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """All problems of a document, and the output schema of every step. Refuses invalid contracts only."""
        form = CheckedDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        document, streams = form.validated_data["document"], form.validated_data["streams"]
        plan = (
            plan_in(self.workspace, document)
            if streams is None
            else plan_carried(document, carried_contracts(streams))
        )
        return Response(
            {
                **plan.as_json(),
                "lineage": output_lineage(plan),
                "source_paths": source_paths(plan) if plan.ok else {},
            }
        )


class ScriptView(WorkspaceView):
    """A document as a script."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="documents_script", request=DocumentSerializer, responses=ScriptSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The job as a stand-alone PySpark script that plain spark-submit runs, or why it cannot be one."""
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        script = render(plan_in(self.workspace, form.validated_data["document"]))
        return Response({"script": script.text, "refusals": list(script.refusals)})


class SqlView(WorkspaceView):
    """SQL as a document."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="documents_from_sql", request=SqlSerializer, responses=SqlDocumentSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The job document that SQL statements are, with all problems at their place; always 200."""
        form = SqlSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = document_of(self.workspace, form.validated_data["text"], form.validated_data["name"])
        return Response(
            {"document": found.document, "problems": [problem.as_json() for problem in found.problems]}
        )


class SqlTextView(WorkspaceView):
    """A document as SQL."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="documents_to_sql", request=DocumentSerializer, responses=SqlTextSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The job as SQL statements, or why it cannot be written so; always 200."""
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        text, problems, refusals = sql_of(self.workspace, form.validated_data["document"])
        return Response(
            {
                "text": text,
                "problems": [problem.as_json() for problem in problems],
                "refusals": [{"path": path, "reason": reason} for path, reason in refusals],
            }
        )


class ForecastView(WorkspaceView):
    """The state size of a document."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="documents_forecast", request=LoadSerializer, responses=ForecastSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The estimated state size of each step for these rates and numbers of keys."""
        form = LoadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        plan = plan_in(self.workspace, form.validated_data["document"])
        found = (
            forecast(plan, form.validated_data["rates"], form.validated_data["key_counts"]) if plan.ok else []
        )
        return Response({"steps": [state.as_json() for state in found]})


class MeasuredLoadView(WorkspaceView):
    """The load that a document's streams show now."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="documents_measured_load", request=DocumentSerializer, responses=MeasuredLoadSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """Rates of the sources, and numbers of keys in a sample of their newest records."""
        form = DocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        plan = plan_in(self.workspace, form.validated_data["document"])
        return Response(measured_load(self.workspace, plan).as_json())


class VersionsView(WorkspaceView):
    """The versions of a job."""

    pagination_class: ClassVar[type[NewestFirst]] = ByNumber

    @extend_schema(operation_id="versions_list", responses=VersionSerializer(many=True))
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """All versions, newest first; a page has fewer where their documents are long."""
        rows = JobVersion.objects.filter(job=get_job(self.workspace, job_id)).select_related("created_by")
        longest = rows.aggregate(length=Max(Length("document_text")))["length"] or 1
        pages = ByNumber()
        pages.page_size = max(1, min(pages.page_size, MAX_LISTED_CHARACTERS // longest))
        rows = rows.defer("document", "result")
        return pages.get_paginated_response(
            VersionSerializer(pages.paginate_queryset(rows, request, view=self), many=True).data
        )

    @extend_schema(
        operation_id="versions_create", request=NewVersionSerializer, responses={201: VersionSerializer}
    )
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """A new version; a running job keeps its version until it is restarted. With `base`, 409
        (`VERSION_OUTDATED`, with the newest `version` and who saved it) if somebody saved another meanwhile.
        """
        job = get_job(self.workspace, job_id)
        form = NewVersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        version = add_version(
            job,
            self.user,
            data["document"],
            data["note"],
            data["expected"],
            base=data["base"],
            view=data["view"],
        )
        return Response(VersionSerializer(version).data, status=201)


class VersionView(WorkspaceView):
    """One version of a job."""

    @extend_schema(operation_id="versions_retrieve", responses=VersionSerializer)
    def get(self, request: Request, slug: str, job_id: str, version: int) -> Response:
        """The version of this number; versions never change."""
        found = get_version(get_job(self.workspace, job_id), version)
        return Response(VersionSerializer(found).data)


class DiffView(WorkspaceView):
    """The outcome of an edit."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="jobs_diff", request=ComparedDocumentSerializer, responses=DiffSerializer)
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Whether the job keeps its state, needs a new generation or has an invalid document, with reasons,
        before the edit is saved. `changes` are from the version `base`, the newest by default.
        """
        job = get_job(self.workspace, job_id)
        form = ComparedDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        diff = diff_job(job, form.validated_data["document"], form.validated_data["base"])
        return Response(
            {
                "outcome": diff.outcome,
                "note": diff.note,
                "changes": list(diff.changes),
                "problems": [problem.as_json() for problem in diff.problems],
            }
        )
