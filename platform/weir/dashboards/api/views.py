"""Views of dashboards."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.dashboards.api.serializers import (
    DashboardChangeSerializer,
    DashboardListSerializer,
    DashboardSerializer,
    LiveOutputListSerializer,
    NewDashboardSerializer,
)
from weir.dashboards.services.dashboards import change_dashboard, create_dashboard, delete_dashboard
from weir.dashboards.services.outputs import live_outputs
from weir.dashboards.services.queries import dashboards_of, get_dashboard
from weir.workspaces.api.base_view import WorkspaceView


class DashboardsView(WorkspaceView):
    """The dashboards of a workspace."""

    @extend_schema(operation_id="dashboards_list", responses=DashboardListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The dashboards by name, without their panels."""
        return Response(DashboardListSerializer({"results": dashboards_of(self.workspace)}).data)

    @extend_schema(
        operation_id="dashboards_create", request=NewDashboardSerializer, responses={201: DashboardSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a dashboard."""
        form = NewDashboardSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        made = create_dashboard(
            self.workspace, self.user, form.validated_data["name"], form.validated_data["document"]
        )
        return Response(DashboardSerializer(made).data, status=201)


class DashboardView(WorkspaceView):
    """One dashboard."""

    @extend_schema(operation_id="dashboards_get", responses=DashboardSerializer)
    def get(self, request: Request, slug: str, dashboard_id: str) -> Response:
        """The dashboard with its document."""
        return Response(DashboardSerializer(get_dashboard(self.workspace, dashboard_id)).data)

    @extend_schema(
        operation_id="dashboards_change", request=DashboardChangeSerializer, responses=DashboardSerializer
    )
    def put(self, request: Request, slug: str, dashboard_id: str) -> Response:
        """Replace name and document, if nobody changed the dashboard since `revision`."""
        found = get_dashboard(self.workspace, dashboard_id)
        form = DashboardChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        changed = change_dashboard(found, self.user, data["name"], data["document"], data["revision"])
        return Response(DashboardSerializer(changed).data)

    @extend_schema(operation_id="dashboards_delete", responses={204: None})
    def delete(self, request: Request, slug: str, dashboard_id: str) -> Response:
        """Delete the dashboard and its links."""
        delete_dashboard(get_dashboard(self.workspace, dashboard_id), self.user)
        return Response(status=204)


class OutputsView(WorkspaceView):
    """What panels can show."""

    @extend_schema(operation_id="dashboards_outputs_list", responses=LiveOutputListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The live results of the workspace's jobs, with their fields."""
        outputs = [one for one in live_outputs(self.workspace) if one.output is not None]
        return Response(LiveOutputListSerializer({"results": outputs}).data)
