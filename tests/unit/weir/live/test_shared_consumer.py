"""A feed ends whatever it is doing."""

import asyncio
import threading

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
