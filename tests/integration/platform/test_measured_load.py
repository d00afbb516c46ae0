"""The load that a forecast rests on is what the streams show now."""

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
ROOT = "/api/v1/workspaces/ops"
N = 600  # ten a second over the last minute
SYMBOLS = 7
WINDOW = {"tumbling": {"size": "1m"}}


@pytest.fixture
def trades(broker: KafkaServer, workspace: Workspace, owner: User, producer: Any) -> Any:
    """600 trades of seven symbols, each with a price of its own, and some records that are none."""
    topic = f"measured.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": topic, "create": {"partitions": 2}, "contract": CONTRACT}
    assert client_of(owner).post(f"{ROOT}/streams", made).status_code == 201
    now = time.time_ns() // 1_000_000
    for n in range(N):
        body = {"symbol": f"S{n % SYMBOLS}", "price": n / 2, "at": now}
        producer.produce(topic, json.dumps(body).encode(), partition=n % 2, timestamp=now)
    producer.produce(topic, b"{", timestamp=now - 3_600_000)
    producer.flush()
    yield "trades"
    delete_topics(home_profile(), [topic])


def load_of(owner: User, steps: dict[str, Any]) -> dict[str, Any]:
    document = {
        "format": 1,
        "name": "measured",
        "sources": {"s": {"stream": "trades"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    answer = client_of(owner).post(f"{ROOT}/documents/measured-load", {"document": json.dumps(document)})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def counted(by: list[str], reads: str = "s") -> dict[str, Any]:
    return {"op": "aggregate", "input": reads, "window": WINDOW, "by": by, "measures": {"n": "count(*)"}}


def test_rates_and_keys_come_from_the_newest_records(trades: str, owner: User) -> None:
    found = load_of(owner, {"n": counted(["symbol"])})
    assert found["rates"]["s"] == pytest.approx(N / 60, rel=0.01)
    assert (found["key_counts"], found["sampled"]) == ({"n": SYMBOLS}, {"n": N})


def test_a_key_made_of_a_field_has_as_many_values_as_the_field_at_most(trades: str, owner: User) -> None:
    derived = {"op": "derive", "input": "s", "fields": {"pair": "concat(symbol, '/', symbol)"}}
    assert load_of(owner, {"d": derived, "n": counted(["pair"], "d")})["key_counts"] == {"n": SYMBOLS}


def test_without_a_key_there_is_one(trades: str, owner: User) -> None:
    found = load_of(owner, {"n": counted([])})
    assert (found["key_counts"], found["sampled"]) == ({"n": 1}, {"n": 0})


def test_a_key_that_nearly_every_row_has_for_itself_is_not_known(trades: str, owner: User) -> None:
    assert load_of(owner, {"n": counted(["price"])})["key_counts"] == {}


def test_a_document_with_errors_has_no_load(trades: str, owner: User) -> None:
    assert load_of(owner, {"n": counted(["nothing"])}) == {"rates": {}, "key_counts": {}, "sampled": {}}
