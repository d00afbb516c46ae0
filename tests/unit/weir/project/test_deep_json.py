"""JSON that nests very deep, or holds numbers and texts that are none, is refused as
such wherever it is read.
"""

import base64
import json
import zlib
from typing import Any

import pytest

from jobs.formats.json_text import bounded_json
from tests.support.routes import filled_with_unknown
from tests.support.users import client_of
from tests.unit.weir.project.test_strangers import CALLS
from weir.results.services.cursors import CursorError, decode_cursor
from weir.streams.services.browse_page import read_cursor
from weir.streams.services.jsonl_records import parse_line
from weir.workspaces.api.parsing import MAX_DEPTH
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
DEEP = {
    "lists": "[" * 100_000 + "]" * 100_000,
    "objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "open": '{"a":[' * 50_000,
    "just too deep": '{"a":' * MAX_DEPTH + "[]" + "}" * MAX_DEPTH,
    "behind an open quote": "{" * 101 + '"' + '\\"' * 200_000,
}
ODD = {
    "NaN": '{"a":NaN}',
    "infinity": '{"a":1e999}',
    "digits": '{"a":' + "9" * 100_000 + "}",
    "bytes": '{"a":"\udcff"}',
    "no JSON": "{",
    "half a pair": '{"a":"\\ud800"}',
}
WITHOUT_BODY = {"alerts/seen": (200,)}  # empty, it notes the time
BODIES = [(method, route) for method, route in CALLS if method in ("post", "put", "patch")]


def send(client: Any, method: str, path: str, text: str) -> Any:
    return client.generic(
        method.upper(), path, text.encode("utf-8", "surrogateescape"), content_type="application/json"
    )


def is_a_problem(answer: Any) -> bool:
    return (
        answer["Content-Type"] == "application/problem+json" and answer.json()["status"] == answer.status_code
    )


@pytest.mark.parametrize("text", [*DEEP.values(), *ODD.values()], ids=[*DEEP, *ODD])
@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/tokens", "/api/v1/shared-dashboard"])
def test_before_and_after_signing_in(owner: User, path: str, text: str) -> None:
    client = client_of(owner if "tokens" in path else None)
    answer = send(client, "POST", path, text)
    assert answer.status_code == 400
    assert is_a_problem(answer)


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "route"), BODIES)
def test_every_route_with_a_body(owner: User, workspace: Workspace, method: str, route: str) -> None:
    client = client_of(owner)
    for text in (DEEP["lists"], DEEP["objects"], ODD["infinity"], ODD["half a pair"]):
        answer = send(client, method, f"/api/v1/workspaces/ops/{filled_with_unknown(route)}", text)
        # Routes that take no body do not read it; what an address names and is not there comes first.
        assert answer.status_code in (400, 404, 201, *WITHOUT_BODY.get(route, ())), answer.content
        assert answer.status_code in (200, 201) or is_a_problem(answer)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("kind", ["application/json", "application/vnd.schemaregistry.v1+json"])
def test_the_registry(owner: User, workspace: Workspace, kind: str, text: str) -> None:
    client = client_of(owner)
    answer = client.generic("POST", "/registry/ops/subjects/x/versions", text, content_type=kind)
    assert (answer.status_code, answer.json()["error_code"]) == (400, 400)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("kind", ["AVRO", "JSON"])
@pytest.mark.parametrize(
    "path", ["/registry/ops/subjects/x/versions", "/api/v1/workspaces/ops/schemas/x/check"]
)
def test_texts_of_schemas(owner: User, workspace: Workspace, path: str, kind: str, text: str) -> None:
    body = {"schema": text, "schemaType": kind, "type": kind}
    answer = client_of(owner).post(path, body)
    assert answer.status_code in (200, 400, 404, 422), answer.content


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_documents(owner: User, workspace: Workspace, text: str) -> None:
    answer = client_of(owner).post("/api/v1/workspaces/ops/documents/check", {"document": text})
    assert answer.status_code == 200
    assert answer.json()["problems"]


@pytest.mark.parametrize(
    "text",
    [*DEEP.values(), "[1,2", "[true,1,[1e999,0]]", "[true,1,[0,1e999]]", "[true,1,[0]]", "{}", "\udcff"],
)
def test_cursors(text: str) -> None:
    raw = text.encode("utf-8", "surrogateescape")
    written = base64.urlsafe_b64encode(raw).decode("ascii")
    for sent in (written, base64.urlsafe_b64encode(zlib.compress(raw)).decode("ascii")):
        with pytest.raises(ServiceError):
            read_cursor(sent)
    with pytest.raises(CursorError):
        decode_cursor(written)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_lines_of_a_file(text: str) -> None:
    assert parse_line(text, structured=True) == {"value": text}


def test_what_is_allowed_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(bounded_json(text, MAX_DEPTH)) == text
    assert bounded_json(b'{"a":[1,2.5,"[[[",null]}') == {"a": [1, 2.5, "[[[", None]}
    for bad in ("NaN", "-Infinity", "[", b"\xff", "9" * 5_000):
        with pytest.raises(ValueError, match=r"."):
            bounded_json(bad)
