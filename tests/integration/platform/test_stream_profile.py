"""What the newest records of a stream tell: values of its fields, and the order in which they come."""

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
ROOT = "/api/v1/workspaces/ops/streams/trades"


@pytest.fixture
def topic(broker: KafkaServer, workspace: Workspace, owner: User) -> Any:
    name = f"profiled.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": name, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post("/api/v1/workspaces/ops/streams", made).status_code == 201
    yield name
    delete_topics(home_profile(), [name])


def test_values_and_disorder(topic: str, owner: User, producer: Any) -> None:
    now = time.time_ns() // 1_000_000
    for number in range(200):
        at = now - (200 - number) * 6_000  # over twenty minutes
        behind_ms = 40_000 if number % 100 == 99 else 0
        body = {"symbol": f"S{number % 3}", "price": None, "at": at - behind_ms}
        producer.produce(topic, json.dumps(body).encode(), partition=number % 2, timestamp=at)
    producer.produce(topic, b"{", partition=0, timestamp=now + 900)
    producer.flush()

    profile = client_of(owner).get(f"{ROOT}/profile").json()
    assert (profile["records"], profile["rows"], profile["malformed"]) == (201, 200, 1)
    fields = {field["name"]: field for field in profile["fields"]}
    assert fields["symbol"]["top"][0] == {"value": "S0", "records": 67}
    assert (fields["price"]["nulls"], fields["price"]["distinct"]) == (200, 0)

    found = client_of(owner).get(f"{ROOT}/lateness?records=1000").json()
    # Of each stretch the first records only show what was reached before it.
    assert 100 < found["records"] < 200
    assert (found["delay_seconds"], found["delay_share"]) == (2.0, 2 / found["records"])
    assert found["span_seconds"] == pytest.approx(199 * 6)
    assert found["behind"][-1]["seconds"] == pytest.approx(28)
    assert found["proposed_seconds"] == 30.0
    late = {one["delay_seconds"]: one["share"] for one in found["late"]}
    assert (late[10.0], late[30.0]) == (2 / found["records"], 0.0)
    assert [one["partition"] for one in found["partitions"]] == [0, 1]


def test_a_second_of_a_fast_stream_proposes_no_delay(topic: str, owner: User, producer: Any) -> None:
    now = time.time_ns() // 1_000_000
    for number in range(500):
        body = {"symbol": "A", "price": None, "at": now + number}
        producer.produce(topic, json.dumps(body).encode(), partition=number % 2, timestamp=now + number)
    producer.flush()
    found = client_of(owner).get(f"{ROOT}/lateness?records=200").json()
    assert found["records"]
    assert found["span_seconds"] < found["min_span_seconds"]
    assert found["proposed_seconds"] is None


def test_a_topic_without_records(topic: str, owner: User) -> None:
    assert client_of(owner).get(f"{ROOT}/profile").json()["rows"] == 0
    assert client_of(owner).get(f"{ROOT}/lateness").json()["proposed_seconds"] is None


def test_no_more_records_than_one_answer_reads(topic: str, owner: User) -> None:
    assert client_of(owner).get(f"{ROOT}/lateness?records=10001").status_code == 400
