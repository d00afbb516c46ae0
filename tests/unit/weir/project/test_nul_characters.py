"""No name and no id has a NUL character, and PostgreSQL takes none: what has one is refused."""

import base64
import json
from typing import Any

import pytest

from tests.support.run_factories import job_of
from tests.support.users import client_of
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


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


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/tokens", "/sign-in/x/", "/"])
def test_a_cookie_may_spell_one_out(db: None, path: str) -> None:
    answer = client_of().get(path, HTTP_COOKIE=r'weir_session="\000aaaaaaaaaaaa"')
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID")


def test_a_password_of_basic_credentials(workspace: Workspace) -> None:
    given = base64.b64encode(b"any:weir_\x00aaaaaaaaaaaaaaaaaaaaaa").decode()
    client = client_of()
    client.credentials(HTTP_AUTHORIZATION=f"Basic {given}")
    assert client.get("/registry/ops/subjects").status_code == 401


RECORD = '{"type":"record","name":"a","fields":[{"name":"a","type":"int"}]}'
REFERENCE = {"name": "a\0", "subject": "b\0", "version": 1}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/registry/ops/subjects/a-value/versions", {"schema": RECORD, "references": [REFERENCE]}),
        ("/registry/ops/subjects/a-value", {"schema": RECORD, "references": [REFERENCE]}),
        ("/registry/ops/subjects/a-value/versions", {"schema": RECORD, "schemaType": "AV\0RO"}),
        ("/api/v1/workspaces/ops/streams", {"name": "a\0", "topic": "t", "cluster": "home", "contract": {}}),
        ("/api/v1/workspaces/ops/clusters/test", {"bootstrap": "a:1", "cluster": "c\0"}),
        ("/api/v1/workspaces/ops/silences", {"ends_at": "2100-01-01T00:00:00Z", "job_id": "j\0"}),
        ("/api/v1/workspaces/ops/objectives", {"job_id": "j\0", "kind": "freshness", "target": 0.9}),
        ("/api/v1/session", {"username": "ann\0", "password": "a long passphrase"}),
    ],
)
def test_a_body(workspace: Workspace, owner: User, path: str, body: dict[str, Any]) -> None:
    answer = client_of(owner).post(path, json.dumps(body), content_type="application/json")
    assert 400 <= answer.status_code < 500, answer.content


def test_names_inside_documents(workspace: Workspace, owner: User) -> None:
    job = job_of(workspace, owner)
    client = client_of(owner)
    for text in (
        r'{"format": 1, "name": "a\u0000b", "batches": [{}]}',
        r'{"format": 1, "name": "ab", "description": "\u0000", "batches": [{}]}',
    ):
        answer = client.post(f"/api/v1/workspaces/ops/jobs/{job.pk}/tests", {"document_text": text})
        assert 400 <= answer.status_code < 500, answer.content
    rule = {"watch": {"kind": "metric", "metric": "job.failed", "above": 0, "job": "j\0"}}
    answer = client.post("/api/v1/workspaces/ops/alert-rules", {"name": "r", "document": rule})
    assert 400 <= answer.status_code < 500, answer.content


@pytest.mark.parametrize(
    ("contract", "place"),
    [
        ({"encoding": {"format": "csv", "null_text": "\0"}}, ["encoding", "null_text"]),
        ({"fields": [{"name": "a", "type": "string", "path": ["a\0"]}]}, ["fields", "0", "path", "0"]),
        ({"event_time": {"kind": "kafka_timestamp", "format": "\0"}}, ["event_time", "format"]),
    ],
)
def test_contracts_of_streams(
    workspace: Workspace, owner: User, contract: dict[str, Any], place: list[str]
) -> None:
    """PostgreSQL looks into no JSON that has one anywhere: nobody could read the registry any more."""
    fields = [{"name": "a", "type": "string"}]
    body = {"name": "a", "cluster": "home", "topic": "t", "contract": {"fields": fields, **contract}}
    answer = client_of(owner).post("/api/v1/workspaces/ops/streams", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "CONTRACT_INVALID")
    assert [each["path"] for each in answer.json()["problems"]] == [place]
