"""Views of a workspace's receiver of OpenLineage events."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.openlineage.api.serializers import (
    LineageEventListSerializer,
    LineageEventQuerySerializer,
    LineageReceiverChangeSerializer,
    LineageReceiverSerializer,
    LineageSettingSerializer,
)
from weir.openlineage.services.queries import events_page, receiver_of, require_receiver
from weir.openlineage.services.settings import delete_receiver, send_test, set_receiver
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class ReceiverView(WorkspaceView):
    """Where a workspace's lineage goes, and what came of it."""

    rights: ClassVar = {"PUT": Right.MANAGE_CHANNELS, "DELETE": Right.MANAGE_CHANNELS}
    throttle_scope = "channel-test"  # addresses are looked up
    throttle_methods = ("PUT",)

    @extend_schema(operation_id="openlineage_read", responses=LineageSettingSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The receiver, and what came of the last delivery; its key is never shown."""
        return Response(LineageSettingSerializer({"receiver": receiver_of(self.workspace)}).data)

    @extend_schema(
        operation_id="openlineage_set",
        request=LineageReceiverChangeSerializer,
        responses=LineageReceiverSerializer,
    )
    def put(self, request: Request, slug: str) -> Response:
        """Set the receiver. One that is new or turned on is told of the jobs that run already."""
        form = LineageReceiverChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        set_receiver(
            self.workspace,
            self.user,
            data["url"],
            data["namespace"],
            data["key"],
            enabled=data["enabled"],
            revision=data["revision"],
        )
        return Response(LineageReceiverSerializer(require_receiver(self.workspace)).data)

    @extend_schema(operation_id="openlineage_delete", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Send no lineage any more; events that wait are dropped."""
        delete_receiver(require_receiver(self.workspace), self.user)
        return Response(status=204)


class ReceiverTestView(WorkspaceView):
    """Trying the receiver."""

    rights: ClassVar = {"POST": Right.MANAGE_CHANNELS}
    throttle_scope = "channel-test"  # without a limit, tests could be used to reach others again and again

    @extend_schema(operation_id="openlineage_test", request=None, responses={202: LineageReceiverSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Send a test event, for the job `weir-connection-test`; the last delivery says what came of it."""
        send_test(require_receiver(self.workspace), self.user)
        return Response(LineageReceiverSerializer(require_receiver(self.workspace)).data, status=202)


class EventsView(WorkspaceView):
    """The delivery log of events."""

    @extend_schema(
        operation_id="openlineage_events_list",
        parameters=[LineageEventQuerySerializer],
        responses=LineageEventListSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Events that wait, were sent or were given up in the last 7 days, the newest first."""
        query = LineageEventQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        listed, after = events_page(self.workspace, wanted.get("state"), wanted.get("before"))
        return Response(LineageEventListSerializer({"results": listed, "next": after}).data)
