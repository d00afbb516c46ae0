"""A record with a header whose name is no UTF-8: Kafka takes it, and Java reads it. It is shown without
headers, and disturbs neither its neighbours nor who reads them.
"""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.kafka_node import KafkaServer
from tests.support.odd_headers import produce_with_header
from tests.support.users import client_of
from weir.clusters.services.clients import home_profile
from weir.clusters.services.topics import delete_topics
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]
API = "/api/v1/workspaces/ops"
CONTRACT = {"fields": [{"name": "n", "type": "long"}]}
ODD = "straße".encode("latin-1")


@pytest.fixture
def topic(workspace: Workspace, owner: User, broker: KafkaServer, producer: Any) -> Iterator[str]:
    """A stream of three records, of which the second has such a header."""
    name = f"odd.{uuid.uuid4().hex[:8]}"
    made = {"name": "odd", "topic": name, "create": {"partitions": 1}, "contract": CONTRACT}
    assert client_of(owner).post(f"{API}/streams", made).status_code == 201
    producer.produce(name, b'{"n": 0}', partition=0, headers=[("plain", b"1")])
    producer.flush()
    produce_with_header(broker.bootstrap, name, b'{"n": 1}', ODD, b"2")
    producer.produce(name, b'{"n": 2}', partition=0, headers=[("straße", b"3")])
    producer.flush()
    yield name
    delete_topics(home_profile(), [name])


def test_it_is_shown_without_headers_beside_others(topic: str, owner: User) -> None:
    client = client_of(owner)
    for _ in range(20):  # CPython calls otherwise what it has called often
        page = client.get(f"{API}/streams/odd/records?from=earliest&limit=10").json()
        shown = [(one["row"], [each["name"] for each in one["headers"]]) for one in page["records"]]
        assert shown == [({"n": 0}, ["plain"]), ({"n": 1}, []), ({"n": 2}, ["straße"])]
    assert client.get(f"{API}/streams/odd/records/0/1").json()["row"] == {"n": 1}
    assert client.get(f"{API}/streams/odd/profile").json()["rows"] == 3
    sample = client.post(f"{API}/samples/infer", {"topic": topic}).json()
    assert sample["scan"]["records"] == 3
