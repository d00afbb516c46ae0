"""A feed says up to when it has read."""

import asyncio
import time

import pytest

from jobs.connections import ClusterProfile
from tests.support.kafka_node import KafkaServer
from tests.support.processes import wait_until
from weir.clusters.services.clients import consumer
from weir.live.shared_consumer import SharedConsumer

pytestmark = [pytest.mark.integration]


class Nobody:
    """A sink that gets nothing."""

    def read(self, messages: object) -> None: ...

    def take(self, batch: object) -> None: ...

    def lost(self, partition: int, reason: str) -> None: ...


async def test_a_feed_says_up_to_when_it_has_read(kafka: KafkaServer) -> None:
    kafka.create_topic("idle", 1, {})
    read_until: list[int] = []
    profile = ClusterProfile(cluster_id="home", bootstrap=kafka.bootstrap)
    feed = SharedConsumer(lambda: consumer(profile), "says-idle", read_until.append)
    before_us = time.time_ns() // 1000
    await feed.assign("idle", {0: 0}, Nobody())
    await asyncio.to_thread(wait_until, lambda: len(read_until) > 1, 20, "it was idle twice")
    await feed.close()
    assert before_us < read_until[0] < read_until[1] <= time.time_ns() // 1000
