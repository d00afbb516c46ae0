"""A subscription that has ended sends nothing more, and nothing in place of the next one with its id."""

import asyncio
import json
from typing import Any

import pytest

from weir.live.connection import Connection, Subscription
from weir.live.latest_subscription import LatestSubscription
from weir.live.logs_channel import LogSubscription
from weir.live.result_subscription import ResultSubscription


class Client:
    """What a client was sent, and whether it takes frames."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.takes = asyncio.Event()
        self.connection = Connection(self._send, self._close, None, "user 1")

    async def _send(self, text: str) -> None:
        await self.takes.wait()
        self.sent.append(json.loads(text))

    async def _close(self, _: int) -> None:
        return

    def subscribed(self, subscription: Subscription) -> None:
        self.connection.subscriptions[subscription.id] = subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        self.connection.subscriptions.pop(subscription.id).close()
        self.connection.post('{"op": "unsubscribed"}')

    async def ops(self, count: int) -> list[str]:
        """The names of the frames that came, once there are so many and time for one more."""
        async with asyncio.timeout(20):
            while len(self.sent) < count:
                await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        return [frame["op"] for frame in self.sent]


async def test_the_state_of_a_job_comes_for_the_one_that_is_open() -> None:
    client = Client()
    client.takes.set()
    status = dict.fromkeys(("observed", "last_seen_us", "closed_until_us"))
    ended, following = (ResultSubscription(client.connection, 1, job, 1, 100, 100) for job in "ab")
    client.subscribed(ended)
    client.unsubscribe(ended)
    client.subscribed(following)
    following.send_status({**status, "observed": "running"})
    ended.send_status({**status, "observed": "failed"})
    assert await client.ops(2) == ["unsubscribed", "status"]
    assert client.sent[-1]["observed"] == "running"
    client.connection.release()


def _states(connection: Connection) -> LatestSubscription:
    made = LatestSubscription(connection, 1, "runs", "", 1)
    connection.subscriptions[1] = made
    for job in "abc":
        made.send("status", job, {"job_id": job})
    return made


def _lines(connection: Connection) -> LogSubscription:
    made = LogSubscription(connection, 1, "j", 1)
    connection.subscriptions[1] = made
    for run in "abc":
        made.add(run, [{"message": "", "detail": ""}])
    return made


@pytest.mark.parametrize("make", [_states, _lines])
async def test_frames_that_wait_for_a_slow_client_go_with_their_subscription(make: Any) -> None:
    client = Client()
    subscription = make(client.connection)
    async with asyncio.timeout(20):
        while not client.connection.is_sending:
            await asyncio.sleep(0)
    client.unsubscribe(subscription)
    client.takes.set()
    first, *rest = await client.ops(2)
    assert (first, rest) == ("status" if make is _states else "log", ["unsubscribed"])
    client.connection.release()
