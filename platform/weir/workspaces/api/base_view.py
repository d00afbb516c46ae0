"""The base of all views below ``/workspaces/<slug>/``: resolves user, workspace and role."""

from typing import Any, ClassVar

from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from weir.workspaces.models import Membership, User, Workspace
from weir.workspaces.roles import NEEDED_ROLE, Right, Role


class WorkspaceView(APIView):
    """Resolves the slug of the URL to a workspace of which the user is a member.

    Other users get the same 404 as for a workspace that does not exist. A view that needs
    another right than `READ` or `EDIT` names it by method in `rights` (`weir.workspaces.roles`).
    """

    rights: ClassVar[dict[str, Right]] = {}
    workspace: Workspace
    role: Role

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, find the workspace, check the right."""
        super().initial(request, *args, **kwargs)
        membership = (
            Membership.objects.select_related("workspace")
            .filter(user=request.user.pk, workspace__slug=kwargs["slug"])
            .first()
        )
        if membership is None:
            raise NotFound
        self.workspace, self.role = membership.workspace, Role(membership.role)
        method = request.method or ""
        right = self.rights.get(method, Right.READ if method in SAFE_METHODS else Right.EDIT)
        if not self.role.may(right):
            article = "an" if self.role.value[0] in "eo" else "a"
            raise PermissionDenied(
                f"Requires the {NEEDED_ROLE[right].value} role; you're {article} {self.role.value}."
            )

    @property
    def user(self) -> User:
        """The signed-in user."""
        user = self.request.user
        if not isinstance(user, User):
            raise NotFound
        return user
