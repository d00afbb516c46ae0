"""Streams on a real broker: register, browse, infer; every response has the scanned ranges."""

import json
from typing import Any

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import CONTRACT
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topics import delete_topics
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
STREAMS = "/api/v1/workspaces/ops/streams"
SAMPLES = "/api/v1/workspaces/ops/samples"


@pytest.fixture
def stream(broker: KafkaServer, workspace: Workspace, owner: User, producer: Any) -> str:
    """A stream of 20 trades in partition 0, 10 in partition 1, one a millisecond by Kafka timestamp."""
    delete_topics(home_profile(), ["browsed"])
    made = {
        "name": "browsed",
        "topic": "browsed",
        "create": {"partitions": 2, "retention_ms": None},
        "contract": CONTRACT,
    }
    assert client_of(owner).post(STREAMS, made).status_code == 201
    base = 1_750_000_000_000
    for n in range(30):
        value = json.dumps({"symbol": "A", "price": n / 2, "at": base + n}).encode()
        producer.produce("browsed", value, key=b"k", partition=0 if n % 3 else 1, timestamp=base + n)
    producer.flush()
    return "browsed"


def page(owner: User, query: str) -> dict[str, Any]:
    answer = client_of(owner).get(f"{STREAMS}/browsed/records?{query}")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def pages(owner: User, query: str) -> list[dict[str, Any]]:
    found, cursor = [], ""
    while True:
        got = page(owner, query + cursor)
        found += got["records"]
        if got["next"] is None:
            return found
        cursor = f"&cursor={got['next']}"
        assert len(found) < 100, "the pages never end"


@pytest.mark.parametrize("limit", [1, 7, 30, 50])
@pytest.mark.parametrize("origin", ["newest", "earliest"])
def test_pages_hold_every_record_once(stream: str, owner: User, origin: str, limit: int) -> None:
    found = pages(owner, f"from={origin}&limit={limit}")
    assert len(found) == 30
    assert len({(record["partition"], record["offset"]) for record in found}) == 30


def test_newest_is_newest_first(stream: str, owner: User) -> None:
    got = page(owner, "limit=5")
    assert [record["row"]["price"] for record in got["records"]] == [14.5, 14.0, 13.5, 13.0, 12.5]
    assert got["records"][0]["event_time"] == "2025-06-15T15:06:40.029000Z"
    assert {p["partition"]: (p["log_start"], p["log_end"]) for p in got["scan"]["partitions"]} == {
        0: (0, 20),
        1: (0, 10),
    }


def test_from_a_time_and_from_an_offset(stream: str, owner: User) -> None:
    got = page(owner, "from=time&time=2025-06-15T15:06:40.027Z")
    assert sorted(record["row"]["price"] for record in got["records"]) == [13.5, 14.0, 14.5]
    got = page(owner, "from=offset&partition=1&offset=8")
    assert [(record["partition"], record["offset"]) for record in got["records"]] == [(1, 8), (1, 9)]
    assert got["scan"]["stop_reason"] == "end"
    assert got["next"] is None


def test_an_empty_page_has_the_scanned_ranges(stream: str, owner: User) -> None:
    got = page(owner, "from=time&time=2030-01-01T00:00:00Z")
    assert got["records"] == []
    assert [(p["from"], p["to"], p["log_end"]) for p in got["scan"]["partitions"]] == [
        (20, 20, 20),
        (10, 10, 10),
    ]


def test_bad_records_are_shown_for_what_they_are(stream: str, owner: User, producer: Any) -> None:
    for value in (
        b"{",
        b"\xff\xfe",
        None,
        b'{"price": "x"}',
        b"[" * 100,
        b'{"symbol": "<script>", "at": 1}' + b" " * 20_000,
    ):
        producer.produce("browsed", value, partition=0)
    producer.flush()
    rows = page(owner, "from=offset&partition=0&offset=20")["records"]
    assert [row["malformed"]["reason"] if row["malformed"] else None for row in rows[:5]] == [
        "NOT_JSON", "NOT_JSON", "VALUE_NULL", "FIELD_TYPE", rows[4]["malformed"]["reason"],
    ]  # fmt: skip
    assert [row["value_is_text"] for row in rows] == [True, False, True, True, True, True]
    assert (rows[5]["truncated"], len(rows[5]["value"]), rows[5]["row"]["symbol"]) == (
        True,
        16_384,
        "<script>",
    )


@pytest.mark.parametrize("cursor", ["x", "e30=", "bnVsbA==", "eyJhdCI6MX0="])
def test_a_foreign_cursor_is_refused(stream: str, owner: User, cursor: str) -> None:
    answer = client_of(owner).get(f"{STREAMS}/browsed/records?cursor={cursor}")
    assert (answer.status_code, answer.json()["code"]) == (422, "CURSOR_INVALID")


