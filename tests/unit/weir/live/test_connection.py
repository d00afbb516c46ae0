import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field

import pytest

from weir.live import connection as module
from weir.live.connection import Connection


@dataclass
class Client:
    """What a client sees; `reading` cleared means that it takes nothing."""

    got: list[str] = field(default_factory=list)
    closed_with: int | None = None
    aborted: bool = False
    reading: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, text: str) -> None:
        await self.reading.wait()
        self.got.append(text)

    async def close(self, code: int) -> None:
        await self.reading.wait()
        self.closed_with = code

    def abort(self) -> None:
        self.aborted = True


class Waiting:
    def __init__(self, id: int, connection: Connection) -> None:
        self.id, self.workspace_id, self.rows, self.due_at = id, 1, [], 0.0
        self._connection = connection
        self.closed = False
        connection.subscriptions[id] = self

    def add(self, row: str) -> None:
        self.rows.append(row)
        self._connection.mark(self)

    @property
    def size(self) -> int:
        return sum(map(len, self.rows))

    def due(self) -> float | None:
        return self.due_at if self.rows else None

    def take(self) -> Iterator[str]:
        rows, self.rows = self.rows, []
        yield from rows

    def last_cursor(self) -> str | None:
        return f"cursor-{self.id}"

    def close(self) -> None:
        self.closed = True


@pytest.fixture
async def client() -> Client:
    found = Client()
    found.reading.set()
    return found


@pytest.fixture
async def made(client: Client) -> AsyncIterator[Connection]:
    connection = Connection(client.send, client.close, client.abort, person="user 1")
    yield connection
    connection.release()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.001)


async def test_posted_frames_go_before_changes_and_in_order(client: Client, made: Connection) -> None:
    waiting = Waiting(1, made)
    waiting.add("change")
    made.post("first")
    made.post("second")
    await until(lambda: len(client.got) == 3)
    assert client.got == ["first", "second", "change"]


async def test_nothing_goes_out_before_it_is_due(client: Client, made: Connection) -> None:
    waiting = Waiting(1, made)
    waiting.due_at = asyncio.get_running_loop().time() + 0.05
    waiting.add("a")
    waiting.add("b")
    await until(lambda: len(client.got) == 2)
    assert asyncio.get_running_loop().time() >= waiting.due_at


async def test_a_client_that_does_not_read_is_closed_with_its_cursors(
    client: Client, made: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STALL_TIMEOUT_S", 0.0)
    client.reading.clear()
    waiting = Waiting(7, made)
    waiting.add("small")
    await until(lambda: not waiting.rows)
    assert made.check(), "little waits: patience"
    waiting.add("x" * (module.SOFT_CAP + 1))
    await asyncio.sleep(0)
    assert not made.check()
    assert made.waiting == 0, "what waited is let go at once"
    assert waiting.closed
    client.reading.set()
    await until(lambda: client.closed_with is not None)
    assert client.closed_with == 1013
    assert '"cursors":{"7":"cursor-7"}' in client.got[-1]


async def test_a_client_that_takes_nothing_at_all_is_cut_off(
    client: Client, made: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_S", 0.02)
    client.reading.clear()
    made.end(1013, "OVERLOADED", "too slow")
    await until(lambda: client.aborted)


async def test_a_fast_client_may_get_more_than_the_soft_cap(client: Client, made: Connection) -> None:
    waiting = Waiting(1, made)
    waiting.add("x" * (module.SOFT_CAP + 1))
    assert made.check()
    await until(lambda: len(client.got) == 1)


async def test_busy_subscriptions_take_turns(client: Client, made: Connection) -> None:
    first, second = Waiting(1, made), Waiting(2, made)
    for _ in range(3):
        first.add("a")
        second.add("b")
        await until(lambda: not first.rows and not second.rows)
    assert sorted(client.got) == ["a"] * 3 + ["b"] * 3


async def test_what_has_ended_takes_no_turn_of_the_next_one_with_its_id(
    client: Client, made: Connection
) -> None:
    ended = Waiting(1, made)
    following = Waiting(1, made)
    following.add("new")
    ended.add("old")
    await until(lambda: not following.rows)
    assert client.got == ["new"]


async def test_the_loop_gets_its_turn_after_each_frame(client: Client, made: Connection) -> None:
    """Sending does not suspend while the socket takes what it is given."""
    sent_before_others: list[int] = []

    def look() -> None:
        sent_before_others.append(len(client.got))
        if len(client.got) < 41:
            asyncio.get_running_loop().call_soon(look)

    for id in range(1, 11):
        waiting = Waiting(id, made)
        for row in "abc":
            waiting.add(row)
    for _ in range(10):
        made.post("posted")
    asyncio.get_running_loop().call_soon(look)
    await until(lambda: len(client.got) == 40)
    made.post("last")
    await until(lambda: len(client.got) == 41)
    assert set(range(1, 40)) <= set(sent_before_others)
