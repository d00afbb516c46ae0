"""One person's subscriptions take turns to be admitted, however many connections they come by."""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable
from typing import Any
from unittest.mock import AsyncMock

import pytest
from django.db import DatabaseError

from jobs.connections import ClusterProfile
from tests.support.fake_topic import READING
from weir.clusters.services.topics import TopicInfo
from weir.live import lookups, tail_channel
from weir.live.blocking_pool import BlockingPool
from weir.live.consumer import LiveConsumer
from weir.live.hub import ADMISSIONS_PER_PERSON
from weir.live.lookups import StreamInfo
from weir.live.rights import Standing
from weir.live.tail_channel import TailChannel
from weir.workspaces.errors import ForbiddenByKafkaError, NotFoundError, ServiceError
from weir.workspaces.services.turns import Turns


class Pool:
    """Holds what it is asked until the test lets it go on, and counts by person who is in it."""

    def __init__(self) -> None:
        self.inside: list[int] = []
        self.most = 0
        self.opened = asyncio.Event()

    async def run(self, _: Callable[..., object], user_id: int, *__: Any) -> None:
        self.inside.append(user_id)
        self.most = max(self.most, self.inside.count(user_id))
        await self.opened.wait()
        self.inside.remove(user_id)


class Hub:
    """What an admission uses of the hub."""

    def __init__(self) -> None:
        self.pool = self.tail_pool = Pool()
        self.admissions = Turns(ADMISSIONS_PER_PERSON)


class Connection:
    """A connection without a client."""

    closed = False

    def __init__(self, person: str) -> None:
        self.person = person
        self.subscriptions: dict[int, object] = {}
        self.posted: list[str] = []

    def post(self, text: str) -> None:
        self.posted.append(text)


def consumer(hub: Any, user_id: int) -> LiveConsumer:
    """A signed-in person's connection."""
    made: Any = LiveConsumer()
    made._hub, made._standing = hub, Standing(user_id, "session")
    made.connection = Connection(made._standing.person)
    made._bad_frames, made._requests = deque(), deque()
    found: LiveConsumer = made
    return found


@pytest.mark.parametrize("channel", ["groups", "runs", "group/home/g", "topic/home/t", "lag/j", "results/j"])
async def test_a_persons_admissions_take_turns_and_others_do_not_wait(channel: str) -> None:
    hub = Hub()
    frame = f'{{"op": "subscribe", "id": 1, "channel": "{channel}", "workspace": "ops"}}'
    many = [asyncio.create_task(consumer(hub, 1).receive(frame)) for _ in range(30)]
    while len(hub.pool.inside) < ADMISSIONS_PER_PERSON:
        await asyncio.sleep(0)
    other = asyncio.create_task(consumer(hub, 2).receive(frame))
    while 2 not in hub.pool.inside:
        await asyncio.sleep(0)
    assert hub.pool.inside.count(1) == ADMISSIONS_PER_PERSON
    hub.pool.opened.set()
    await asyncio.gather(*many, other)
    assert hub.pool.most == ADMISSIONS_PER_PERSON


async def test_a_subscription_that_could_not_be_served_is_sent_nothing_later() -> None:
    class Runs:
        taken: Any = None

        async def subscribe(self, subscription: Any) -> None:
            self.taken = subscription
            raise DatabaseError("away")

    hub: Any = Hub()
    hub.pool.opened.set()
    hub.pool.run = AsyncMock(return_value=1)
    hub.runs = Runs()
    socket = consumer(hub, 1)
    await socket.receive('{"op": "subscribe", "id": 1, "channel": "runs", "workspace": "ops"}')
    connection: Any = socket.connection
    assert [json.loads(text)["op"] for text in connection.posted] == ["subscribed", "error"]
    assert (connection.subscriptions, hub.runs.taken.closed) == ({}, True)


async def test_a_defect_at_one_subscription_leaves_the_connection_to_the_others() -> None:
    hub: Any = Hub()
    hub.pool.run = AsyncMock(side_effect=KeyError("cluster"))
    socket = consumer(hub, 1)
    await socket.receive('{"op": "subscribe", "id": 1, "channel": "results/j", "workspace": "ops"}')
    connection: Any = socket.connection
    assert [json.loads(text)["code"] for text in connection.posted] == ["UNAVAILABLE"]


async def test_a_connection_that_ends_by_a_defect_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the person's connections would be used up."""
    released: list[int] = []

    async def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    async def release(_: LiveConsumer, code: int) -> None:
        released.append(code)

    monkeypatch.setattr(LiveConsumer, "websocket_receive", fail)
    monkeypatch.setattr(LiveConsumer, "disconnect", release)
    receive = AsyncMock(return_value={"type": "websocket.receive", "text": "{}"})
    with pytest.raises(RuntimeError):
        await LiveConsumer()({"type": "websocket"}, receive, AsyncMock())
    assert released == [1011]


async def test_a_cluster_that_does_not_answer_keeps_only_its_topics_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, asked = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang(*_: object) -> None:
        loop.call_soon_threadsafe(asked.set)
        answers.wait(60)

    monkeypatch.setattr(lookups, "workspace_of", lambda *_: 1)
    monkeypatch.setattr(lookups, "find_topic", hang)
    hub: Any = Hub()
    hub.pool, hub.tail_pool, hub.runs = BlockingPool(1), BlockingPool(1), AsyncMock()
    frame = '{{"op": "subscribe", "id": 1, "channel": "{}", "workspace": "ops"}}'
    waiting = asyncio.create_task(consumer(hub, 1).receive(frame.format("topic/dead/t")))
    other = consumer(hub, 2)
    try:
        async with asyncio.timeout(30):
            await asked.wait()
            await other.receive(frame.format("runs"))
    finally:
        answers.set()
        await waiting
        hub.pool.close()
        hub.tail_pool.close()
    connection: Any = other.connection
    assert [json.loads(text)["op"] for text in connection.posted] == ["subscribed"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (
            NotFoundError("TOPIC_NOT_FOUND", "Topic 't' doesn't exist on the cluster."),
            "NOT_FOUND",
            "Job, stream or group not found, or you don't have access.",
        ),
        (
            ForbiddenByKafkaError("FORBIDDEN_BY_KAFKA", "Kafka doesn't let user weir do this."),
            "UNAVAILABLE",
            "Kafka doesn't let user weir do this.",
        ),
    ],
)
async def test_why_a_stream_is_not_tailed_is_told(
    monkeypatch: pytest.MonkeyPatch, error: ServiceError, code: str, message: str
) -> None:
    def describe(*_: object) -> TopicInfo:
        raise error

    profile = ClusterProfile(cluster_id="c", bootstrap="127.0.0.1:9")
    stream = StreamInfo(READING, profile, "t", None, lambda _: None)
    monkeypatch.setattr(lookups, "workspace_of", lambda *_: 1)
    monkeypatch.setattr(lookups, "find_stream", lambda *_: stream)
    monkeypatch.setattr(tail_channel, "describe_topic", describe)
    hub: Any = Hub()
    hub.pool = BlockingPool(1)
    hub.tails = TailChannel(hub.pool)
    socket = consumer(hub, 1)
    await socket.receive('{"op": "subscribe", "id": 1, "channel": "tail/s", "workspace": "ops"}')
    connection: Any = socket.connection
    (frame,) = map(json.loads, connection.posted)
    assert (frame["id"], frame["code"], frame["message"]) == (1, code, message)
    hub.pool.close()
