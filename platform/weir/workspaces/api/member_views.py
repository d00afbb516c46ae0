"""Members and invitations: serializers and views."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.serializers import (
    MemberListSerializer,
    MemberSerializer,
    NewRoleSerializer,
)
from weir.workspaces.models import Membership
from weir.workspaces.roles import Right, Role
from weir.workspaces.services.members import change_role, remove_member


class MembersView(WorkspaceView):
    """The workspace's members."""

    @extend_schema(operation_id="members_list", responses=MemberListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Everybody with a role here."""
        rows = (
            Membership.objects.filter(workspace=self.workspace)
            .select_related("user")
            .order_by("user__username")
        )
        return Response({"results": MemberSerializer(rows, many=True).data})


class MemberView(WorkspaceView):
    """One member."""

    rights: ClassVar[dict[str, Right]] = {"PATCH": Right.MANAGE_MEMBERS, "DELETE": Right.MANAGE_MEMBERS}

    @extend_schema(operation_id="members_change", request=NewRoleSerializer, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, member_id: int) -> Response:
        """Give another role. What the member watches and the new role does not allow ends within 5 s."""
        form = NewRoleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        row = change_role(self.workspace, member_id, Role(form.validated_data["role"]), self.user)
        return Response(MemberSerializer(row).data)

    @extend_schema(operation_id="members_delete", responses={204: None})
    def delete(self, request: Request, slug: str, member_id: int) -> Response:
        """Take the role away."""
        remove_member(self.workspace, member_id, self.user)
        return Response(status=204)
