"""Members and invitations: serializers and views."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from weir.workspaces import invitations, services
from weir.workspaces.api import UserSerializer, WorkspaceRoleSerializer
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.models import Membership, Role, User


class MemberSerializer(serializers.Serializer[Any]):
    """A member and their role."""

    id = serializers.IntegerField(read_only=True)
    user = UserSerializer(read_only=True)
    role = serializers.ChoiceField(choices=Role.choices)


class NewRoleSerializer(serializers.Serializer[Any]):
    """A role."""

    role = serializers.ChoiceField(choices=Role.choices)


class MemberListSerializer(serializers.Serializer[Any]):
    """The members."""

    results = MemberSerializer(many=True)


class MembersView(WorkspaceView):
    """The workspace's members."""

    @extend_schema(operation_id="members_list", responses=MemberListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Everybody with a role here."""
        rows = Membership.objects.filter(workspace=self.workspace).select_related("user").order_by("user__username")
        return Response({"results": MemberSerializer(rows, many=True).data})


class MemberView(WorkspaceView):
    """One member."""

    roles: ClassVar[dict[str, Role]] = {"PATCH": Role.OWNER, "DELETE": Role.OWNER}

    @extend_schema(operation_id="members_change", request=NewRoleSerializer, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, member_id: int) -> Response:
        """Give another role. What the member watches and the new role does not allow ends within 5 s."""
        form = NewRoleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = services.change_role(self.workspace, member_id, Role(form.validated_data["role"]), self.user)
        return Response(MemberSerializer(row).data)

    @extend_schema(operation_id="members_delete", responses={204: None})
    def delete(self, request: Request, slug: str, member_id: int) -> Response:
        """Take the role away."""
        services.remove_member(self.workspace, member_id, self.user)
        return Response(status=204)


class NewInvitationSerializer(serializers.Serializer[Any]):
    """A username and the role to offer."""

    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(choices=Role.choices)


class OpenInvitationSerializer(NewInvitationSerializer):
    """An invitation that is not accepted yet."""

    id = serializers.IntegerField(read_only=True)
    invited_by = serializers.CharField(read_only=True)
    created_at = serializers.DateTimeField(read_only=True)


class OpenInvitationListSerializer(serializers.Serializer[Any]):
    """The open invitations of a workspace."""

    results = OpenInvitationSerializer(many=True)


class InvitationsView(WorkspaceView):
    """The workspace's open invitations."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.OWNER, "POST": Role.OWNER}
    throttle_scope = "invitation"
    throttle_methods = ("POST",)

    @extend_schema(operation_id="invitations_list", responses=OpenInvitationListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Usernames whose invitations are open."""
        rows = self.workspace.invitations.order_by("username")
        return Response({"results": OpenInvitationSerializer(rows, many=True).data})

    @extend_schema(operation_id="invitations_create", request=NewInvitationSerializer, responses={201: OpenInvitationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Offer a role to a user name. The response does not reveal whether the user exists."""
        form = NewInvitationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = invitations.invite(self.workspace, form.validated_data["username"], Role(form.validated_data["role"]), self.user)
        return Response(OpenInvitationSerializer(row).data, status=201)


class InvitationView(WorkspaceView):
    """One open invitation."""

    roles: ClassVar[dict[str, Role]] = {"DELETE": Role.OWNER}

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
