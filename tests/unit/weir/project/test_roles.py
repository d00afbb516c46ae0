"""Every route with every kind of caller: nobody, a stranger, each role, and tokens that have ended."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from tests.support.routes import filled_with_unknown
from tests.support.undone import undone
from tests.support.users import client_of, create_user, member
from tests.unit.weir.project.test_strangers import CALLS, FOR_VIEWERS
from weir.schemas import urls
from weir.workspaces.models import ApiToken, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.tokens import create_token

pytestmark = pytest.mark.django_db(databases=["default", "results"])
FOR_OWNERS = {
    ("get", "audit-trail"),
    ("get", "audit-trail/export"),
    ("get", "invitations"),
    ("post", "invitations"),
    ("delete", "invitations/<int:invitation_id>"),
    ("patch", "members/<int:member_id>"),
    ("delete", "members/<int:member_id>"),
    ("post", "clusters"),
    ("post", "clusters/test"),
    ("put", "clusters/<str:cluster>"),
    ("delete", "clusters/<str:cluster>"),
    ("post", "engines/<str:engine_id>/replace"),
    ("put", "openlineage"),
    ("delete", "openlineage"),
    ("post", "openlineage/test"),
    ("post", "alert-channels"),
    ("put", "alert-channels/<str:channel_id>"),
    ("delete", "alert-channels/<str:channel_id>"),
    ("post", "alert-channels/<str:channel_id>/test"),
}
# Records of a topic that nobody in the workspace described.
FOR_EDITORS = {
    ("get", "clusters/<str:cluster>/topics/<str:topic>/export"),
    ("get", "clusters/<str:cluster>/topics/<str:topic>/records"),
    ("get", "clusters/<str:cluster>/topics/<str:topic>/records/<int:partition>/<int:offset>"),
}
# Of no workspace: of the create_user, or of everybody.
PERSONAL = [
    ("get", "tokens"), ("post", "tokens"), ("delete", "tokens/unknown"), ("post", "invitations/999999"),
    ("delete", "invitations/999999"),
    ("get", "functions"), ("get", "examples"), ("get", "document-schema"),
]  # fmt: skip


def path(route: str) -> str:
    return "/api/v1/workspaces/ops/" + filled_with_unknown(route)


def with_token(user: User, **change: object) -> Client:
    """A client with a token that is then changed; ``revoked`` deletes it."""
    row, text = create_token(user, "ci", timedelta(days=1))
    if change.pop("revoked", False):
        row.delete()
    else:
        ApiToken.objects.filter(pk=row.pk).update(**change)
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


# A person and a token take longer to make than a route to be asked: each of these asks all of its routes.
@pytest.mark.parametrize("role", Role)
def test_a_role_may_what_it_may(workspace: Workspace, role: Role, subtests: pytest.Subtests) -> None:
    client = with_token(member(workspace, "vic", role), expiry=None)
    for method, route in CALLS:
        needed = _needed(method, route)
        with subtests.test(method=method, route=route), undone():
            answer = getattr(client, method)(path(route))
            if list(Role).index(role) >= list(Role).index(needed):
                assert answer.status_code not in (401, 403), answer.content
                assert answer.status_code < 500
            else:
                assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_head_needs_the_right_of_get(workspace: Workspace, role: Role) -> None:
    client = with_token(member(workspace, "vic", role), expiry=None)
    routes = {route for method, route in FOR_OWNERS | FOR_EDITORS if method == "get"}
    answers = {route: client.head(path(route)).status_code for route in routes}
    may = {route for route in routes if list(Role).index(role) >= list(Role).index(_needed("get", route))}
    assert {route for route, status in answers.items() if status == 403} == routes - may


def _needed(method: str, route: str) -> Role:
    if (method, route) in FOR_OWNERS:
        return Role.OWNER
    if (method, route) in FOR_EDITORS:
        return Role.EDITOR
    return Role.VIEWER if method == "get" or (method, route) in FOR_VIEWERS else Role.EDITOR


@pytest.mark.parametrize("end", ["expired", "revoked", "inactive"])
def test_a_token_that_ended_is_nobody(
    owner: User, workspace: Workspace, end: str, subtests: pytest.Subtests
) -> None:
    client = _ended(owner, end)
    for method, route in CALLS:
        with subtests.test(method=method, route=route):
            answer = getattr(client, method)(path(route))
            assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


def _ended(owner: User, end: str) -> Client:
    if end == "revoked":
        return with_token(owner, revoked=True)
    if end == "expired":
        return with_token(owner, expiry=timezone.now() - timedelta(seconds=1))
    client = with_token(owner)
    User.objects.filter(pk=owner.pk).update(is_active=False)
    return client


@pytest.mark.parametrize("end", ["expired", "revoked", "inactive", "none"])
@pytest.mark.parametrize(("method", "route"), PERSONAL)
def test_ones_own_routes_need_a_person(owner: User, method: str, route: str, end: str) -> None:
    client = client_of() if end == "none" else _ended(owner, end)
    assert getattr(client, method)(f"/api/v1/{route}").status_code == 401


@pytest.mark.parametrize("pattern", urls.urlpatterns, ids=lambda pattern: str(pattern.pattern))
def test_the_registry(owner: User, workspace: Workspace, pattern: URLPattern) -> None:
    route = filled_with_unknown(str(pattern.pattern))
    writes = [name for name in ("post", "put", "delete") if hasattr(pattern.callback.cls, name)]  # type: ignore[attr-defined]
    stranger, viewer = client_of(create_user("eve")), with_token(member(workspace, "vic", Role.VIEWER))
    for method in ("get", *writes):
        foreign = getattr(stranger, method)(f"/registry/ops/{route}")
        missing = getattr(stranger, method)(f"/registry/nowhere/{route}")
        assert (foreign.status_code, foreign.content) == (missing.status_code, missing.content)
        for client in (client_of(), _ended(create_user(f"p{method}{len(writes)}"), "expired")):
            assert getattr(client, method)(f"/registry/ops/{route}").status_code == 401
    # What is read by POST (a look-up, a trial) changes nothing.
    refused = {method: getattr(viewer, method)(f"/registry/ops/{route}").status_code for method in writes}
    reads = {"post"} if "compatibility" in route or route == "subjects/unknown" else set()
    assert {method for method, status in refused.items() if status != 403} <= reads, refused
