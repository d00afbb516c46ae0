"""Who gets which lines of the live logs, and how many wait."""

import asyncio
import json
from typing import Any

import pytest

from jobs.kafka_messages import LogLine, LogReport
from weir.live import logs_channel
from weir.live.logs_channel import MAX_WAITING, MAX_WAITING_SIZE, LogsChannel, LogSubscription
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunRegistry, RunStatus


class Marks:
    """Stands for a connection."""

    def __init__(self) -> None:
        self.count = 0

    def mark(self, _subscription: object) -> None:
        self.count += 1


def report(run_id: str, numbers: list[int], size: int = 4) -> LogReport:
    lines = tuple(
        LogLine(
            number=number,
            at_us=number,
            level="info",
            origin="engine",
            logger="x",
            message=str(number).ljust(size, "."),
        )
        for number in numbers
    )
    return LogReport(at_us=1, engine_id="e", incarnation="i", run_id=run_id, epoch=1, lines=lines)


def status(job_id: str) -> RunStatus:
    return RunStatus(f"{job_id}.1", job_id, 1, "topic", 1, "running")


def job(job_id: str, run: RunStatus | None) -> JobInfo:
    return JobInfo(job_id, "running", run, {}, {}, {})


@pytest.fixture
def channel() -> LogsChannel:
    registry = RunRegistry(lambda _: None)
    registry.learn(status("a"))
    registry.learn(status("b"))
    return LogsChannel(registry)


def subscription(job_id: str) -> LogSubscription:
    connection: Any = Marks()
    return LogSubscription(connection, 1, job_id, 1)


def taken(subscription: LogSubscription) -> dict[str, list[str]]:
    frames = [json.loads(frame) for frame in subscription.take()]
    return {frame["run"]: [line["id"] for line in frame["lines"]] for frame in frames}


async def test_a_job_gets_the_lines_of_its_runs_alone(channel: LogsChannel) -> None:
    ours, theirs = subscription("a"), subscription("b")
    channel.subscribe(ours, job("a", status("a")))
    channel.subscribe(theirs, job("b", status("b")))
    channel.apply(report("a.1", [1, 2]))
    channel.apply(report("b.1", [3]))
    channel.apply(report("unknown.1", [4]))
    assert (taken(ours), taken(theirs)) == ({"a.1": ["i-1", "i-2"]}, {"b.1": ["i-3"]})
    assert ours.due() is None
    channel.apply(report("a.1", [5]))
    due = ours.due()
    assert due is not None
    assert due > asyncio.get_running_loop().time()  # not at once again


async def test_lines_that_the_relay_may_not_have_stored_come_first(
    channel: LogsChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel.apply(report("a.1", [1]))
    channel.apply(report("b.1", [2]))
    late = subscription("a")
    channel.subscribe(late, job("a", None))
    assert taken(late) == {"a.1": ["i-1"]}
    monkeypatch.setattr(logs_channel, "RECENT_S", -1.0)  # a minute later
    channel.tick()
    later = subscription("a")
    channel.subscribe(later, job("a", None))
    assert taken(later) == {}


async def test_a_client_that_does_not_read_gets_the_newest_and_their_number(channel: LogsChannel) -> None:
    slow = subscription("a")
    channel.subscribe(slow, job("a", None))
    channel.apply(report("a.1", list(range(MAX_WAITING + 50))))
    (frame,) = (json.loads(text) for text in slow.take())
    assert (len(frame["lines"]), frame["dropped"], frame["lines"][-1]["id"]) == (
        MAX_WAITING,
        50,
        f"i-{MAX_WAITING + 49}",
    )
    channel.apply(report("a.1", list(range(100)), 12_000))
    assert slow.size <= MAX_WAITING_SIZE
    slow.close()
    assert slow.size == 0
    channel.tick()
    channel.apply(report("a.1", [1]))
    assert slow.due() is None


async def test_what_is_kept_for_nobody_is_bounded(
    channel: LogsChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs_channel, "MAX_RECENT", 20)
    for number in range(100):
        channel.apply(report("a.1", [number]))
    late = subscription("a")
    channel.subscribe(late, job("a", None))
    assert taken(late) == {"a.1": [f"i-{number}" for number in range(80, 100)]}
