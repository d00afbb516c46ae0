"""The lag of jobs beside a cluster that does not answer."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from jobs.connections import ClusterProfile
from weir.lag.services.tracker import LagTracker
from weir.live import lag_channel
from weir.live.connection import Connection
from weir.live.lag_channel import LagChannel
from weir.live.latest_subscription import LatestSubscription
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunRegistry, RunStatus


class Pool:
    """Clusters that answer, but for one."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def run(self, _: Callable[..., Any], profile: ClusterProfile, partitions: Any) -> dict[Any, int]:
        self.asked.append(profile.cluster_id)
        if profile.cluster_id == "dead":
            await asyncio.Event().wait()
        return dict.fromkeys(partitions, 10)


def job(cluster: str) -> JobInfo:
    """A job that has read three of ten records of a topic of this cluster."""
    profile = ClusterProfile(cluster_id=cluster, bootstrap="127.0.0.1:9")
    run = RunStatus(f"{cluster}.1", cluster, 1, "results", 1, "running", "running")
    positions = {"s": {"0": {"committed": 3}}}
    return JobInfo(cluster, "running", run, {"s": (cluster, "t")}, {cluster: profile}, positions)


async def test_nobodys_lag_waits_for_a_cluster_that_does_not_answer() -> None:
    assert lag_channel.FETCH_WAIT_S < 1
    pool: Any = Pool()
    channel = LagChannel(pool, RunRegistry(lambda _: None), LagTracker())
    sent: list[dict[str, Any]] = []
    arrived = asyncio.Event()

    async def send(text: str) -> None:
        sent.append(json.loads(text))
        if sent[-1]["sources"].get("s", {}).get("records") == 7:
            arrived.set()

    async def close(_: int) -> None:
        return

    connection = Connection(send, close, None, "user 1")
    for number, cluster in enumerate(("dead", "alive")):
        subscription = LatestSubscription(connection, number, "lag", cluster, 1)
        connection.subscriptions[number] = subscription
        channel.subscribe(subscription, job(cluster))
    async with asyncio.timeout(60):
        for _ in range(3):
            await channel.tick()
        await arrived.wait()
    assert pool.asked.count("dead") == 1, "it is not asked again before it has answered"
    channel.close()
    connection.release()
