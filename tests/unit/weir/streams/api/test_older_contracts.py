"""A stream with a contract that an older version of Weir saved and this one can't read costs nothing else."""

import pytest
from rest_framework.test import APIClient

from tests.support.run_factories import CONTRACT, DOCUMENT, job_of, trades
from tests.support.users import client_of
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
BASE = "/api/v1/workspaces/ops"
OLDER = f"{BASE}/streams/older"


@pytest.fixture
def client(workspace: Workspace, owner: User) -> APIClient:
    trades(workspace)
    trades(workspace, name="older", topic="older")
    Stream.objects.filter(name="older").update(contract={"kind": "table", "of": "an older version"})
    return client_of(owner)


def test_lists_documents_and_schemas_go_on(client: APIClient, workspace: Workspace, owner: User) -> None:
    listed = client.get(f"{BASE}/streams").json()["results"]
    assert {row["name"]: row["kind"] for row in listed} == {"older": "table", "trades": "stream"}
    checked = client.post(f"{BASE}/documents/check", {"document": DOCUMENT})
    assert not [each for each in checked.json()["problems"] if each["severity"] == "error"]
    job = job_of(workspace, owner)
    assert client.get(f"{BASE}/jobs/{job.pk}").status_code == 200
    assert client.get(f"{BASE}/map").status_code == 200
    assert client.get(f"{BASE}/schemas").status_code == 200
    schema = '{"type":"record","name":"a","fields":[{"name":"a","type":"int"}]}'
    assert client.post("/registry/ops/subjects/a-value/versions", {"schema": schema}).status_code == 200


def test_what_needs_it_says_so_and_it_can_be_saved_again(client: APIClient) -> None:
    for answer in (
        client.get(f"{OLDER}/records"),
        client.get(f"{OLDER}/table"),
        client.post(f"{OLDER}/impact", {"contract": CONTRACT}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "CONTRACT_UNREADABLE")
    assert client.patch(OLDER, {"contract": CONTRACT}).status_code == 200
    assert client.post(f"{OLDER}/impact", {"contract": CONTRACT}).status_code == 200
