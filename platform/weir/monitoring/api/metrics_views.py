"""A workspace's metrics for Prometheus."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from weir.monitoring.services.collector import DatabaseCollector
from weir.workspaces.api.base_view import WorkspaceView


class AnyAccept(BaseContentNegotiation):
    """Errors are problem details whatever a scraper says it accepts, as Prometheus' formats are not JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The first."""
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The first."""
        return renderers[0], renderers[0].media_type


class MetricsView(WorkspaceView):
    """Everything that is measured in a workspace."""

    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="metrics_get",
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The workspace's series in Prometheus' text form (docs/reference/monitoring.md)."""
        body = generate_latest(DatabaseCollector(self.workspace))
        return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)
