"""Topics deleted and made anew after a restart of the broker: everyone who follows them goes on."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from jobs.kafka_messages import REPORTS_TOPIC, RUNS_TOPIC
from tests.integration.live.conftest import Results, eventually
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import state_report
from weir.clusters.services import clients
from weir.clusters.services.clients import home_profile
from weir.clusters.services.clusters import home_cluster
from weir.clusters.services.topics import describe_topic
from weir.runs.models import Run
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

Connect = Callable[..., Any]

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]


async def test_hub_and_relay_read_on(
    broker: KafkaServer, results: Results, connect: Connect, relay: Callable[[], Callable[[], None]]
) -> None:
    def stored() -> str:
        return str(Run.objects.get(pk=results.run.pk).observed)

    relay()
    client = await connect()
    await client.subscribe("runs")
    await asyncio.to_thread(broker.kill)
    await asyncio.to_thread(broker.start)
    results.report(state_report(results.run, "waiting"))
    await client.until_op("status", observed="waiting")
    await eventually(lambda: stored() == "waiting", "the relay has it")
    for topic in (RUNS_TOPIC, REPORTS_TOPIC):
        await asyncio.to_thread(
            broker.recreate_topic, topic
        )  # its leader then seems to be one of an earlier time
    results.report(state_report(results.run, "running"))
    await client.until_op("status", observed="running")
    await eventually(lambda: stored() == "running", "the relay has it")


@pytest.mark.long
async def test_a_tail_reads_the_new_topic_and_the_others_of_its_cluster(
    broker: KafkaServer, workspace: Workspace, connect: Connect
) -> None:
    """Of the topic that was made anew from its beginning, of another on the same cluster where it was."""
    names = {name: f"{name}.{uuid4().hex[:8]}" for name in ("anew", "kept")}

    def register() -> None:
        for name, topic in names.items():
            broker.create_topic(topic)
            Stream.objects.create(
                workspace=workspace, name=name, cluster=home_cluster(), topic=topic, partitions=1,
                topic_id=describe_topic(home_profile(), topic).topic_id,
                contract={
                    "fields": [{"name": "n", "type": "long"}],
                    "event_time": {"kind": "kafka_timestamp"},
                },
            )  # fmt: skip

    def write(name: str, *numbers: int) -> None:
        producer = clients.producer(home_profile())
        for number in numbers:
            producer.produce(names[name], json.dumps({"n": number}).encode())
        assert producer.flush(20) == 0

    await sync_to_async(register)()
    client = await connect()
    for subscription, name in enumerate(names, start=1):
        await client.subscribe(f"tail/{name}", id=subscription, max_per_second=100)
        await client.until_op("subscribed", id=subscription)

    def shown(subscription: int) -> list[int]:
        frames = [
            frame for frame in client.frames if frame["op"] == "records" and frame["id"] == subscription
        ]
        return [record["row"]["n"] for frame in frames for record in frame["records"]]

    await asyncio.to_thread(write, "kept", 1)
    await client.until(lambda: shown(2) == [1])
    await asyncio.to_thread(broker.kill)
    await asyncio.to_thread(broker.start)
    await asyncio.to_thread(broker.recreate_topic, names["anew"])
    await asyncio.to_thread(write, "anew", 5, 6, 7)
    await client.until(lambda: shown(1) == [5, 6, 7], 60)
    await asyncio.to_thread(write, "kept", 2)
    await client.until(lambda: shown(2) == [1, 2])
