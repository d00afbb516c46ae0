"""What people name has an address under every name that it may have."""

import re

import pytest

from tests.support.run_factories import trades
from tests.support.users import client_of
from tests.unit.weir.project.test_strangers import CALLS
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.mark.parametrize("parts", ["streams/<str:name>", "schemas/<str:subject>"])
def test_no_route_stands_where_a_name_does(parts: str) -> None:
    routes = {route for _, route in CALLS}
    assert parts in routes
    before = parts.split("/")[0]
    assert [route for route in routes if re.match(rf"{before}/(?!<)", route)] == []


@pytest.mark.parametrize("name", ["infer", "validate", "new"])
def test_a_stream_of_any_name_is_shown_and_changed(workspace: Workspace, owner: User, name: str) -> None:
    trades(workspace)
    Stream.objects.of(workspace).update(name=name)
    address = f"/api/v1/workspaces/ops/streams/{name}"
    changed = client_of(owner).patch(address, {"description": "of venues"})
    assert (changed.status_code, changed.json()["name"]) == (200, name)
    assert client_of(owner).delete(address).status_code == 204
