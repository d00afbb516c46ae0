"""Searching a topic by key, condition and time.

Bounded scans, which report their range and continue there.
"""

import asyncio
import csv
import io
import json
import time
import uuid
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
BASE = 1_750_000_000_000
N = 3_000
LONG = "repeat(repeat('B', 100), %s)"


@pytest.fixture
def stream(broker: KafkaServer, workspace: Workspace, owner: User, producer: Any) -> Any:
    """3,000 trades over two partitions, one a millisecond; every 100th is A, every 500th cannot be read."""
    topic = f"searched.{uuid.uuid4().hex[:8]}"
    made = {"name": "searched", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(STREAMS, made).status_code == 201
    for n in range(N):
        body = {"symbol": "=A()" if n % 100 == 0 else "B", "price": n / 2, "at": BASE + n}
        value = b"{" if n % 500 == 7 else json.dumps(body).encode()
        producer.produce(
            topic,
            value,
            key=f"k{n % 3}".encode(),
            partition=n % 2,
            timestamp=BASE + n,
            headers=[("n", str(n).encode())],
        )
    producer.flush()
    yield "searched"
    delete_topics(home_profile(), [topic])


def page(owner: User, query: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answer = client_of(owner).get(f"{STREAMS}/searched/records", query)
    assert answer.status_code == status, answer.content
    return dict(answer.json())


def everything(owner: User, query: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All records of all pages, and the scan of each page."""
    found, scans, cursor = [], [], {}
    while True:
        got = page(owner, {**query, **cursor})
        found += got["records"]
        scans.append(got["scan"])
        if got["next"] is None:
            return found, scans
        cursor = {"cursor": got["next"]}
        assert len(scans) < 400, "the pages never end"


@pytest.mark.parametrize("origin", ["newest", "earliest"])
@pytest.mark.parametrize(
    "budget", [{}, {"limit": 7}, {"max_records": 333}, {"max_bytes": 20_000, "limit": 3}]
)
def test_a_condition_finds_each_match_once_whatever_the_scan_limits(
    stream: str, owner: User, origin: str, budget: dict[str, int]
) -> None:
    found, scans = everything(
        owner, {"from": origin, "where": "symbol LIKE '=A%' AND price >= 100", **budget}
    )
    prices = [record["row"]["price"] for record in found]
    assert sorted(prices) == [n / 2 for n in range(200, N, 100)]
    assert len(prices) == len(set(prices))
    if origin == "newest" and "max_bytes" not in budget:
        assert prices == sorted(prices, reverse=True)
    if not budget:
        assert scans[-1]["stop_reason"] == "end"
        # a slow machine needs more than one page: a page ends also by its time
        assert sum(scan["records"] for scan in scans) == N
    elif "limit" not in budget:
        assert "records" in {one["stop_reason"] for one in scans[:-1]} <= {"records", "timeout"}


@pytest.mark.parametrize(
    "condition",
    [
        # more characters than a condition may make
        f"length(replace(symbol || {LONG % 100}, 'B', {LONG % 100})) > 1",
        # more matches than half a second finds
        f"regexp_count(replace(symbol || {LONG % 10}, 'B', {LONG % 10}), 'B') > 1",
    ],
)
def test_a_condition_that_takes_too_long_for_a_record_is_refused_by_name(
    stream: str, owner: User, condition: str
) -> None:
    began = time.thread_time()
    answer = page(owner, {"from": "newest", "where": condition}, 422)
    assert answer["code"] == "FILTER_TOO_SLOW"
    assert "of partition" in answer["detail"]
    assert time.thread_time() - began < 5  # below 1 s where nothing else runs


def test_a_page_reports_its_scan_even_if_nothing_matched(stream: str, owner: User) -> None:
    got = page(owner, {"from": "earliest", "where": "price < 0", "max_records": 500})
    assert got["records"] == []
    assert (got["scan"]["stop_reason"], got["next"] is None) == ("records", False)
    assert 500 <= got["scan"]["records"] < 1_000
    assert sum(part["to"] - part["from"] for part in got["scan"]["partitions"]) == got["scan"]["records"]


def test_by_key_by_partition_and_by_time(stream: str, owner: User) -> None:
    found, _ = everything(owner, {"from": "earliest", "key": "k1", "partition": 1, "limit": 500})
    assert len(found) == len([n for n in range(N) if n % 3 == 1 and n % 2 == 1])
    between = {"time": "2025-06-15T15:06:41.000Z", "until": "2025-06-15T15:06:41.010Z"}
    for origin in ("time", "newest"):
        found, scans = everything(owner, {"from": origin, **between})
        assert sorted(record["row"]["at"] - BASE for record in found if record["row"]) == [
            1000,
            1001,
            1002,
            1003,
            1004,
            1005,
            1006,
            1008,
            1009,
        ]
        assert scans[-1]["stop_reason"] == "time"
    found, _ = everything(owner, {"from": "newest", "until": "2025-06-15T15:06:40.003Z"})
    assert [record["row"]["at"] - BASE for record in found] == [2, 1, 0]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("price >", "EXPRESSION_INVALID"),
        ("nope = 1", "FIELD_UNKNOWN"),
        ("price", "TYPE_MISMATCH"),
        ("reflect('a','b') = 1", "FUNCTION_UNKNOWN"),
    ],
)
def test_a_condition_with_faults_is_explained(stream: str, owner: User, where: str, code: str) -> None:
    got = page(owner, {"where": where}, 422)
    assert (got["code"], got["problems"][0]["code"]) == ("FILTER_INVALID", code)


def test_system_fields_can_be_asked_for(stream: str, owner: User) -> None:
    found, _ = everything(
        owner,
        {"from": "earliest", "where": "_partition = 1 AND _offset BETWEEN 10 AND 12 AND _timestamp = _time"},
    )
    assert [(record["partition"], record["offset"]) for record in found] == [(1, 10), (1, 11), (1, 12)]


def test_one_record_is_shown_whole_with_its_bytes(stream: str, owner: User, producer: Any) -> None:
    topic = client_of(owner).get(f"{STREAMS}/{stream}").json()["topic"]
    producer.produce(
        topic, b"\x00\xff" * 20_000, key=b"\x00", partition=0, headers=[("bin", b"\xfe"), ("none", None)]
    )
    producer.flush()
    record = client_of(owner).get(f"{STREAMS}/searched/records/0/{N // 2}").json()
    assert (record["value_is_text"], record["key_is_text"], record["truncated"], record["size"]) == (
        False,
        False,
        False,
        40_001,
    )
    assert len(record["value_base64"]) > 50_000
    assert [(header["name"], header["value_is_text"]) for header in record["headers"]] == [
        ("bin", False),
        ("none", True),
    ]
    assert client_of(owner).get(f"{STREAMS}/searched/records/0/999999").status_code == 404
    assert client_of(owner).get(f"{STREAMS}/searched/records/9/0").status_code == 404


def test_export_as_json_lines_and_as_formula_safe_csv(stream: str, owner: User) -> None:
    lines = exported(owner, "format=jsonl&where=symbol+LIKE+'%3DA%25'").splitlines()
    assert len(lines) == N // 100
    assert json.loads(lines[0])["row"] == {"symbol": "=A()", "price": 0.0, "at": BASE}
    rows = list(csv.DictReader(io.StringIO(exported(owner, "format=csv&limit=1000&partition=0"))))
    assert len(rows) == 1_001
    assert rows[0]["symbol"] == "'=A()"
    assert (
        rows[-1]["_partition"] == "stopped: 1,000 records (the record limit was reached); there may be more"
    )
    assert client_of(owner).get(f"{STREAMS}/searched/export?where=x").status_code == 422


def exported(owner: User, query: str) -> str:
    answer = client_of(owner).get(f"{STREAMS}/searched/export?{query}")
    assert answer.status_code == 200

    async def read() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return asyncio.run(read()).decode()


def test_a_bare_topic_is_browsed_undecoded(stream: str, owner: User) -> None:
    topic = client_of(owner).get(f"{STREAMS}/{stream}").json()["topic"]
    path = f"/api/v1/workspaces/ops/clusters/home/topics/{topic}/records"
    got = client_of(owner).get(path, {"from": "earliest", "key": "k0", "limit": 2}).json()
    assert [(record["key"], record["row"], record["malformed"]) for record in got["records"]] == [
        ("k0", None, None)
    ] * 2
    refused = client_of(owner).get(path, {"where": "price > 1"})
    assert (refused.status_code, refused.json()["code"]) == (422, "FILTER_INVALID")
