"""A tail ends where another workspace of the home cluster gets its topic, and shows nothing of theirs."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from tests.support.kafka_node import KafkaServer
from tests.support.live_client import LiveClient
from tests.support.users import create_user, workspace_of
from weir.clusters.services import clients
from weir.clusters.services.clients import home_profile
from weir.clusters.services.clusters import home_cluster
from weir.live import tail_channel
from weir.streams.services.streams import delete_stream, register_stream
from weir.streams.services.topics import add_topic, remove_topic
from weir.workspaces.models import User, Workspace

Connect = Callable[..., Any]

CONTRACT = {"fields": [{"name": "n", "type": "long"}], "event_time": {"kind": "kafka_timestamp"}}

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


@pytest.fixture
def eve(transactional_db: None) -> User:
    return create_user("eve")


@pytest.fixture
def labs(eve: User) -> Workspace:
    return workspace_of(eve, "labs")


@pytest.fixture
def topic(broker: KafkaServer) -> str:
    return f"orders.{uuid4().hex[:8]}"


def write(topic: str, *numbers: int) -> None:
    producer = clients.producer(home_profile())
    for number in numbers:
        producer.produce(topic, json.dumps({"n": number}).encode())
    assert producer.flush(20) == 0


def values(client: LiveClient) -> list[str]:
    """Of the records that a client was shown."""
    frames = [frame for frame in client.frames if frame["op"] == "records"]
    return [record["value"] for frame in frames for record in frame["records"]]


@pytest.mark.parametrize("channel", ["topic", "tail"])
async def test_a_topic_that_another_workspace_has_made_anew(
    workspace: Workspace,
    owner: User,
    labs: Workspace,
    eve: User,
    connect: Connect,
    topic: str,
    channel: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the new topic is found before rights are read again."""
    monkeypatch.setattr(tail_channel, "RECREATION_CHECK_INTERVAL_S", 0.0)

    def make() -> None:
        add_topic(home_cluster(), labs, eve, topic, 1, None, None)
        if channel == "tail":
            register_stream(labs, eve, name="orders", cluster=home_cluster(), topic=topic, contract=CONTRACT)

    def take_over() -> None:
        if channel == "tail":
            delete_stream(labs.streams.get(), eve)
        remove_topic(home_cluster(), labs, eve, topic)
        add_topic(home_cluster(), workspace, owner, topic, 1, None, None)
        write(topic, 7, 8, 9)

    await sync_to_async(make)()
    client = await connect(eve)
    name = f"topic/home/{topic}" if channel == "topic" else "tail/orders"
    await client.subscribe(name, workspace="labs")
    await client.until_op("subscribed")
    await asyncio.to_thread(write, topic, 1)
    await client.until(lambda: len(values(client)) == 1)
    await sync_to_async(take_over)()
    await client.until_op("error", id=1, code="NOT_FOUND")
    await asyncio.to_thread(write, topic, 10)
    # The connection stays, and asking again is answered as for any topic that is not there.
    await client.subscribe(name, id=2, workspace="labs")
    await client.until_op("error", id=2, code="NOT_FOUND")
    assert ["1" in value for value in values(client)] == [True], "a record of the other workspace was shown"


async def test_a_topic_of_nobody_that_another_workspace_registers(
    broker: KafkaServer,
    workspace: Workspace,
    owner: User,
    labs: Workspace,
    eve: User,
    connect: Connect,
    topic: str,
) -> None:
    await sync_to_async(broker.create_topic)(topic, 1, {})
    theirs, ours = await connect(eve), await connect()
    await theirs.subscribe(f"topic/home/{topic}", workspace="labs")
    await theirs.until_op("subscribed")
    await ours.subscribe(f"topic/home/{topic}")
    await ours.until_op("subscribed")

    def register() -> None:
        register_stream(
            workspace, owner, name="orders", cluster=home_cluster(), topic=topic, contract=CONTRACT
        )

    await sync_to_async(register)()
    await theirs.until_op("error", id=1, code="NOT_FOUND")
    await asyncio.to_thread(write, topic, 7)
    await ours.until(lambda: len(values(ours)) == 1)
    await theirs.subscribe("runs", id=2, workspace="labs")
    await theirs.until_op("subscribed", id=2)
    assert values(theirs) == []
