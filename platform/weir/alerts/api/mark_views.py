"""Views of the marks on charts of jobs and consumer groups."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.alerts.models import Severity
from weir.alerts.services.marks import KINDS, group_marks, job_marks
from weir.consumer_groups.services.visible_groups import find_group
from weir.lag.api.history_serializers import HistoryQuerySerializer
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class MarkSerializer(serializers.Serializer[Any]):
    """Something that happened. `until`: when it was over; null: at once, or an alert that is `open`. `alert`:
    the id of the alert that it is; empty for others, as `severity`.
    """

    kind = serializers.ChoiceField(choices=list(KINDS))
    at = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True)
    title = serializers.CharField()
    alert = serializers.CharField(allow_blank=True)
    severity = serializers.ChoiceField(choices=Severity.choices, allow_blank=True)
    open = serializers.BooleanField()


class MarkListSerializer(serializers.Serializer[Any]):
    """Marks, oldest first; of each kind of thing the newest 200."""

    results = MarkSerializer(many=True)


class JobMarksView(WorkspaceView):
    """What happened around a job."""

    @extend_schema(
        operation_id="jobs_marks", parameters=[HistoryQuerySerializer], responses=MarkListSerializer
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Versions that began to run, starts, restarts and stops of a range, and alerts that fired in it."""
        form = HistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        job = get_job(self.workspace, job_id)
        return Response(MarkListSerializer({"results": job_marks(job, form.asked())}).data)


class GroupMarksView(WorkspaceView):
    """What happened around a consumer group."""

    @extend_schema(
        operation_id="consumer_groups_marks",
        parameters=[HistoryQuerySerializer],
        responses=MarkListSerializer,
    )
    def get(self, request: Request, slug: str, cluster: str, group: str) -> Response:
        """Alerts of a range and offsets that were moved; of a job's mirror, what happened to the job too."""
        form = HistoryQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        seen = find_group(self.workspace, cluster, group)
        marks = group_marks(self.workspace, seen, form.asked())
        return Response(MarkListSerializer({"results": marks}).data)
