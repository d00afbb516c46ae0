"""Consumer groups are read once for a workspace and pass, whoever subscribes how often."""

import asyncio
import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from weir.live import group_lookups, groups_channel
from weir.live.groups_channel import GroupsChannel
from weir.live.latest_subscription import LatestSubscription


class Marks:
    """Stands for a connection."""

    def mark(self, _subscription: object) -> None:
        """It has something to send."""


class Pool:
    """Answers in place of threads and the database, and counts what it was asked."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.passed_at_us = 1
        self.groups = 250
        self.others: list[str] = []  # clusters with a group named "billing"

    async def run(self, call: Callable[..., object], *arguments: Any) -> object:
        await asyncio.sleep(0)
        self.calls[call.__name__] += 1
        if call is group_lookups.passes:
            return {cluster: (self.passed_at_us, "") for cluster in ("home", *self.others)}
        if call is group_lookups.read_group:
            _, cluster, name = arguments
            return {"cluster": cluster, "name": name} if cluster in self.others else None
        (workspace_id,) = arguments
        named = [{"cluster": "home", "name": f"{workspace_id}-{at}"} for at in range(self.groups)]
        named += [{"cluster": cluster, "name": "billing"} for cluster in self.others]
        watches = [{"cluster": cluster, "passed_us": self.passed_at_us} for cluster in ("home", *self.others)]
        return watches, named


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.fixture
def channel(pool: Any) -> GroupsChannel:
    return GroupsChannel(pool)


def subscription(workspace_id: int = 1) -> LatestSubscription:
    connection: Any = Marks()
    return LatestSubscription(connection, 1, "groups", "", workspace_id)


def names(subscription: LatestSubscription) -> set[str]:
    return {frame["name"] for frame in map(json.loads, subscription.take()) if "name" in frame}


async def test_those_who_subscribe_between_two_passes_share_one_list(
    channel: GroupsChannel, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups_channel, "LIST_TTL_S", math.inf)
    many = [subscription() for _ in range(20)]
    other = subscription(2)
    await asyncio.gather(*(channel.subscribe(each) for each in [*many, other]))
    assert pool.calls["read_list"] == 2
    assert [len(names(each)) for each in [*many, other]] == [250] * 21
    await channel.tick()  # the first pass that it knows of
    await channel.subscribe(subscription())
    assert pool.calls["read_list"] == 4
    await channel.tick()
    assert pool.calls["read_list"] == 4
    pool.passed_at_us, pool.groups = 2, 251
    await channel.tick()
    assert pool.calls["read_list"] == 6
    assert names(many[0]) == {"1-250"}


async def test_a_list_is_read_again_after_seconds(
    channel: GroupsChannel, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await channel.subscribe(subscription())
    monkeypatch.setattr(groups_channel, "LIST_TTL_S", 0.0)
    await channel.subscribe(subscription())
    assert pool.calls["read_list"] == 2


async def test_a_long_list_lets_other_work_in_between_and_ends_with_its_subscription(
    channel: GroupsChannel, pool: Pool
) -> None:
    pool.groups = 100_000
    mine = subscription()
    asked = asyncio.create_task(channel.subscribe(mine))
    turns = 0
    while not mine.size:
        await asyncio.sleep(0)
    while not asked.done() and turns < 20:
        await asyncio.sleep(0)
        turns += 1
    assert turns == 20
    mine.close()
    await asked
    assert not names(mine)


async def test_nothing_is_kept_when_nobody_watches(channel: GroupsChannel, pool: Pool) -> None:
    mine = subscription()
    await channel.subscribe(mine)
    mine.close()
    await channel.tick()
    await channel.subscribe(subscription())
    assert pool.calls["read_list"] == 2


async def test_a_deleted_cluster_is_told_with_its_groups(channel: GroupsChannel, pool: Pool) -> None:
    """Nothing else has passed since."""
    pool.groups, pool.others = 0, ["c1"]
    listed = subscription()
    connection: Any = Marks()
    one = LatestSubscription(connection, 2, "group", "c1/billing", 1)
    for each in (listed, one):
        await channel.subscribe(each)
    await channel.tick()
    assert {frame["cluster"] for frame in map(json.loads, listed.take())} == {"home", "c1"}
    assert [frame.get("deleted") for frame in map(json.loads, one.take())] == [None]
    pool.others = []
    await channel.tick()
    gone = [json.loads(text) for text in listed.take()]
    assert sorted(gone, key=lambda frame: str(frame["op"])) == [
        {"op": "group", "id": 1, "cluster": "c1", "name": "billing", "deleted": True},
        {"op": "watch", "id": 1, "cluster": "c1", "deleted": True},
    ]
    (last,) = map(json.loads, one.take())
    assert (last["op"], last["deleted"]) == ("group", True)
