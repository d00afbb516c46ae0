"""What whoever has a link may ask, without an account: the panels, and a ticket for their live results."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.dashboards.api.link_serializers import SharedDashboardSerializer, ShareTokenSerializer
from weir.dashboards.models import ShareLink
from weir.dashboards.services.share_links import create_share_ticket, open_link
from weir.workspaces.api.serializers import TicketSerializer


class SharedView(APIView):
    """A view for whoever has a link. A session or token of the caller is not looked at: it neither adds to
    nor takes from what the link shows.
    """

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_scope = "share-link"
    throttle_addresses = True

    def link(self, request: Request) -> ShareLink:
        """The link whose token the body holds.

        Raises:
            NotFoundError: unknown, expired or revoked.
        """
        form = ShareTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return open_link(form.validated_data["token"])


class SharedDashboardView(SharedView):
    """The dashboard of a link."""

    @extend_schema(
        operation_id="shared_dashboard_open",
        request=ShareTokenSerializer,
        responses=SharedDashboardSerializer,
    )
    def post(self, request: Request) -> Response:
        """Name and panels, as they are now."""
        link = self.link(request)
        dashboard = link.dashboard
        shown = {
            "name": dashboard.name,
            "document": dashboard.document,
            "revision": dashboard.revision,
            "expires_at": link.expires_at,
        }
        return Response(SharedDashboardSerializer(shown).data, headers={"Cache-Control": "no-store"})


class SharedTicketView(SharedView):
    """Tickets for the live results of a link's panels."""

    @extend_schema(
        operation_id="shared_dashboard_ticket",
        request=ShareTokenSerializer,
        responses={201: TicketSerializer},
    )
    def post(self, request: Request) -> Response:
        """A single-use ticket that allows `results/<job>` of the jobs on the dashboard, and nothing else."""
        return Response({"ticket": create_share_ticket(self.link(request))}, status=201)
