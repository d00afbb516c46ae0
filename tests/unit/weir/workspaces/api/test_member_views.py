"""Members, their roles, and invitations, which tell nobody who exists."""

import pytest
from rest_framework.test import APIClient

from tests.support.users import client_of, create_user, member
from weir.workspaces.models import Event, Invitation, Membership, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services import invitations

pytestmark = pytest.mark.django_db
MEMBERS = "/api/v1/workspaces/ops/members"
INVITATIONS = "/api/v1/workspaces/ops/invitations"


@pytest.fixture
def client(owner: User, workspace: Workspace) -> APIClient:
    return client_of(owner)


def invited(client: APIClient, username: str = "bob", role: str = "viewer") -> int:
    answer = client.post(INVITATIONS, {"username": username, "role": role})
    assert answer.status_code == 201
    return int(answer.json()["id"])


def test_an_invitation_is_taken_changed_and_ended(client: APIClient, workspace: Workspace) -> None:
    bob = client_of(create_user("bob"))
    id = invited(client)
    assert bob.get("/api/v1/session").json()["workspaces"] == []
    offered = bob.get("/api/v1/session").json()["invitations"]
    assert offered == [{"id": id, "workspace_name": "Ops", "role": "viewer", "invited_by": "ann"}]
    joined = bob.post(f"/api/v1/invitations/{id}").json()
    assert (joined["slug"], joined["name"], joined["role"]) == ("ops", "Ops", "viewer")
    assert bob.get("/api/v1/workspaces/ops/jobs").status_code == 200
    assert bob.post(f"/api/v1/invitations/{id}").status_code == 404
    (row,) = [row for row in client.get(MEMBERS).json()["results"] if row["user"]["username"] == "bob"]
    assert client.patch(f"{MEMBERS}/{row['id']}", {"role": "editor"}).json()["role"] == "editor"
    assert client.delete(f"{MEMBERS}/{row['id']}").status_code == 204
    assert Membership.objects.filter(workspace=workspace).count() == 1
    said = [event.text for event in Event.objects.of(workspace).filter(kind="member").order_by("id")]
    assert said == [
        "bob invited as viewer",
        "bob joined as viewer",
        "bob's role set to editor",
        "bob removed",
    ]


@pytest.mark.parametrize("how", ["removed", "demoted"])
def test_invitations_end_with_the_right_to_make_them(
    client: APIClient, workspace: Workspace, how: str
) -> None:
    """Whoever expects to be removed could invite a second account of their own before."""
    bob = member(workspace, "bob", Role.OWNER)
    id = invited(client_of(bob), "second-self", "owner")
    invited(client, "new-hire", "viewer")
    path = f"{MEMBERS}/{Membership.objects.get(user=bob).pk}"
    if how == "removed":
        client.delete(path)
    else:
        client.patch(path, {"role": "editor"})
    assert client_of(create_user("second-self")).post(f"/api/v1/invitations/{id}").status_code == 404
    assert [row["username"] for row in client.get(INVITATIONS).json()["results"]] == ["new-hire"]
    withdrawn = Event.objects.of(workspace).get(text="Invitation of second-self withdrawn")
    assert (withdrawn.actor, withdrawn.action) == ("ann", "canceled")


def test_a_name_is_the_same_however_its_letters_are_composed(client: APIClient) -> None:
    """Users are stored with composed letters; some keyboards write an accent as its own character."""
    zoe = create_user("zo\u00eb")
    invited(client, "zoe\u0308")
    offered = client_of(zoe).get("/api/v1/session").json()["invitations"]
    assert [each["role"] for each in offered] == ["viewer"]
    signed_in = client_of().post(
        "/api/v1/session", {"username": "zoe\u0308", "password": "a long passphrase"}
    )
    assert signed_in.status_code == 200


