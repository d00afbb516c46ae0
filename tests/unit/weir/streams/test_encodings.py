"""The fields that a schema gives, asked before a stream is registered."""

import json
from typing import Any

import pytest

from tests.support.orders_registry import ID, NAME, order, orders
from tests.support.weir_people import client_of
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

ENVELOPE = json.dumps(
    {
        "type": "record",
        "name": "Envelope",
        "fields": [{"name": "after", "type": ["null", json.loads(order(ID, NAME))]}, {"name": "op", "type": "string"}],
    }
)
BOTH = [{"name": "id", "type": "long", "nullable": False}, {"name": "name", "type": "string", "nullable": False}]


def asked(workspace: Workspace, owner: User, encoding: Any) -> tuple[int, Any]:
    route = f"/api/v1/workspaces/{workspace.slug}/encodings/fields"
    answer = client_of(owner).post(route, data=json.dumps({"encoding": encoding}), content_type="application/json")
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
def test_fields_of_a_schema(workspace: Workspace, owner: User, encoding: dict[str, Any], fields: list[dict[str, Any]]) -> None:
    orders(workspace, owner)
    assert asked(workspace, owner, encoding) == (200, {"fields": fields})


@pytest.mark.parametrize(
    ("encoding", "code"),
    [
        ({"format": "avro"}, "ENCODING_INVALID"),
        ({"format": "avro", "schema": 5}, "ENCODING_INVALID"),
        ("avro", "ENCODING_INVALID"),
        ({"format": "avro", "schema": "{"}, "SCHEMA_UNFIT"),
        ({"format": "avro", "schema": '"long"'}, "SCHEMA_UNFIT"),
        ({"format": "debezium", "inner": {"format": "avro", "schema": order(ID)}}, "SCHEMA_UNFIT"),
        ({"format": "avro", "subject": "nobody-value"}, "SUBJECT_UNKNOWN"),
    ],
)
def test_what_gives_no_fields_is_refused_in_words(workspace: Workspace, owner: User, encoding: Any, code: str) -> None:
    status, refused = asked(workspace, owner, encoding)
    assert (status, refused["code"]) == (422, code)
    assert len(refused["detail"]) > 20
