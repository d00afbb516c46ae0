"""Views of read-only links, for members."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.dashboards.api.link_serializers import (
    CreatedShareLinkSerializer,
    NewShareLinkSerializer,
    ShareLinkListSerializer,
    ShareLinkSerializer,
)
from weir.dashboards.services.queries import get_dashboard
from weir.dashboards.services.share_links import create_link, links_of, revoke_link
from weir.workspaces.api.base_view import WorkspaceView


class LinksView(WorkspaceView):
    """The links of a dashboard."""

    @extend_schema(operation_id="dashboards_links_list", responses=ShareLinkListSerializer)
    def get(self, request: Request, slug: str, dashboard_id: str) -> Response:
        """The links, newest first, without their tokens."""
        links = links_of(get_dashboard(self.workspace, dashboard_id))
        return Response(ShareLinkListSerializer({"results": links}).data)

    @extend_schema(
        operation_id="dashboards_links_create",
        request=NewShareLinkSerializer,
        responses={201: CreatedShareLinkSerializer},
    )
    def post(self, request: Request, slug: str, dashboard_id: str) -> Response:
        """Create a link; its token is only in this response."""
        dashboard = get_dashboard(self.workspace, dashboard_id)
        form = NewShareLinkSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        link, token = create_link(dashboard, self.user, data["note"], data["days"])
        return Response({**ShareLinkSerializer(link).data, "token": token}, status=201)


class LinkView(WorkspaceView):
    """One link."""

    @extend_schema(operation_id="dashboards_links_delete", responses={204: None})
    def delete(self, request: Request, slug: str, dashboard_id: str, link_id: str) -> Response:
        """Revoke it."""
        revoke_link(get_dashboard(self.workspace, dashboard_id), link_id, self.user)
        return Response(status=204)
