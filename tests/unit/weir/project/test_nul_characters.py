"""No name and no id has a NUL character, and PostgreSQL takes none: an address with one finds nothing."""

import pytest

from tests.support.users import client_of
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.mark.parametrize(
    "address",
    ["jobs/a%00b", "streams/a%00b", "alerts?job=a%00b", "notifications?channel=%00", "members?x=%00"],
)
def test_an_address_with_one_is_refused(workspace: Workspace, owner: User, address: str) -> None:
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/{address}")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")
    assert answer["Content-Type"] == "application/problem+json"


def test_so_is_one_of_the_registry(workspace: Workspace, owner: User) -> None:
    assert client_of(owner).get("/registry/ops/subjects?subjectPrefix=%00").status_code == 400
