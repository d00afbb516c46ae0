"""The hub's housekeeping goes on whatever a part of it does."""

import asyncio
import threading
from typing import Any, cast

import pytest

from jobs.connections import ClusterProfile
from weir.live import blocking_pool, lag_channel
from weir.live import hub as module
from weir.live.control_topics import ControlTopics
from weir.live.hub import Hub
from weir.live.latest_subscription import LatestSubscription
from weir.live.logs_channel import LogsChannel
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunStatus

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


class Checked:
    """A connection that is looked after."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.checks = 0
        self.subscriptions: dict[int, object] = {}
        self.again = asyncio.Event()

    def check(self) -> bool:
        self.checks += 1
        if self.checks > 2:
            self.again.set()
        assert not self.fails
        return True

    def release(self) -> None:
        """It ends with the hub."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_: ControlTopics) -> None:
        """No broker is asked."""

    monkeypatch.setattr(module, "TICK_INTERVAL_S", 0.01)
    monkeypatch.setattr(ControlTopics, "tick", nothing)


async def test_a_defect_in_one_connection_or_in_the_logs_is_none_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: LogsChannel) -> None:
        raise KeyError("run")

    monkeypatch.setattr(LogsChannel, "tick", fail)
    hub = Hub()
    broken, sound = Checked(fails=True), Checked()
    hub.connections |= cast("Any", {broken, sound})
    async with asyncio.timeout(20):
        await broken.again.wait()
        await sound.again.wait()
    await hub.close()


class Marks:
    """Stands for a connection."""

    def mark(self, _subscription: object) -> None:
        """It has something to send."""


def _lagging(cluster: str) -> JobInfo:
    """A job that has read three records of a topic of this cluster."""
    profile = ClusterProfile(cluster_id=cluster, bootstrap="127.0.0.1:9")
    run = RunStatus(f"{cluster}.1", cluster, 1, "results", 1, "running", "running")
    positions = {"s": {"0": {"committed": 3}}}
    return JobInfo(cluster, "running", run, {"s": (cluster, "t")}, {cluster: profile}, positions)


async def test_clusters_that_do_not_answer_take_no_thread_of_what_others_subscribe_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, asked = threading.Event(), []

    def hang(profile: ClusterProfile, _: object) -> dict[Any, int]:
        asked.append(profile.cluster_id)
        answers.wait(60)
        return {}

    monkeypatch.setattr(lag_channel, "end_offsets", hang)
    hub = Hub()
    connection: Any = Marks()
    for number in range(blocking_pool.WORKERS + 1):
        cluster = f"c{number}"
        hub.lag.subscribe(LatestSubscription(connection, number, "lag", cluster, 1), _lagging(cluster))
    try:
        async with asyncio.timeout(60):
            while len(asked) < module.LAG_WORKERS:
                await asyncio.sleep(0.01)
            assert await hub.pool.run(lambda: "served") == "served"
    finally:
        answers.set()
        await hub.close()
