"""The fields that a schema gives, asked before a stream is registered."""

import json
from typing import Any

import pytest

from tests.support.order_schemas import ID, NAME, order, orders
from tests.support.users import client_of
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

ENVELOPE = json.dumps(
    {
        "type": "record",
        "name": "Envelope",
        "fields": [
            {"name": "after", "type": ["null", json.loads(order(ID, NAME))]},
            {"name": "op", "type": "string"},
        ],
    }
)
BOTH = [
    {"name": "id", "type": "long", "nullable": False},
    {"name": "name", "type": "string", "nullable": False},
]


def asked(workspace: Workspace, owner: User, encoding: Any) -> tuple[int, Any]:
    route = f"/api/v1/workspaces/{workspace.slug}/encodings/fields"
    answer = client_of(owner).post(
        route, data=json.dumps({"encoding": encoding}), content_type="application/json"
    )
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("encoding", "fields"),
    [
        ({"format": "avro", "schema": order(ID, NAME)}, BOTH),
        ({"format": "avro", "subject": "orders-value", "framing": "confluent"}, BOTH),
        ({"format": "debezium", "inner": {"format": "avro", "schema": ENVELOPE}}, BOTH),
        ({"format": "csv"}, []),
        ({"format": "debezium"}, []),
    ],
)
def test_fields_of_a_schema(
    workspace: Workspace, owner: User, encoding: dict[str, Any], fields: list[dict[str, Any]]
) -> None:
    orders(workspace, owner)
    assert asked(workspace, owner, encoding) == (200, {"fields": fields})


@pytest.mark.parametrize(
    ("encoding", "code"),
    [
        ({"format": "avro"}, "ENCODING_INVALID"),
        ({"format": "avro", "schema": 5}, "ENCODING_INVALID"),
        ("avro", "ENCODING_INVALID"),
        ({"format": "avro", "schema": "{"}, "SCHEMA_INCOMPATIBLE"),
        ({"format": "avro", "schema": '"long"'}, "SCHEMA_INCOMPATIBLE"),
        ({"format": "debezium", "inner": {"format": "avro", "schema": order(ID)}}, "SCHEMA_INCOMPATIBLE"),
        ({"format": "avro", "subject": "nobody-value"}, "SUBJECT_UNKNOWN"),
    ],
)
def test_what_gives_no_fields_is_refused_in_words(
    workspace: Workspace, owner: User, encoding: Any, code: str
) -> None:
    status, refused = asked(workspace, owner, encoding)
    assert (status, refused["code"]) == (422, code)
    assert len(refused["detail"]) > 20


@pytest.mark.parametrize(
    ("encoding", "paths"),
    [
        (
            {"format": "csv", "delimiter": "ab", "quote": ""},
            [["encoding", "delimiter"], ["encoding", "quote"]],
        ),
        (
            {"format": "debezium", "inner": {"format": "avro", "framing": "some"}},
            [["encoding", "inner", "framing"]],
        ),
        ({"format": "nothing"}, [["encoding"]]),
    ],
)
def test_every_fault_of_an_encoding_has_its_place(
    workspace: Workspace, owner: User, encoding: dict[str, Any], paths: list[list[str]]
) -> None:
    answer = client_of(owner).post("/api/v1/workspaces/ops/encodings/fields", {"encoding": encoding})
    assert (answer.status_code, answer.json()["code"]) == (422, "ENCODING_INVALID")
    assert [problem["path"] for problem in answer.json()["problems"]] == paths
