"""Topics to which a transaction is still open: what is committed is read at once, up to where the
transaction begins.
"""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support.kafka_node import KafkaServer
from tests.support.open_transaction import open_transaction
from tests.support.patience import PATIENCE
from tests.support.run_factories import CONTRACT as TRADES
from tests.support.run_factories import DOCUMENT
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import end_offsets
from weir.clusters.services.topics import delete_topics
from weir.runs.models import Generation
from weir.streams.services import scan
from weir.streams.services.large_batches import large_batches
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
STREAMS = "/api/v1/workspaces/ops/streams"
FIELDS = [{"name": "id", "type": "long"}, {"name": "n", "type": "long"}]
CONTRACT = {"kind": "table", "key": ["id"], "fields": FIELDS}
COMMITTED = 20


@pytest.fixture
def writer(broker: KafkaServer) -> Iterator[Producer]:
    with open_transaction(broker.bootstrap) as made:
        yield made


@pytest.fixture
def topic(workspace: Workspace, owner: User, producer: Any, writer: Producer) -> Iterator[str]:
    """A table of 20 committed records, with ten behind them of the open transaction."""
    name = f"open.{uuid.uuid4().hex[:8]}"
    made = {"name": "open", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(owner).post(STREAMS, made).status_code == 201
    _write(producer, name, range(COMMITTED))
    _write(writer, name, range(COMMITTED, COMMITTED + 10))
    yield name
    delete_topics(home_profile(), [name])


def _write(producer: Any, topic: str, numbers: range) -> None:
    for n in numbers:
        producer.produce(topic, json.dumps({"n": n}).encode(), key=str(n).encode(), partition=0)
    producer.flush()


def _get(owner: User, path: str, status: int = 200) -> dict[str, Any]:
    answer = client_of(owner).get(f"{STREAMS}/open/{path}")
    assert answer.status_code == status, answer.content
    return dict(answer.json())


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first record comes late because the machine is busy, nobody takes that for a large batch."""
    monkeypatch.setattr(scan, "_SLOW_S", scan._SLOW_S * PATIENCE)


@pytest.mark.parametrize("origin", ["newest", "earliest"])
def test_a_page_has_the_committed_records_and_ends_before_the_transaction(
    topic: str, owner: User, origin: str
) -> None:
    page = _get(owner, f"records?from={origin}&limit=50")
    numbers = [record["row"]["n"] for record in page["records"]]
    assert sorted(numbers) == list(range(COMMITTED))
    assert (page["scan"]["stop_reason"], page["next"]) == ("end", None)
    assert page["scan"]["partitions"][0]["log_end"] == COMMITTED
    assert not large_batches.is_large(home_profile(), topic)


def test_what_can_not_be_read_yet_is_no_lag(topic: str) -> None:
    """As for engines: a number that is now the one and now the other would be none."""
    assert end_offsets(home_profile(), [(topic, 0)]) == {(topic, 0): COMMITTED}


def test_a_record_of_the_transaction_is_not_there_yet(topic: str, owner: User) -> None:
    assert _get(owner, f"records/0/{COMMITTED - 1}")["row"]["n"] == COMMITTED - 1
    assert _get(owner, f"records/0/{COMMITTED}", 404)["code"] == "RECORD_NOT_FOUND"


def test_the_rows_of_a_table_are_those_of_its_committed_records(topic: str, owner: User) -> None:
    page = _get(owner, "table?limit=100")
    assert (page["complete"], page["size"]) == (True, {"rows": COMMITTED, "exact": True})


def test_samples_and_slices_have_the_committed_records(topic: str, owner: User) -> None:
    profile = _get(owner, "profile")
    assert (profile["records"], profile["rows"]) == (COMMITTED, COMMITTED)
    sample = client_of(owner).post("/api/v1/workspaces/ops/samples/infer", {"topic": topic}).json()
    assert (sample["scan"]["records"], sample["scan"]["stop_reason"]) == (COMMITTED, "end")
    assert _get(owner, "lateness")["records"] == COMMITTED // 2  # the first half is what it is compared with
    assert not large_batches.is_large(home_profile(), topic)


def test_a_job_starts_now_where_its_engine_sees_the_end(
    workspace: Workspace, owner: User, producer: Any, writer: Producer
) -> None:
    """To an engine, a start beyond the end that it sees means that records were lost."""
    client = client_of(owner)
    name = f"trades.{uuid.uuid4().hex[:8]}"
    made = {"name": "trades", "topic": name, "create": {"partitions": 2}, "contract": TRADES}
    assert client.post(STREAMS, made).status_code == 201
    _write(producer, name, range(3))
    _write(writer, name, range(3, 5))
    job = client.post("/api/v1/workspaces/ops/jobs", {"document": DOCUMENT}).json()
    answer = client.post(f"/api/v1/workspaces/ops/jobs/{job['id']}/start", {"from": "now"})
    assert answer.status_code == 202, answer.content
    generation = Generation.objects.get(job=job["id"])
    assert generation.sources["trades"]["start"]["offsets"] == {"0": 3, "1": 0}
    delete_topics(home_profile(), [name])
