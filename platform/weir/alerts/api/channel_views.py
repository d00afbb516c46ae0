"""Views of channels."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.alerts.api.channel_serializers import (
    ChannelChangeSerializer,
    ChannelListSerializer,
    ChannelSerializer,
    CreatedChannelSerializer,
    NewChannelSerializer,
)
from weir.alerts.api.serializers import NotificationSerializer
from weir.alerts.services import queries
from weir.alerts.services.channels import change_channel, create_channel, delete_channel, send_test
from weir.alerts.services.email import is_configured
from weir.alerts.task_queue import ask_for_delivery
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class ChannelsView(WorkspaceView):
    """The channels of a workspace."""

    rights: ClassVar = {"POST": Right.MANAGE_CHANNELS}
    throttle_scope = "channel-test"  # addresses are looked up
    throttle_methods = ("POST",)

    @extend_schema(operation_id="alert_channels_list", responses=ChannelListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The channels by name."""
        listed = {"results": queries.channels_of(self.workspace), "email_configured": is_configured()}
        return Response(ChannelListSerializer(listed).data)

    @extend_schema(
        operation_id="alert_channels_create",
        request=NewChannelSerializer,
        responses={201: CreatedChannelSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a channel; the secret of a generic webhook is shown this once."""
        form = NewChannelSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        made, secret = create_channel(
            self.workspace, self.user, data["name"], data["kind"], data["address"], data["least_severity"]
        )
        return Response({**ChannelSerializer(made).data, "secret": secret}, status=201)


class ChannelView(WorkspaceView):
    """One channel."""

    rights: ClassVar = {"PUT": Right.MANAGE_CHANNELS, "DELETE": Right.MANAGE_CHANNELS}

    @extend_schema(
        operation_id="alert_channels_change", request=ChannelChangeSerializer, responses=ChannelSerializer
    )
    def put(self, request: Request, slug: str, channel_id: str) -> Response:
        """Rename it, turn it on or off, or change from which severity on it is told."""
        found = queries.found(queries.channels_of(self.workspace), "Channel", pk=channel_id)
        form = ChannelChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        changed = change_channel(
            found,
            self.user,
            data["name"],
            data["least_severity"],
            enabled=data["enabled"],
            revision=data["revision"],
        )
        return Response(ChannelSerializer(changed).data)

    @extend_schema(operation_id="alert_channels_delete", responses={204: None})
    def delete(self, request: Request, slug: str, channel_id: str) -> Response:
        """Delete the channel with its delivery log."""
        delete_channel(
            queries.found(queries.channels_of(self.workspace), "Channel", pk=channel_id), self.user
        )
        return Response(status=204)


class ChannelTestView(WorkspaceView):
    """Trying a channel."""

    rights: ClassVar = {"POST": Right.MANAGE_CHANNELS}
    throttle_scope = "channel-test"  # without a limit, tests could be used to reach others again and again

    @extend_schema(operation_id="alert_channels_test", request=None, responses={202: NotificationSerializer})
    def post(self, request: Request, slug: str, channel_id: str) -> Response:
        """Send a test message; the delivery log says what came of it."""
        found = queries.found(queries.channels_of(self.workspace), "Channel", pk=channel_id)
        made = send_test(found, self.user)
        ask_for_delivery()
        return Response(NotificationSerializer(made).data, status=202)
