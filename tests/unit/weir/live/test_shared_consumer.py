"""A feed ends whatever it is doing."""

import asyncio
import threading

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException

from jobs.connections import ClusterProfile
from tests.support.processes import free_ports, wait_until
from weir.clusters.services.clients import consumer
from weir.live.shared_consumer import SharedConsumer


class Nobody:
    """A sink that gets nothing."""

    def read(self, messages: object) -> None: ...

    def take(self, batch: object) -> None: ...

    def lost(self, partition: int, reason: str) -> None: ...


def still_running(name: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(name)]


async def test_a_feed_that_is_closed_while_it_asks_for_leaders_ends() -> None:
    # Nobody listens: the question is under way for two seconds. A consumer closed meanwhile left its
    # thread spinning for ever.
    (port,) = free_ports(1)
    profile = ClusterProfile(cluster_id="home", bootstrap=f"127.0.0.1:{port}")
    feed = SharedConsumer(lambda: consumer(profile), "closed-early")
    reading = asyncio.create_task(feed.assign("trades", {0: 0}, Nobody()))
    await asyncio.to_thread(
        wait_until, lambda: "closed-early" in still_running("closed-early"), 10, "the feed asks"
    )
    await asyncio.wait_for(feed.close(), 20)
    await reading
    await asyncio.to_thread(wait_until, lambda: not still_running("closed-early"), 10, "its threads are gone")
    await feed.assign("later", {0: 0}, Nobody())
    assert not still_running("closed-early"), "what is asked of a closed feed starts nothing"


async def test_what_a_client_asked_for_that_has_gone_is_read_for_the_others() -> None:
    """A page that is closed while its topic still waits for its turn to be assigned cancels only itself."""
    (port,) = free_ports(1)
    profile = ClusterProfile(cluster_id="home", bootstrap=f"127.0.0.1:{port}")
    clients = [consumer(profile)]
    feed = SharedConsumer(lambda: clients[0], "left-early")
    first = asyncio.create_task(feed.assign("first", {0: 0}, Nobody()))
    await asyncio.to_thread(wait_until, lambda: "left-early" in still_running("left-early"), 10, "it asks")
    left = asyncio.create_task(feed.assign("left", {0: 0}, Nobody()))
    await asyncio.sleep(0)  # it waits for the first
    left.cancel()
    await asyncio.gather(first, left, return_exceptions=True)
    assert left.cancelled()
    await feed.assign("last", {0: 0}, Nobody())
    assert {partition.topic for partition in clients[0].assignment()} == {"first", "left", "last"}
    await asyncio.wait_for(feed.close(), 20)


async def test_a_topic_whose_client_could_not_be_made_is_not_taken_for_read() -> None:
    def fail() -> Consumer:
        raise KafkaException(KafkaError(KafkaError._CRIT_SYS_RESOURCE))

    feed = SharedConsumer(fail, "no-client")
    with pytest.raises(KafkaException):
        await feed.assign("trades", {0: 0}, Nobody())
    assert feed.topics == 0
    await feed.close()
