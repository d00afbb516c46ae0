"""Two who change a workspace's members at the same moment."""

from collections.abc import Callable

import pytest
from django.core.exceptions import PermissionDenied

from tests.support import database_locks
from tests.support.users import create_user, member
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Invitation, Membership, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.invitations import accept, decline, invite, withdraw
from weir.workspaces.services.members import change_role, remove_member

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]


def beside(first: Callable[[], object], second: Callable[[], object]) -> str:
    """Do the second while the first is not committed; the code of its error, empty without one."""

    def other() -> str:
        try:
            second()
        except ServiceError as error:
            return error.code
        except PermissionDenied:
            return "NOT_ALLOWED"
        return ""

    return database_locks.beside(first, other)


def membership(workspace: Workspace, user: User) -> int:
    return Membership.objects.get(workspace=workspace, user=user).pk


@pytest.mark.parametrize("how", ["remove", "demote"])
def test_two_owners_do_not_leave_a_workspace_without_one(workspace: Workspace, owner: User, how: str) -> None:
    bob = member(workspace, "bob", Role.OWNER)
    ann, bobs = membership(workspace, owner), membership(workspace, bob)

    def end(membership_id: int, actor: User) -> None:
        if how == "remove":
            remove_member(workspace, membership_id, actor)
        else:
            change_role(workspace, membership_id, Role.VIEWER, actor)

    lost = "NOT_FOUND" if how == "remove" else "NOT_ALLOWED"
    assert beside(lambda: end(bobs, owner), lambda: end(ann, bob)) == lost
    owners = Membership.objects.filter(workspace=workspace, role=Role.OWNER)
    assert list(owners.values_list("user__username", flat=True)) == ["ann"]


@pytest.mark.parametrize("what", ["invite", "remove", "withdraw"])
def test_who_was_removed_changes_nothing_more(workspace: Workspace, owner: User, what: str) -> None:
    bob, cid = member(workspace, "bob", Role.OWNER), member(workspace, "cid", Role.OWNER)
    open_one = invite(workspace, "somebody", Role.VIEWER, owner)
    change = {
        "invite": lambda: invite(workspace, "eve", Role.OWNER, bob),
        "remove": lambda: remove_member(workspace, membership(workspace, cid), bob),
        "withdraw": lambda: withdraw(workspace, open_one.pk, bob),
    }[what]
    assert beside(lambda: remove_member(workspace, membership(workspace, bob), owner), change) == "NOT_FOUND"
    assert Membership.objects.filter(workspace=workspace, user=cid).exists()
    assert list(Invitation.objects.values_list("username", flat=True)) == ["somebody"]


@pytest.fixture
def eve() -> User:
    return create_user("eve")


@pytest.fixture
def offered(workspace: Workspace, owner: User, eve: User) -> Invitation:
    return invite(workspace, eve.username, Role.OWNER, owner)


def test_a_withdrawn_invitation_is_not_accepted(
    workspace: Workspace, owner: User, eve: User, offered: Invitation
) -> None:
    found = beside(lambda: withdraw(workspace, offered.pk, owner), lambda: accept(eve, offered.pk))
    assert found == "NOT_FOUND"
    assert not Membership.objects.filter(workspace=workspace, user=eve).exists()


def test_a_role_that_was_lowered_is_what_is_accepted(
    workspace: Workspace, owner: User, eve: User, offered: Invitation
) -> None:
    lower = beside(lambda: invite(workspace, "eve", Role.VIEWER, owner), lambda: accept(eve, offered.pk))
    assert lower == ""
    assert Membership.objects.get(workspace=workspace, user=eve).role == Role.VIEWER


def test_who_just_became_a_member_is_not_invited_again(
    workspace: Workspace, owner: User, eve: User, offered: Invitation
) -> None:
    """The invitation would let the person come back after a removal."""
    found = beside(lambda: accept(eve, offered.pk), lambda: invite(workspace, "eve", Role.EDITOR, owner))
    assert found == "ALREADY_MEMBER"
    assert not Invitation.objects.exists()


def test_an_invitation_ends_once(workspace: Workspace, owner: User, eve: User, offered: Invitation) -> None:
    found = beside(lambda: decline(eve, offered.pk), lambda: withdraw(workspace, offered.pk, owner))
    assert found == "NOT_FOUND"
