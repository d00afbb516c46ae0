"""Members and their roles."""

import pytest

from tests.support.weir_people import client_of, member, person
from weir.workspaces.models import Event, Membership, Role, User, Workspace

pytestmark = pytest.mark.django_db
MEMBERS = "/api/v1/workspaces/ops/members"


def test_an_owner_gives_changes_and_takes_roles(owner: User, workspace: Workspace) -> None:
    person("bob")
    client = client_of(owner)
    made = client.post(MEMBERS, {"username": "bob", "role": "viewer"})
    assert (made.status_code, made.json()["role"]) == (201, "viewer")
    assert client.post(MEMBERS, {"username": "bob", "role": "editor"}).json()["role"] == "editor"
    assert client.delete(f"{MEMBERS}/{made.json()['id']}").status_code == 204
    assert Membership.objects.filter(workspace=workspace).count() == 1
    assert Event.objects.of(workspace).filter(kind="member", actor="ann").count() == 3


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_others_cannot(workspace: Workspace, role: Role) -> None:
    client = client_of(member(workspace, "bob", role))
    answer = client.post(MEMBERS, {"username": "bob", "role": "owner"})
    assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")
    assert client.delete(f"{MEMBERS}/{workspace.memberships.get(user__username='ann').pk}").status_code == 403


def test_the_last_owner_stays(owner: User, workspace: Workspace) -> None:
    client = client_of(owner)
    assert client.delete(f"{MEMBERS}/{workspace.memberships.get().pk}").json()["code"] == "LAST_OWNER"
    assert client.post(MEMBERS, {"username": "ann", "role": "viewer"}).status_code == 409


def test_an_unknown_person_or_role_is_a_clear_error(owner: User, workspace: Workspace) -> None:
    client = client_of(owner)
    assert client.post(MEMBERS, {"username": "nobody", "role": "viewer"}).status_code == 404
    answer = client.post(MEMBERS, {"username": "ann", "role": "god"})
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")
    assert "role" in answer.json()["errors"]


def test_roles_cover_what_is_below_them() -> None:
    assert Role.OWNER.covers(Role.VIEWER)
    assert not Role.VIEWER.covers(Role.EDITOR)
