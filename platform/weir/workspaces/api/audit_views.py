"""Views of the audit trail. Owners only: an address says where a person was."""

from typing import ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.workspaces.api.audit_serializers import (
    AuditEventSerializer,
    AuditExportSerializer,
    AuditFilterSerializer,
    AuditPageSerializer,
)
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.pagination import NewestFirst
from weir.workspaces.models import Event
from weir.workspaces.roles import Right
from weir.workspaces.services.audit_trail import FORMATS, EventFilter, export, find_events

_CURSOR = OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` of the page before.")


class ByTime(NewestFirst):
    """Newest first, also where several happened at once."""

    ordering = ("-at", "-id")


class AuditTrailView(WorkspaceView):
    """Who did what, when, and from where."""

    rights: ClassVar[dict[str, Right]] = {"GET": Right.READ_AUDIT_TRAIL}

    @extend_schema(
        operation_id="audit_trail_list",
        parameters=[AuditFilterSerializer, _CURSOR],
        responses=AuditPageSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """A page of 50 events, newest first."""
        form = AuditFilterSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        pages = ByTime()
        found = find_events(self.workspace, EventFilter(**form.validated_data))
        rows: list[Event] | None = pages.paginate_queryset(found, request, view=self)
        return pages.get_paginated_response(AuditEventSerializer(rows, many=True).data)


class AuditTrailExportView(WorkspaceView):
    """The audit trail as a file."""

    rights: ClassVar[dict[str, Right]] = {"GET": Right.READ_AUDIT_TRAIL}

    @extend_schema(
        operation_id="audit_trail_export",
        parameters=[AuditExportSerializer],
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.BINARY,
            (200, "text/csv"): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All events that the filter lets through, newest first, as JSON lines or CSV."""
        form = AuditExportSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        name = data.pop("format")
        response = StreamingHttpResponse(
            export(name, EventFilter(**data), self.membership), content_type=FORMATS[name]
        )
        response["Content-Disposition"] = f'attachment; filename="audit-trail-{slug}.{name}"'
        return response
