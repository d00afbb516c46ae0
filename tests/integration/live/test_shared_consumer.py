"""Topics of one shared consumer, on a real broker: a defect in one does not keep others from being read."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Message

from jobs.connections import ClusterProfile
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from weir.clusters.services.clients import consumer, producer
from weir.live.shared_consumer import SharedConsumer

pytestmark = [pytest.mark.integration]


class Reader:
    """Keeps the values that it gets, and stumbles over some."""

    def __init__(self, *, unreadable: bytes = b"", untakeable: bytes = b"") -> None:
        self.unreadable, self.untakeable = unreadable, untakeable
        self.taken: list[bytes] = []
        self.losses: list[str] = []

    def read(self, messages: list[Message]) -> list[bytes]:
        values = [value for message in messages if isinstance(value := message.value(), bytes)]
        assert self.unreadable not in values
        return values

    def take(self, batch: Any) -> None:
        assert self.untakeable not in batch
        self.taken += batch

    def lost(self, partition: int, reason: str) -> None:
        self.losses.append(f"{partition} {reason}")


async def test_a_topic_that_cannot_be_handled_is_lost_alone(kafka: KafkaServer) -> None:
    names = [f"{name}.{uuid4().hex[:8]}" for name in ("unreadable", "untakeable", "sound")]
    readers = [Reader(unreadable=b"a"), Reader(untakeable=b"a"), Reader()]
    profile = ClusterProfile(cluster_id="home", bootstrap=kafka.bootstrap)
    pen = producer(profile)
    feed = SharedConsumer(lambda: consumer(profile), "stumbles")
    for name, reader in zip(names, readers, strict=True):
        kafka.create_topic(name)
        await feed.assign(name, {0: 0}, reader)

    async def write(value: bytes) -> None:
        for name in names:
            pen.produce(name, value)
        assert await asyncio.to_thread(pen.flush, 20) == 0

    await write(b"a")
    await asyncio.to_thread(
        wait_until,
        lambda: [reader.losses for reader in readers] == [["0 failed"], ["0 failed"], []],
        20,
        "told",
    )
    await write(b"b")
    await asyncio.to_thread(
        wait_until,
        lambda: [reader.taken for reader in readers] == [[b"b"], [b"b"], [b"a", b"b"]],
        20,
        "read on",
    )
    for name in names:
        await asyncio.wait_for(feed.unassign(name), 20)
    await feed.close()
