"""How much may wait at a subscription to a job's results."""

import asyncio

from weir.live.changes import Change
from weir.live.connection import HARD_CAP, OVERLOADED, Connection
from weir.live.result_subscription import ResultSubscription
from weir.live.result_topic import FollowedResult
from weir.results.services.fencing import Fence

LARGE = 1024 * 1024
ONE_MINUTE_MS = 60_000


async def closed_after(rows: int) -> int | None:
    """The code with which a client is closed for which so many large rows wait until its interval is over."""
    closed: list[int] = []

    async def send(_: str) -> None:
        return

    async def close(code: int) -> None:
        closed.append(code)

    connection = Connection(send, close, None, "user 1")
    reader = ResultSubscription(connection, 1, "j", 1, ONE_MINUTE_MS, 100)
    connection.subscriptions[1] = reader
    reader.attach(FollowedResult("j", 1, "results", "id", {0: 0}, Fence()))
    reader.go_live(None)
    reader.add([Change("first", "x", 0, 0)])
    while reader.size:  # it is sent, and the next ones wait for the interval
        await asyncio.sleep(0)
    for number in range(rows):
        reader.add([Change(f"k{number}", "x" * LARGE, 0, number + 1)])
    for _ in range(10):
        await asyncio.sleep(0)
    connection.release()
    return closed[0] if closed else None


async def test_what_waits_for_an_interval_is_bounded_though_nothing_is_being_sent() -> None:
    assert await closed_after(HARD_CAP // LARGE + 1) == OVERLOADED


async def test_a_few_megabytes_may_wait() -> None:
    assert await closed_after(4) is None
