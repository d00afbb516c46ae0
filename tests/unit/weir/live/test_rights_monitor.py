"""A tail whose topic becomes another workspace's ends, and nothing else of its connection."""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from tests.support.run_factories import job_of
from tests.support.users import create_user, session_of, workspace_of
from weir.clusters.models import HOME
from weir.clusters.services.clusters import home_cluster
from weir.live import rights_monitor
from weir.live.connection import Connection
from weir.live.rights import Need, Rights, Standing
from weir.live.rights_monitor import RightsMonitor
from weir.runs.services.deletion import delete_job
from weir.streams.services.ownership import TopicReading, set_owner
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Right

pytestmark = pytest.mark.django_db(databases=["default", "results"], transaction=True)


@dataclass(eq=False)
class Followed:
    """A subscription that has nothing to send."""

    id: int
    workspace_id: int
    closed: bool = False
    size: int = 0

    def due(self) -> float | None:
        return None

    def take(self) -> Iterator[str]:
        yield from ()

    def last_cursor(self) -> str | None:
        return None

    def close(self) -> None:
        self.closed = True


@dataclass
class Sent:
    """What a client was sent."""

    frames: list[dict[str, Any]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, text: str) -> None:
        self.frames.append(json.loads(text))
        self.arrived.set()

    async def close(self, code: int) -> None:
        self.frames.append({"op": "closed", "code": code})
        self.arrived.set()


async def test_a_tail_ends_with_its_topic(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.05)

    def prepare() -> tuple[Workspace, Standing]:
        eve = create_user("eve")
        labs = workspace_of(eve, "labs")
        set_owner(home_cluster(), labs, "orders", 1)
        return labs, Standing(eve.pk, session_key=session_of(eve))

    labs, standing = await sync_to_async(prepare)()
    sent, monitor = Sent(), RightsMonitor()
    connection = Connection(sent.send, sent.close, None, standing.person)
    lost, kept, runs = (Followed(at, labs.pk) for at in (1, 2, 3))
    needs = {
        lost: Need(labs.pk, Right.BROWSE_TOPICS, reading=TopicReading(labs.pk, HOME, "orders")),
        kept: Need(labs.pk, Right.BROWSE_TOPICS, reading=TopicReading(labs.pk, HOME, "others")),
        runs: Need(labs.pk, Right.READ),
    }
    connection.subscriptions |= {one.id: one for one in needs}
    monitor.add(connection, standing, lambda: {one: needs[one] for one in needs if not one.closed})
    await sync_to_async(lambda: set_owner(home_cluster(), workspace, "orders", 1))()
    async with asyncio.timeout(10):
        await sent.arrived.wait()
    assert [(frame["op"], frame["id"], frame["code"]) for frame in sent.frames] == [("error", 1, "NOT_FOUND")]
    assert (lost.closed, kept.closed, runs.closed, connection.closed) == (True, False, False, False)
    assert set(connection.subscriptions) == {2, 3}
    monitor.remove(connection)
    monitor.close()
    connection.release()


async def test_what_follows_a_job_ends_when_it_is_deleted(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be shown as never started for ever."""
    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.05)
    job = await sync_to_async(job_of)(workspace, owner)
    standing = Standing(owner.pk, session_key=await sync_to_async(session_of)(owner))
    sent, monitor = Sent(), RightsMonitor()
    connection = Connection(sent.send, sent.close, None, standing.person)
    lag, runs = Followed(1, workspace.pk), Followed(2, workspace.pk)
    needs = {
        lag: Need(workspace.pk, Right.READ, job_id=job.pk),
        runs: Need(workspace.pk, Right.READ),
    }
    connection.subscriptions |= {one.id: one for one in needs}
    monitor.add(connection, standing, lambda: {one: needs[one] for one in needs if not one.closed})
    await sync_to_async(delete_job)(job, owner)
    async with asyncio.timeout(10):
        await sent.arrived.wait()
    assert [(frame["id"], frame["code"], frame["message"]) for frame in sent.frames] == [
        (1, "NOT_FOUND", "The job was deleted.")
    ]
    assert (lag.closed, runs.closed, connection.closed) == (True, False, False)
    monitor.close()
    connection.release()


async def test_connections_end_when_rights_cannot_be_read_for_long_whatever_the_reason(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect must not leave a link open that was revoked."""

    def fail(*_: object) -> None:
        raise KeyError("panels")

    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr(rights_monitor, "MAX_BLIND_S", 0.2)
    monkeypatch.setattr(rights_monitor, "read_rights", fail)
    sent, monitor = Sent(), RightsMonitor()
    standing = Standing(owner.pk)
    connection = Connection(sent.send, sent.close, None, standing.person)
    monitor.add(connection, standing, dict)
    async with asyncio.timeout(10):
        while not connection.closed:
            await sent.arrived.wait()
            sent.arrived.clear()
    assert sent.frames[0]["code"] == "UNAVAILABLE"
    monitor.close()


async def test_connections_end_while_the_database_hangs(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """One whose packets are lost answers nothing at all, not even an error."""
    answers = threading.Event()

    def hang(*_: object) -> None:
        answers.wait(60)
        raise OperationalError("connection lost")

    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr(rights_monitor, "MAX_BLIND_S", 0.2)
    monkeypatch.setattr(rights_monitor, "read_rights", hang)
    sent, monitor = Sent(), RightsMonitor()
    connection = Connection(sent.send, sent.close, None, "user 1")
    monitor.add(connection, Standing(owner.pk), dict)
    try:
        async with asyncio.timeout(30):
            while len(sent.frames) < 2:
                await sent.arrived.wait()
                sent.arrived.clear()
        assert (sent.frames[0]["code"], sent.frames[1]["code"]) == ("UNAVAILABLE", 1013)
    finally:
        answers.set()
        monitor.close()


async def test_rights_are_checked_again_after_a_hang(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights_monitor, "CHECK_INTERVAL_S", 0.02)
    answers, asked = threading.Event(), []

    def hang_once(standings: set[Standing], *_: object) -> Rights:
        asked.append(standings)
        if len(asked) == 1:
            answers.wait(60)
        return Rights(frozenset(), {}, {}, frozenset(), frozenset())

    monkeypatch.setattr(rights_monitor, "read_rights", hang_once)
    sent, monitor = Sent(), RightsMonitor()
    first = Connection(sent.send, sent.close, None, "user 1")
    monitor.add(first, Standing(owner.pk), dict)
    async with asyncio.timeout(30):
        while not asked:
            await asyncio.sleep(0.01)
        second = Connection(sent.send, sent.close, None, "user 1")
        monitor.add(second, Standing(owner.pk), dict)
        answers.set()
        while len(sent.frames) < 4:
            await sent.arrived.wait()
            sent.arrived.clear()
    assert {frame["code"] for frame in sent.frames} == {"SIGNED_OUT", 4401}
    monitor.close()
