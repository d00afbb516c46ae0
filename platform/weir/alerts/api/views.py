"""Views of alerts, silences and the delivery log."""

from datetime import datetime
from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from weir.alerts.api.serializers import (
    AlertListSerializer,
    AlertSerializer,
    BeforeSerializer,
    NewSeenSerializer,
    NewSilenceSerializer,
    NotificationListSerializer,
    SeenSerializer,
    SilenceListSerializer,
    SilenceSerializer,
)
from weir.alerts.models import Alert
from weir.alerts.services import lifecycle, queries
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class AlertsView(WorkspaceView):
    """The alerts of a workspace."""

    @extend_schema(
        operation_id="alerts_list",
        parameters=[
            OpenApiParameter("state", str, enum=["open", "resolved"], description="Without it: both."),
            OpenApiParameter("job", str, description="Only of the job of this id."),
            BeforeSerializer,
        ],
        responses=AlertListSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Alerts, the newest first."""
        rows = queries.alerts_of(self.workspace)
        state, job = request.query_params.get("state"), request.query_params.get("job")
        if state == "open":
            rows = rows.filter(state__in=queries.OPEN)
        elif state == "resolved":
            rows = rows.filter(state=Alert.State.RESOLVED)
        elif state:
            raise ValidationError({"state": "Use open or resolved."})
        if job:
            rows = rows.filter(job=get_job(self.workspace, job))
        listed, after = queries.page_before(rows, "since", _before(request))
        found = queries.with_silences(self.workspace.pk, listed)
        return Response(AlertListSerializer({"results": found, "next": after}).data)


class AlertView(WorkspaceView):
    """One alert."""

    @extend_schema(operation_id="alerts_get", responses=AlertSerializer)
    def get(self, request: Request, slug: str, alert_id: str) -> Response:
        """The alert."""
        alert = queries.found(queries.alerts_of(self.workspace), "Alert", pk=alert_id)
        return Response(AlertSerializer(queries.with_silences(self.workspace.pk, [alert])[0]).data)


class AcknowledgeView(WorkspaceView):
    """Acknowledging an alert."""

    @extend_schema(operation_id="alerts_acknowledge", request=None, responses=AlertSerializer)
    def post(self, request: Request, slug: str, alert_id: str) -> Response:
        """Say that you look after an alert that fires; channels are told once."""
        alert = queries.found(queries.alerts_of(self.workspace), "Alert", pk=alert_id)
        return Response(AlertSerializer(lifecycle.acknowledge(alert, self.user)).data)


class SeenView(WorkspaceView):
    """What the person has looked at."""

    rights: ClassVar = {"PUT": Right.READ}  # of the person alone; others see nothing of it

    @extend_schema(operation_id="alerts_seen_get", responses=SeenSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Until when you have looked at the alerts; what fired later is unread."""
        return Response(SeenSerializer({"seen_at": lifecycle.seen_at(self.workspace, self.user)}).data)

    @extend_schema(operation_id="alerts_seen_set", request=NewSeenSerializer, responses=SeenSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """You have looked at the alerts that fired until a moment, or at all."""
        form = NewSeenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        seen_at = lifecycle.mark_seen(self.workspace, self.user, form.validated_data["until"])
        return Response(SeenSerializer({"seen_at": seen_at}).data)


class SilencesView(WorkspaceView):
    """Silences and maintenance windows."""

    @extend_schema(operation_id="silences_list", responses=SilenceListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Those that have not ended."""
        return Response(SilenceListSerializer({"results": queries.silences_of(self.workspace)}).data)

    @extend_schema(
        operation_id="silences_create", request=NewSilenceSerializer, responses={201: SilenceSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Hold back notifications of a rule, a job, an alert or the whole workspace for a time."""
        form = NewSilenceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        rule, job, alert = data["rule_id"], data["job_id"], data["alert_id"]
        made = lifecycle.create_silence(
            self.workspace,
            self.user,
            starts_at=data["starts_at"] or timezone.now(),
            ends_at=data["ends_at"],
            note=data["note"],
            rule=rule and queries.found(queries.rules_of(self.workspace), "Rule", pk=rule),
            job=job and get_job(self.workspace, job),
            alert=alert and queries.found(queries.alerts_of(self.workspace), "Alert", pk=alert),
        )
        return Response(SilenceSerializer(made).data, status=201)


class SilenceView(WorkspaceView):
    """One silence."""

    @extend_schema(operation_id="silences_end", responses={204: None})
    def delete(self, request: Request, slug: str, silence_id: str) -> Response:
        """End it now; what still fires is told."""
        found = queries.found(queries.silences_of(self.workspace), "Silence", pk=silence_id)
        lifecycle.end_silence(found, self.user)
        return Response(status=204)


class NotificationsView(WorkspaceView):
    """The delivery log."""

    @extend_schema(
        operation_id="notifications_list",
        parameters=[
            OpenApiParameter("channel", str, description="Only to the channel of this id."),
            BeforeSerializer,
        ],
        responses=NotificationListSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """What was sent to whom, and what came of it, the newest first."""
        rows = queries.notifications_of(self.workspace)
        if channel := request.query_params.get("channel"):
            rows = rows.filter(
                channel=queries.found(queries.channels_of(self.workspace), "Channel", pk=channel)
            )
        listed, after = queries.page_before(rows, "created_at", _before(request))
        return Response(NotificationListSerializer({"results": listed, "next": after}).data)


def _before(request: Request) -> datetime | None:
    form = BeforeSerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    found: datetime | None = form.validated_data.get("before")
    return found
