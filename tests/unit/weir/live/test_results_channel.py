"""Who follows a result while the hub stops following its topic."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from weir.live import results_channel
from weir.live.connection import Connection
from weir.live.lookups import JobInfo
from weir.live.result_subscription import ResultSubscription
from weir.live.result_topic import FollowedResult
from weir.live.results_channel import OPENINGS_PER_LINK, OPENINGS_PER_PERSON, ResultsChannel
from weir.live.run_registry import RunRegistry, RunStatus
from weir.results.services.fencing import Fence

RUN = RunStatus("j.1", "j", 1, "results", 1, "running", "running")


class Consumer:
    """Which topics are read."""

    def __init__(self) -> None:
        self.topics: list[str] = []

    async def assign(self, topic: str, *_: Any) -> None:
        self.topics.append(topic)

    async def unassign(self, topic: str) -> None:
        self.topics.remove(topic)


class Pool:
    """Runs what blocks at once."""

    async def run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return call(*arguments)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def reading(
    consumer: Any, person: str = "user 1", *, of_link: bool = False
) -> tuple[ResultsChannel, Connection, ResultSubscription, list[dict[str, Any]]]:
    """A channel with this consumer, a client's connection and subscription, and what the client is sent."""
    pool: Any = Pool()
    sent: list[dict[str, Any]] = []

    async def send(text: str) -> None:
        sent.append(json.loads(text))

    async def close(_: int) -> None:
        return

    connection = Connection(send, close, None, person, of_link=of_link)
    channel = ResultsChannel(consumer, pool, RunRegistry(lambda _: None))
    reader = ResultSubscription(connection, 1, "j", 1, 100, 100)
    connection.subscriptions[1] = reader
    return channel, connection, reader, sent


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> JobInfo:
    """A job that runs, and has no rows yet; what fails is tried again at once."""
    found = JobInfo("j", "running", RUN, {}, {}, {})
    monkeypatch.setattr(results_channel, "RETRY_S", 0.01)
    monkeypatch.setattr(results_channel, "find_job", lambda *_: found)
    monkeypatch.setattr(
        results_channel, "_follow", lambda _: FollowedResult("j", 1, "results", "id", {0: 0}, Fence())
    )
    monkeypatch.setattr(results_channel, "_read_rows", lambda *_: ([], {0: 0}, (0, True)))
    return found


async def test_a_reader_that_waits_for_its_turn_does_not_read_a_topic_that_was_left(
    job: JobInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would have its rows as of then, and never another change."""
    assert job.run == RUN
    monkeypatch.setattr(results_channel, "LINGER_S", -1.0)
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)
    turns = channel._openings.of("user 1")
    for _ in range(OPENINGS_PER_PERSON):
        await turns.acquire()
    channel.subscribe(connection, reader, None)
    await until(lambda: consumer.topics)
    await channel.tick()
    assert consumer.topics == []
    turns.release()
    await until(lambda: reader.live)
    assert consumer.topics == ["results"]
    assert [frame["op"] for frame in sent if frame["op"] in ("snapshot", "gap")] == ["snapshot"]
    connection.release()


@pytest.mark.parametrize("opening", [1, 8])
async def test_who_has_a_link_and_reads_slowly_keeps_nobody_else_waiting(job: JobInfo, opening: int) -> None:
    """Two of them kept a shared dashboard empty for all others, until all together are too many."""
    assert job.run == RUN
    consumer: Any = Consumer()
    channel, connection, reader, _ = reading(consumer, "link x", of_link=True)
    others: list[Any] = [object() for _ in range(opening)]
    held = [turns for other in others for turns in (channel._openings.of(other),) * OPENINGS_PER_PERSON]
    held += [channel._openings_of_link.of("link x")] * len(held)
    for turns in held:
        await turns.acquire()
    channel.subscribe(connection, reader, None)
    await until(lambda: consumer.topics)
    if len(held) // 2 >= OPENINGS_PER_LINK:
        await asyncio.sleep(0.1)
        assert not reader.live
        held[-1].release()
    await until(lambda: reader.live)
    connection.release()


async def test_a_defect_is_said_and_tried_again(job: JobInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the page would load for ever."""
    asked: list[int] = []

    def find(*_: Any) -> JobInfo:
        asked.append(1)
        if len(asked) < 3:
            raise KeyError("cluster")
        return job

    monkeypatch.setattr(results_channel, "find_job", find)
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)
    channel.subscribe(connection, reader, None)
    await until(lambda: reader.live)
    assert [frame["op"] for frame in sent if frame["op"] in ("error", "snapshot")] == ["error", "snapshot"]
    connection.release()


