"""Invitations: of a workspace, and of one's own."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.serializers import (
    NewInvitationSerializer,
    OpenInvitationListSerializer,
    OpenInvitationSerializer,
    WorkspaceRoleSerializer,
)
from weir.workspaces.models import User
from weir.workspaces.roles import Right, Role
from weir.workspaces.services import invitations


class InvitationsView(WorkspaceView):
    """The workspace's open invitations."""

    rights: ClassVar[dict[str, Right]] = {"GET": Right.MANAGE_MEMBERS, "POST": Right.MANAGE_MEMBERS}
    throttle_scope = "invitation"
    throttle_methods = ("POST",)

    @extend_schema(operation_id="invitations_list", responses=OpenInvitationListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Usernames whose invitations are open."""
        rows = self.workspace.invitations.order_by("username")
        return Response({"results": OpenInvitationSerializer(rows, many=True).data})

    @extend_schema(
        operation_id="invitations_create",
        request=NewInvitationSerializer,
        responses={201: OpenInvitationSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Offer a role to a user name. The response does not reveal whether the user exists."""
        form = NewInvitationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = invitations.invite(
            self.workspace, form.validated_data["username"], Role(form.validated_data["role"]), self.user
        )
        return Response(OpenInvitationSerializer(row).data, status=201)


class InvitationView(WorkspaceView):
    """One open invitation."""

    rights: ClassVar[dict[str, Right]] = {"DELETE": Right.MANAGE_MEMBERS}

    @extend_schema(operation_id="invitations_delete", responses={204: None})
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Withdraw it."""
        invitations.withdraw(self.workspace, invitation_id, self.user)
        return Response(status=204)


class MyInvitationView(APIView):
    """An invitation of one's own."""

    @extend_schema(operation_id="my_invitations_accept", request=None, responses=WorkspaceRoleSerializer)
    def post(self, request: Request, invitation_id: int) -> Response:
        """Become a member."""
        return Response(WorkspaceRoleSerializer(invitations.accept(_user(request), invitation_id)).data)

    @extend_schema(operation_id="my_invitations_decline", responses={204: None})
    def delete(self, request: Request, invitation_id: int) -> Response:
        """Do not."""
        invitations.decline(_user(request), invitation_id)
        return Response(status=204)


def _user(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotFound
    return request.user
