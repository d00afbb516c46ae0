"""The table of rights, and what a session tells of it."""

import pytest

from tests.support.users import client_of, create_user
from weir.workspaces.models import Membership, Workspace
from weir.workspaces.roles import NEEDED_ROLE, Right, Role


def test_every_right_has_its_role() -> None:
    assert set(NEEDED_ROLE) == set(Right)


@pytest.mark.django_db(databases=["default", "results"])
@pytest.mark.parametrize("role", Role)
def test_a_session_tells_what_its_person_may_do(workspace: Workspace, role: Role) -> None:
    person = create_user("vic")
    Membership.objects.create(workspace=workspace, user=person, role=role)
    (shown,) = client_of(person).get("/api/v1/session").json()["workspaces"]
    assert shown["role"] == role
    assert shown["rights"] == [right for right in Right if role.may(right)]
    assert ("stop_jobs" in shown["rights"]) == (role != Role.VIEWER)
    assert ("manage_members" in shown["rights"]) == (role == Role.OWNER)
