"""Producing through the API: if one record of a request is invalid, none is written."""

import base64
import uuid
from typing import Any

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT
from tests.support.users import client_of, member
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import delete_topics
from weir.workspaces.models import Event, User, Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
STREAMS = "/api/v1/workspaces/ops/streams"
RECORDS = f"{STREAMS}/written/records"
GOOD = {"symbol": "A", "price": 1.5, "at": 1_750_000_000_000}


@pytest.fixture
def topic(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    topic = f"written.{uuid.uuid4().hex[:8]}"
    made = {"name": "written", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(STREAMS, made).status_code == 201
    yield topic
    delete_topics(home_profile(), [topic])


def test_records_are_written_where_the_answer_says(topic: str, owner: User, workspace: Workspace) -> None:
    raw = base64.b64encode(b'{"symbol":"C","at":1750000000000}').decode()
    records = [
        {"value": GOOD, "key": "k", "partition": 1, "headers": [{"name": "source", "value": "=1+1"}]},
        {"value": '{"symbol": "B", "at": 1750000000000}', "partition": 1},
        {"value_base64": raw, "key_base64": base64.b64encode(b"\xff").decode(), "partition": 0},
        {"value": GOOD},
    ]
    answer = client_of(owner).post(RECORDS, {"records": records})
    assert answer.status_code == 201, answer.content
    written = [(record["partition"], record["offset"]) for record in answer.json()["written"]]
    assert written[:3] == [(1, 0), (1, 1), (0, 0)]
    shown = client_of(owner).get(f"{RECORDS}/1/0").json()
    assert (shown["key"], shown["row"], shown["headers"]) == (
        "k",
        GOOD,
        [{"name": "source", "value": "=1+1", "value_is_text": True}],
    )
    assert client_of(owner).get(f"{RECORDS}/0/0").json()["key_base64"] == "/w=="
    assert Event.objects.filter(workspace=workspace, text__contains="4 records produced to written").exists()


def test_a_key_goes_to_the_partition_that_kafkas_own_clients_choose(
    broker: KafkaServer, workspace: Workspace, owner: User
) -> None:
    """Else a corrected or deleted row of a table stays where Debezium, Connect or a job has written it."""
    topic = f"keyed.{uuid.uuid4().hex[:8]}"
    made = {"name": "keyed", "topic": topic, "create": {"partitions": 4}, "contract": CONTRACT}
    assert client_of(owner).post(STREAMS, made).status_code == 201
    keys = ("customer-2", "customer-3", "customer-4", "k", "")
    records = [{"key": key, "value": GOOD} for key in keys]
    answer = client_of(owner).post(f"{STREAMS}/keyed/records", {"records": records})
    delete_topics(home_profile(), [topic])
    assert answer.status_code == 201, answer.content
    assert [record["partition"] for record in answer.json()["written"]] == [2, 2, 1, 0, 1]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"value": {"price": 1}}, "FIELD_MISSING"),
        ({"value": {"symbol": "A", "price": "x", "at": 1}}, "FIELD_TYPE"),
        ({"value": "{"}, "NOT_JSON"),
        ({"value": None}, "VALUE_NULL"),
        ({"value": GOOD, "partition": 2}, "partitions 0 to 1"),
        ({"value_base64": "???"}, "base64"),
    ],
)
def test_one_bad_record_stops_all_and_is_named(
    topic: str, owner: User, bad: dict[str, Any], says: str
) -> None:
    answer = client_of(owner).post(RECORDS, {"records": [{"value": GOOD}, bad]})
    assert (answer.status_code, answer.json()["code"]) == (422, "RECORD_MALFORMED")
    assert answer.json()["problems"][0]["path"][:2] == ["records", "1"]
    assert says in answer.json()["detail"]
    assert {ends for ends in watermarks(home_profile(), {topic: 2}).values()} == {(0, 0)}


@pytest.mark.parametrize(
    "body",
    [{}, {"records": []}, {"records": [{"value": GOOD}] * 1_001}, {"records": "x"}, {"records": ["x"]}],
)
def test_what_is_no_request_is_refused(topic: str, owner: User, body: Any) -> None:
    assert client_of(owner).post(RECORDS, body).status_code == 400


def test_a_viewer_writes_nothing(topic: str, workspace: Workspace) -> None:
    viewer = client_of(member(workspace, "vic", Role.VIEWER))
    assert viewer.post(RECORDS, {"records": [{"value": GOOD}]}).status_code == 403