def test_the_answer_is_the_same_for_people_and_names_of_nobody(client: APIClient) -> None:
    create_user("real")
    User.objects.create_user("gone", is_active=False)
    answers = [
        client.post(INVITATIONS, {"username": name, "role": "viewer"}) for name in ("real", "gone", "none")
    ]
    alike = {
        (answer.status_code, str({**answer.json(), "id": 0, "created_at": "", "username": ""}))
        for answer in answers
    }
    assert len(alike) == 1
    listed = client.get(INVITATIONS).json()["results"]
    assert [set(row) for row in listed] == [{"id", "username", "role", "invited_by", "created_at"}] * 3
    assert [row["user"]["username"] for row in client.get(MEMBERS).json()["results"]] == ["ann"]


def test_a_second_invitation_offers_the_new_role(client: APIClient) -> None:
    assert invited(client, role="viewer") == invited(client, role="editor")
    assert Invitation.objects.get().role == "editor"


def test_an_invitation_can_be_declined_and_withdrawn(client: APIClient) -> None:
    bob = client_of(create_user("bob"))
    assert bob.delete(f"/api/v1/invitations/{invited(client)}").status_code == 204
    id = invited(client)
    assert client.delete(f"{INVITATIONS}/{id}").status_code == 204
    assert bob.post(f"/api/v1/invitations/{id}").status_code == 404
    assert not Membership.objects.filter(user__username="bob").exists()


def test_nobody_takes_what_another_was_offered(client: APIClient, workspace: Workspace) -> None:
    create_user("bob")
    id = invited(client)
    eve = client_of(create_user("eve"))
    assert eve.get("/api/v1/session").json()["invitations"] == []
    for call in (eve.post, eve.delete):
        there, nowhere = call(f"/api/v1/invitations/{id}"), call("/api/v1/invitations/999999")
        assert (there.status_code, there.content) == (404, nowhere.content)
    assert client_of().post(f"/api/v1/invitations/{id}").status_code == 401
    assert Invitation.objects.exists()


def test_a_role_that_one_has_is_not_changed_by_an_old_invitation(
    client: APIClient, workspace: Workspace
) -> None:
    id = invited(client, role="viewer")
    bob = client_of(member(workspace, "bob", Role.EDITOR))
    assert bob.post(f"/api/v1/invitations/{id}").json()["role"] == "editor"
    answer = client.post(INVITATIONS, {"username": "bob", "role": "owner"})
    assert (answer.status_code, answer.json()["code"]) == (409, "ALREADY_MEMBER")


def test_open_invitations_are_bounded(client: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MAX_INVITATIONS", 2)
    invited(client, "a")
    invited(client, "b")
    invited(client, "b", "editor")
    assert (
        client.post(INVITATIONS, {"username": "c", "role": "viewer"}).json()["code"] == "TOO_MANY_INVITATIONS"
    )


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_others_cannot(client: APIClient, workspace: Workspace, role: Role) -> None:
    id = invited(client, "carol")
    other = client_of(member(workspace, "bob", role))
    own, owner = (workspace.memberships.get(user__username=name).pk for name in ("bob", "ann"))
    calls = [
        other.get(INVITATIONS),
        other.post(INVITATIONS, {"username": "x", "role": "owner"}),
        other.delete(f"{INVITATIONS}/{id}"),
        other.patch(f"{MEMBERS}/{own}", {"role": "owner"}),
        other.delete(f"{MEMBERS}/{owner}"),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in calls] == [(403, "NOT_ALLOWED")] * len(
        calls
    )


def test_the_last_owner_stays(client: APIClient, workspace: Workspace) -> None:
    own = f"{MEMBERS}/{workspace.memberships.get().pk}"
    assert client.delete(own).json()["code"] == "LAST_OWNER"
    assert client.patch(own, {"role": "viewer"}).status_code == 409
    assert client.patch(own, {"role": "owner"}).status_code == 200


def test_an_unknown_role_is_a_clear_error(client: APIClient) -> None:
    answer = client.post(INVITATIONS, {"username": "ann2", "role": "god"})
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")
    assert "role" in answer.json()["errors"]