def test_a_sample_proposes_a_contract(stream: str, owner: User) -> None:
    answer = client_of(owner).post(f"{SAMPLES}/infer", {"topic": "browsed"}).json()
    assert {field["name"]: field["type"] for field in answer["fields"]} == {
        "symbol": "string",
        "price": "double",
        "at": "long",
    }
    assert (answer["event_time_candidates"][0]["field"], answer["event_time_candidates"][0]["unit"]) == (
        "at",
        "ms",
    )
    assert answer["scan"]["records"] == 30
    assert (answer["key"]["encoding"], answer["key"]["present"], answer["key"]["reason"]) == (
        {"format": "text"},
        30,
        "Every key is plain text.",
    )


def validate(owner: User, contract: dict[str, Any]) -> dict[str, Any]:
    answer = client_of(owner).post(f"{SAMPLES}/validate", {"topic": "browsed", "contract": contract})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def test_how_many_records_of_a_sample_are_valid(stream: str, owner: User) -> None:
    assert {**validate(owner, CONTRACT), "scan": None} == {
        "records": 30,
        "valid": 30,
        "skipped": 0,
        "malformed": [],
        "scan": None,
        "error": None,
    }
    partly = validate(
        owner,
        {
            **CONTRACT,
            "fields": [{"name": "price", "type": "long", "nullable": False}, {"name": "at", "type": "long"}],
        },
    )
    assert (partly["valid"], [(one["reason"], one["records"]) for one in partly["malformed"]]) == (
        0,
        [("FIELD_TYPE", 30)],
    )
    keyed = {**CONTRACT, "kind": "table", "key": ["symbol"], "delay": None}
    assert [(one["reason"], one["records"]) for one in validate(owner, keyed)["malformed"]] == [
        ("KEY_INVALID", 30)
    ]
    assert validate(owner, {**keyed, "key_encoding": {"format": "text"}})["valid"] == 30
    assert "type" in str(validate(owner, {"fields": [{"name": "a", "type": "nothing"}]})["error"])


def test_the_names_of_the_record_are_the_contracts_business(stream: str, owner: User) -> None:
    fields = [
        {"name": "what", "type": "string", "path": ["symbol"], "nullable": False},
        {"name": "when", "type": "long", "path": ["at"]},
    ]
    contract = {"fields": fields, "event_time": {"kind": "field", "field": "when", "unit": "ms"}}
    assert validate(owner, contract)["valid"] == 30
    client = client_of(owner)
    assert client.patch(f"{STREAMS}/browsed", {"contract": contract}).status_code == 200
    read = client.get(f"{STREAMS}/browsed").json()["contract"]["fields"]
    assert read == [*fields[:1], {**fields[1], "nullable": True}]
    assert page(owner, "limit=1")["records"][0]["row"].keys() == {"what", "when"}


def test_an_unknown_topic_is_a_clear_error(broker: KafkaServer, workspace: Workspace, owner: User) -> None:
    client = client_of(owner)
    answer = client.post(STREAMS, {"name": "x", "topic": "no.such.topic", "contract": CONTRACT})
    assert (answer.status_code, answer.json()["code"]) == (404, "TOPIC_NOT_FOUND")
    assert "no.such.topic" in answer.json()["detail"]
    assert client.post(f"{SAMPLES}/infer", {"topic": "no.such.topic"}).status_code == 404


@pytest.mark.parametrize(
    "topic",
    [
        "weir.runs",
        "weir.results.x.1",
        "weir.exchange.x.1",
        "__consumer_offsets",
        "a/b",
        "..",
        "x" * 250,
        "a b",
    ],
)
def test_topics_of_the_system_and_nonsense_are_refused(
    broker: KafkaServer, workspace: Workspace, owner: User, topic: str
) -> None:
    answer = client_of(owner).post(STREAMS, {"name": "x", "topic": topic, "contract": CONTRACT})
    assert answer.status_code in (400, 422)


def test_numbers_of_topics(stream: str, owner: User) -> None:
    listed = client_of(owner).get(STREAMS).json()
    assert (listed["error"], listed["results"][0]["records"]) == (None, 30)
    topics = {
        row["name"]: row
        for row in client_of(owner).get("/api/v1/workspaces/ops/clusters/home/topics").json()["results"]
    }
    assert (topics["browsed"]["partitions"], topics["browsed"]["records"], topics["browsed"]["streams"]) == (
        2,
        30,
        ["browsed"],
    )
    assert "weir.runs" not in topics
