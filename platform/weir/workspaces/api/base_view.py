"""The base of all views below ``/workspaces/<slug>/``: resolves user, workspace and role."""

from contextlib import ExitStack
from typing import Any, ClassVar, Final

import structlog
from django.contrib.auth import get_user
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from weir.workspaces.models import Membership, User, Workspace
from weir.workspaces.roles import NEEDED_ROLE, Right, Role
from weir.workspaces.services.turns import ThreadTurns

# Of one person in a process, at a time: Python computes one thing after the other for everybody.
REQUESTS: Final = ThreadTurns(per_person=4, waiting=24)
SCANS: Final = ThreadTurns(per_person=2, waiting=24)  # of topics
_CHECKS: Final = ThreadTurns(per_person=1, waiting=24)


class WorkspaceView(APIView):
    """Resolves the slug of the URL to a workspace of which the user is a member.

    Other users get the same 404 as for a workspace that does not exist. A view that needs
    another right than `READ` or `EDIT` names it by method in `rights` (`weir.workspaces.roles`), one
    that reads many records has `turns` of its own.
    """

    rights: ClassVar[dict[str, Right]] = {}
    turns: ClassVar[ThreadTurns] = REQUESTS
    workspace: Workspace
    membership: Membership
    role: Role

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Serve the request while it holds a turn of its person, which `initial` takes."""
        with ExitStack() as self._held:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, find the workspace, check the right; the same again after a turn that came late."""
        super().initial(request, *args, **kwargs)
        right = self._require_right(request, kwargs["slug"])
        ids = {"job": kwargs["job_id"]} if "job_id" in kwargs else {}
        self._held.enter_context(
            structlog.contextvars.bound_contextvars(workspace=self.workspace.slug, **ids)
        )
        turns = _CHECKS if right == Right.CHECK else self.turns
        if self._held.enter_context(turns.of(self.user.pk)):
            self._authenticate_anew(request)
            self._require_right(request, kwargs["slug"])

    def _authenticate_anew(self, request: Request) -> None:
        """Read token or session and person from the database, whatever was read before.

        Raises:
            NotAuthenticated, AuthenticationFailed: they have ended.
        """
        raw = request._request
        if raw.session.session_key is not None:
            raw.session = type(raw.session)(raw.session.session_key)
            raw.user = get_user(raw)
        again = self.initialize_request(raw, *self.args, **self.kwargs)
        self.perform_authentication(again)
        self.check_permissions(again)

    def _require_right(self, request: Request, slug: str) -> Right:
        """Find the person's membership.

        Returns:
            The right that the method needs.

        Raises:
            NotFound: there is none.
            PermissionDenied: its role doesn't have the right.
        """
        membership = (
            Membership.objects.select_related("workspace")
            .filter(user=request.user.pk, user__is_active=True, workspace__slug=slug)
            .first()
        )
        if membership is None:
            raise NotFound
        self.membership, self.workspace, self.role = membership, membership.workspace, Role(membership.role)
        method = request.method or ""
        named = "GET" if method == "HEAD" else method  # which is answered as GET, without the body
        right = self.rights.get(named, Right.READ if method in SAFE_METHODS else Right.EDIT)
        if not self.role.may(right):
            article = "an" if self.role.value[0] in "eo" else "a"
            raise PermissionDenied(
                f"Requires the {NEEDED_ROLE[right].value} role; you're {article} {self.role.value}."
            )
        return right

    @property
    def user(self) -> User:
        """The signed-in user."""
        user = self.request.user
        if not isinstance(user, User):
            raise NotFound
        return user
