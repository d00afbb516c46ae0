"""weir.runs and weir.reports deleted and made anew after a restart of the broker: everyone who follows them goes on."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from jobs.messages import REPORTS_TOPIC, RUNS_TOPIC
from tests.integration.live.conftest import Results, eventually
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from tests.support.weir_runs import state_report
from weir.clusters.clients import home_profile
from weir.clusters.topics import delete_topics
from weir.runs.models import Run

Connect = Callable[..., Any]

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True, databases=["default", "results"])]


def make_anew(broker: KafkaServer, topic: str) -> None:
    """After which its leader seems to be one of an earlier time."""
    before = broker.topic_id(topic)
    delete_topics(home_profile(), [topic])

    def made() -> bool:
        broker.create_topic(topic)
        return broker.topic_id(topic) != before

    wait_until(made, 30, f"{topic} is made anew")


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
        await asyncio.to_thread(make_anew, broker, topic)
    results.report(state_report(results.run, "running"))
    await client.until_op("status", observed="running")
    await eventually(lambda: stored() == "running", "the relay has it")
