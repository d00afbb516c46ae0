"""How much may wait at a subscription to a job's results, and where it goes on from."""

import asyncio
import json
from typing import Any

import pytest

from weir.live.changes import Change
from weir.live.connection import HARD_CAP, OVERLOADED, Connection
from weir.live.result_subscription import ResultSubscription
from weir.live.result_topic import FollowedResult
from weir.results.services.cursors import decode_cursor
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
    reader.attach(FollowedResult("j", 1, "results", "id", {0: 0}, Fence()), {0: 0})
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


async def quiet(_: Any) -> None:
    return


@pytest.mark.parametrize("mebibytes", [1, 3])
async def test_what_a_replay_holds_back_does_not_close_a_client_that_reads_well(mebibytes: int) -> None:
    """Each job's rows are held while its run replays: of six jobs together more than may wait at a client."""
    connection = Connection(quiet, quiet, None, "user 1")
    reopened: list[str] = []
    topics = []
    for id in range(1, 7):
        followed = FollowedResult(f"j{id}", 1, f"results-{id}", "id", {0: 0}, Fence())
        followed.set_buffering(True)
        reader = ResultSubscription(connection, id, f"j{id}", 1, 0, 100)
        reader.on_reopen = lambda subscription, reason: reopened.append(f"{subscription.id} {reason}")
        connection.subscriptions[id] = reader
        reader.attach(followed, {0: 0})
        reader.go_live(None)
        topics.append((followed, reader))
    for _, reader in topics:
        reader.add([Change(f"k{number}", "x" * LARGE, 0, number) for number in range(mebibytes)])
        assert connection.check()
    for followed, _ in topics:
        followed.set_buffering(False)
    # what was dropped comes as a new snapshot
    assert len(reopened) < 6
    assert all(reason.endswith(" overflow") for reason in reopened)
    assert bool(reopened) == (6 * mebibytes * LARGE > HARD_CAP // 2)
    connection.release()


async def test_what_the_client_has_already_is_not_sent_again() -> None:
    """The relay may have stored rows that the topic's reader has not come to: they are in the snapshot."""
    sent: list[dict[str, Any]] = []

    async def send(text: str) -> None:
        sent.append(json.loads(text))

    connection = Connection(send, quiet, None, "user 1")
    followed = FollowedResult("j", 1, "results", "id", {0: 0, 1: 0}, Fence())
    reader = ResultSubscription(connection, 1, "j", 1, 0, 100)
    connection.subscriptions[1] = reader
    reader.attach(followed, {0: 5, 1: 0})
    reader.go_live(None)

    async def came(changes: list[Change]) -> dict[str, Any] | None:
        before = len(sent)
        followed.recent.add(changes)
        reader.add(changes)
        for _ in range(20):
            await asyncio.sleep(0)
        return sent[-1] if len(sent) > before else None

    def change(partition: int, offset: int) -> Change:
        return Change(f"{partition}", json.dumps([partition, offset]), partition, offset)

    assert await came([change(0, 3)]) is None
    other = await came([change(0, 4), change(1, 0)])
    assert other is not None
    assert other["rows"] == [[1, 0]]
    assert decode_cursor(other["cursor"]).offsets == {0: 5, 1: 1}  # not back to what it had before
    following = await came([change(0, 5), change(0, 6)])
    assert following is not None
    assert following["rows"] == [[0, 5], [0, 6]]
    assert decode_cursor(following["cursor"]).offsets == {0: 7, 1: 1}
    connection.release()


async def test_a_gap_ends_the_cursor() -> None:
    """It is of rows that the client drops: resumed from, it would lose all that came before."""
    sent: list[dict[str, Any]] = []
    passes = asyncio.Event()

    async def send(text: str) -> None:
        await passes.wait()
        sent.append(json.loads(text))

    connection = Connection(send, quiet, None, "user 1")
    followed = FollowedResult("j", 1, "results", "id", {0: 0}, Fence())
    reader = ResultSubscription(connection, 1, "j", 1, 0, 100)
    reader.on_reopen = lambda *_: None
    connection.subscriptions[1] = reader
    reader.attach(followed, {0: 0})
    reader.go_live(followed.cursor)
    assert reader.last_cursor() is not None
    followed.recent.add([Change("k", "{}", 0, 0)])
    reader.add([Change("k", "{}", 0, 0)])
    while not connection.is_sending:
        await asyncio.sleep(0)
    reader.restart("overflow")
    assert reader.last_cursor() is None
    passes.set()  # the delta of before is sent only now
    for _ in range(20):
        await asyncio.sleep(0)
    assert [frame["op"] for frame in sent] == ["delta"]
    assert reader.last_cursor() is None
    reader.attach(followed, {0: 1})
    connection.end(OVERLOADED, "OVERLOADED", "too slow")
    while len(sent) < 2:
        await asyncio.sleep(0)
    assert sent[-1]["cursors"] == {}


async def test_the_next_snapshot_brings_the_next_cursor() -> None:
    connection = Connection(quiet, quiet, None, "user 1")
    followed = FollowedResult("j", 1, "results", "id", {0: 0}, Fence())
    reader = ResultSubscription(connection, 1, "j", 1, 0, 100)
    reader.on_reopen = lambda *_: None
    reader.attach(followed, {0: 0})
    reader.go_live(followed.cursor)
    reader.restart("overflow")
    reader.attach(followed, {0: 1})
    reader.go_live(followed.cursor_at({0: 1}))
    assert decode_cursor(reader.last_cursor() or "").offsets == {0: 1}
    connection.release()


async def test_a_state_goes_before_rows_that_are_delivered_at_once() -> None:
    """Else who resumes gets a replay's rows while the run is still said to be replaying."""
    sent: list[str] = []

    async def send(text: str) -> None:
        sent.append(json.loads(text)["op"])

    connection = Connection(send, quiet, None, "user 1")
    reader = ResultSubscription(connection, 1, "j", 1, 0, 100)
    connection.subscriptions[1] = reader
    reader.send_status({"observed": "running", "last_seen_us": None, "closed_until_us": None})
    await connection.deliver('{"op":"delta"}', before=reader.take_status)
    await connection.deliver('{"op":"delta"}', before=reader.take_status)
    assert sent == ["status", "delta", "delta"]
    connection.release()