async def test_a_job_whose_topics_are_not_made_yet_is_waited_for(
    job: JobInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one is that waits for an engine's room, or failed before: it has no rows, and the page says so."""
    monkeypatch.setattr(results_channel, "RETRY_S", 60.0)
    queued = replace(job, run=replace(RUN, state="queued"), topics_ready=False)
    monkeypatch.setattr(results_channel, "find_job", lambda *_: queued)
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)
    channel.subscribe(connection, reader, None)
    await until(lambda: reader.waits_for_start)

    await until(lambda: [frame["op"] for frame in sent] == ["status", "snapshot"])
    assert (sent[1]["rows"], sent[1]["total"], sent[1]["cursor"], sent[1]["more"]) == ([], 0, None, False)
    monkeypatch.setattr(results_channel, "find_job", lambda *_: job)
    channel.run_changed("j")
    await until(lambda: reader.live)
    assert [frame["op"] for frame in sent if frame["op"] != "status"] == ["snapshot", "snapshot"]
    connection.release()


async def test_topics_that_are_made_are_found_where_nobody_tells_of_it(
    job: JobInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without topics is published to nobody."""
    queued = replace(job, run=replace(RUN, state="queued"), topics_ready=False)
    monkeypatch.setattr(results_channel, "find_job", lambda *_: queued)
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)
    channel.subscribe(connection, reader, None)
    await until(lambda: [frame["op"] for frame in sent] == ["status", "snapshot"])
    await asyncio.sleep(0.1)
    assert len(sent) == 2, "it is told once"
    monkeypatch.setattr(results_channel, "find_job", lambda *_: job)
    await until(lambda: reader.live)
    connection.release()


@pytest.mark.parametrize("since", ["its turn", "its rows"])
async def test_a_reader_that_waits_while_the_next_generation_begins_reads_that(
    job: JobInfo, monkeypatch: pytest.MonkeyPatch, since: str
) -> None:
    """Nothing told it: it showed the rows of the earlier one for ever."""
    assert job.run == RUN
    monkeypatch.setattr(
        results_channel,
        "_follow",
        lambda view: FollowedResult("j", view.generation, view.topic, "id", {0: 0}, Fence()),
    )
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)

    def begin_the_next() -> None:
        channel._registry.learn(RunStatus("j.2", "j", 2, "results-2", 1, "running", "running"))
        channel.run_changed("j")

    def read_rows(*_: Any) -> tuple[list[str], dict[int, int], tuple[int, bool]]:
        if since == "its rows":
            begin_the_next()
        return [], {0: 0}, (0, True)

    monkeypatch.setattr(results_channel, "_read_rows", read_rows)
    turns = channel._openings.of("user 1")
    for _ in range(OPENINGS_PER_PERSON):
        await turns.acquire()
    channel.subscribe(connection, reader, None)
    await until(lambda: consumer.topics)
    if since == "its turn":
        begin_the_next()
    turns.release()
    await until(lambda: reader.live)
    assert reader.followed is not None
    assert reader.followed.generation == 2
    assert [frame["generation"] for frame in sent if frame["op"] == "snapshot"] == [2]
    connection.release()


async def test_a_reader_that_ended_is_told_nothing_more(
    job: JobInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id may be another's by now."""
    consumer: Any = Consumer()
    channel, connection, reader, sent = reading(consumer)
    asked: list[int] = []

    def fail(*_: Any) -> JobInfo:
        asked.append(1)
        del connection.subscriptions[1]
        reader.close()
        raise KeyError("cluster")

    monkeypatch.setattr(results_channel, "find_job", fail)
    channel.subscribe(connection, reader, None)
    await until(lambda: asked)
    channel.run_changed("j")
    connection.post('{"op": "unsubscribed"}')
    await until(lambda: sent)
    await asyncio.sleep(0.05)
    assert [frame["op"] for frame in sent] == ["unsubscribed"]
    connection.release()
