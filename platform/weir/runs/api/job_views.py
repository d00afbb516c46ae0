"""Views of jobs: list, create, start, stop, delete, history."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_of
from weir.runs.api.drawing_serializers import NewJobSerializer
from weir.runs.api.job_serializers import (
    ExecutionSerializer,
    JobListSerializer,
    JobSerializer,
    StartOptionsQuerySerializer,
    StartOptionsSerializer,
    StartSerializer,
)
from weir.runs.models import Execution, Job
from weir.runs.services.deletion import delete_job
from weir.runs.services.queries import get_job, job_summaries, jobs_json, jobs_of
from weir.runs.services.resumption import start_options
from weir.runs.services.start import start_job
from weir.runs.services.start_checks import START_CHECKS
from weir.runs.services.stop import stop_job
from weir.runs.services.versions import create_job
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.pagination import NewestFirst
from weir.workspaces.roles import Right


def _job(job: Job) -> dict[str, Any]:
    data: dict[str, Any] = JobSerializer(jobs_json([job])[0]).data
    return data


class ByStart(NewestFirst):
    """Newest first."""

    ordering = "-started_at"


class JobsView(WorkspaceView):
    """The jobs."""

    @extend_schema(operation_id="jobs_list", responses=JobListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All jobs with their state, without documents."""
        return Response(JobListSerializer({"results": job_summaries(jobs_of(self.workspace))}).data)

    @extend_schema(operation_id="jobs_create", request=NewJobSerializer, responses={201: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """A new job from a document; it is not started."""
        form = NewJobSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        made = create_job(self.workspace, self.user, data["document"], data["drawing"], data["view"])
        return Response(_job(made), status=201)


class JobView(WorkspaceView):
    """One job."""

    @extend_schema(operation_id="jobs_get", responses=JobSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The job and its state."""
        return Response(_job(get_job(self.workspace, job_id)))

    @extend_schema(operation_id="jobs_delete", responses={204: None})
    def delete(self, request: Request, slug: str, job_id: str) -> Response:
        """Delete the job, its state and its results."""
        delete_job(get_job(self.workspace, job_id), self.user)
        return Response(status=204)


class StartView(WorkspaceView):
    """Starting."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.START_JOBS}

    @extend_schema(
        operation_id="jobs_start_options",
        parameters=[StartOptionsQuerySerializer],
        responses=StartOptionsSerializer,
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Whether a start can resume the saved state, or why not."""
        job = get_job(self.workspace, job_id)
        form = StartOptionsQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        return Response(StartOptionsSerializer(start_options(job, form.validated_data["version"])).data)

    @extend_schema(operation_id="jobs_start", request=StartSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Start the job; no error when it runs already."""
        job = get_job(self.workspace, job_id)
        form = StartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        time_us = instant_of(data["time"]) if data["time"] else None
        started = start_job(
            job,
            self.user,
            data["from"],
            time_us=time_us,
            version=data["version"],
            checks=[] if data.get("despite_failed_tests") else START_CHECKS,
        )
        return Response(_job(started), status=202)


class StopView(WorkspaceView):
    """Stopping."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.STOP_JOBS}

    @extend_schema(operation_id="jobs_stop", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """Stop the job and keep its state; no error when it is stopped."""
        return Response(_job(stop_job(get_job(self.workspace, job_id), self.user)), status=202)


class RunsView(WorkspaceView):
    """The run history, with end reasons."""

    pagination_class: ClassVar[type[NewestFirst]] = ByStart

    @extend_schema(operation_id="jobs_runs", responses=ExecutionSerializer(many=True))
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The history of runs, newest first."""
        job = get_job(self.workspace, job_id)
        rows = Execution.objects.filter(run__generation__job=job).select_related("run__generation")
        pages = ByStart()
        return pages.get_paginated_response(
            ExecutionSerializer(pages.paginate_queryset(rows, request, view=self), many=True).data
        )
