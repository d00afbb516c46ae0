"""Results over the socket: the seam, cursors, gaps, buffering, fencing."""

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from confluent_kafka import TopicPartition

from jobs.kafka_messages import RUNS_TOPIC, DesiredRun, ProgressReport
from tests.integration.live.conftest import Results, eventually, topic_of
from tests.support.kafka_node import KafkaServer
from tests.support.run_factories import started_anew, state_report
from tests.support.users import member
from weir.clusters.services import clients
from weir.live import recent_changes, results_channel
from weir.live.catch_up import read_range
from weir.results.services.cursors import Cursor, decode_cursor, encode_cursor
from weir.runs.models import Generation, Job, Run
from weir.workspaces.models import Workspace
from weir.workspaces.roles import Role

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

Connect = Callable[..., Any]
Relay = Callable[[], Callable[[], None]]


def expected(content: dict[str, int]) -> dict[str, Any]:
    return {f'["{key}"]': {"n": value} for key, value in content.items()}


class Load:
    """Writes random upserts and tombstones and knows the content."""

    def __init__(self, results: Results, seed: int) -> None:
        self.content: dict[str, int] = {}
        self._results, self._random, self._at = results, random.Random(seed), 0

    def step(self, count: int) -> None:
        for _ in range(count):
            self._at += 1
            key = f"k{self._random.randrange(50)}"
            if self._random.random() < 0.2:
                self.content.pop(key, None)
                self._results.write(key, None)
            else:
                self.content[key] = self._at
                self._results.write(key, json.dumps({"n": self._at}))
        self._results.flush()

    async def run(self, steps: int, count: int) -> None:
        for _ in range(steps):
            await asyncio.to_thread(self.step, count)


@pytest.mark.parametrize(
    "tail", [recent_changes.RECENT_CHARACTERS, 2_000], ids=["from the tail", "by a catch-up read"]
)
@pytest.mark.parametrize("interval_ms", [100, 0])
async def test_snapshot_and_deltas_join_without_a_seam(
    results: Results,
    relay: Relay,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    tail: int,
    interval_ms: int,
) -> None:
    monkeypatch.setattr(recent_changes.RecentChanges.__init__, "__defaults__", (tail,))
    relay()
    load = Load(results, seed=tail + interval_ms)
    writing = asyncio.create_task(load.run(40, 50))
    clients = []
    for _ in range(6):
        client = await connect()
        await client.subscribe(f"results/{results.job.pk}", interval_ms=interval_ms)
        await client.until_op("snapshot", more=False)
        clients.append(client)
    await writing
    for client in clients:
        await client.until(lambda client=client: client.content == expected(load.content))
        assert not [frame for frame in client.frames if frame["op"] == "gap"]
    await eventually(
        lambda: {k: json.loads(v) for k, v in results.stored().items()} == expected(load.content),
        "the store agrees",
    )


async def test_a_cursor_resumes_with_what_was_missed_and_no_snapshot(
    results: Results, relay: Relay, connect: Connect
) -> None:
    relay()
    load = Load(results, seed=1)
    load.step(100)
    first = await connect()
    await first.subscribe(f"results/{results.job.pk}")
    await first.until(lambda: first.content == expected(load.content))
    held, cursor = dict(first.content), first.cursor
    await first.leave()
    load.step(100)
    second = await connect()
    second.content = held
    await second.subscribe(f"results/{results.job.pk}", cursor=cursor)
    await second.until(lambda: second.content == expected(load.content))
    assert {frame["op"] for frame in second.frames} <= {"subscribed", "status", "delta"}


async def test_a_cursor_from_before_the_hub_began_to_watch_resumes_too(
    results: Results, connect: Connect
) -> None:
    load = Load(results, seed=2)
    load.step(50)
    topic_id = (await sync_to_async(Generation.objects.get)()).result_topic_id
    client = await connect()
    await client.subscribe(
        f"results/{results.job.pk}", cursor=encode_cursor(Cursor(1, topic_id, {0: 0, 1: 0}, _now_us()))
    )
    await client.until(lambda: client.content == expected(load.content))
    assert not [frame for frame in client.frames if frame["op"] in ("snapshot", "gap")]


async def test_catching_up_of_one_person_leaves_others_their_turn(
    results: Results, connect: Connect, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old cursors make a process read a topic again and again; each costs processor time that all share."""
    monkeypatch.setattr(recent_changes.RecentChanges.__init__, "__defaults__", (10,))
    load = Load(results, seed=8)
    load.step(50)
    first = await connect()
    await first.subscribe(f"results/{results.job.pk}")
    await first.until(lambda: first.content == expected(load.content))
    topic_id = (await sync_to_async(Generation.objects.get)()).result_topic_id
    old = encode_cursor(Cursor(1, topic_id, {0: 0, 1: 0}, _now_us()))
    held, begun = threading.Event(), []

    def slow(*args: Any) -> Any:
        begun.append(args)
        if len(begun) <= results_channel.OPENINGS_PER_PERSON:
            held.wait(60)
        return read_range(*args)

    monkeypatch.setattr(results_channel, "read_range", slow)
    greedy = await connect()
    for id in range(1, 21):
        await greedy.subscribe(f"results/{results.job.pk}", id=id, cursor=old)
    await eventually(lambda: len(begun) == results_channel.OPENINGS_PER_PERSON, "the first ones read")
    other = await connect(await sync_to_async(member)(workspace, "vic", Role.VIEWER))
    await other.subscribe(f"results/{results.job.pk}")
    await other.until(lambda: other.content == expected(load.content))
    assert len(begun) <= results_channel.OPENINGS_PER_PERSON + 1, "the other's"
    held.set()
    await greedy.until_op("delta", id=20)


async def test_cursors_that_cannot_be_served_are_a_gap_and_a_snapshot(
    results: Results, relay: Relay, connect: Connect
) -> None:
    relay()
    load = Load(results, seed=3)
    load.step(50)
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}")
    await client.until(lambda: client.content == expected(load.content))
    good = decode_cursor(client.cursor)
    load.step(1)  # a cursor at the end is not too old
    forged = {
        "topic_changed": Cursor(good.generation, "another", good.offsets, good.at_us),
        "beyond_end": Cursor(good.generation, good.topic_id, {0: 10**9, 1: 0}, good.at_us),
        "cursor_too_old": Cursor(
            good.generation, good.topic_id, good.offsets, good.at_us - 20 * 3_600_000_000
        ),
    }
    for id, (reason, cursor) in enumerate(forged.items(), 10):
        await client.subscribe(f"results/{results.job.pk}", id=id, cursor=encode_cursor(cursor))
        await client.until_op("gap", id=id, reason=reason)
        await client.until_op("snapshot", id=id, more=False)
    await client.subscribe(f"results/{results.job.pk}", id=20, cursor="not a cursor")
    await client.until_op("gap", id=20)
    await client.until(lambda: client.content == expected(load.content))


async def test_a_cursor_below_the_logs_start_is_a_gap(
    results: Results, relay: Relay, connect: Connect
) -> None:
    relay()
    load = Load(results, seed=4)
    load.step(60)
    await eventually(lambda: results.stored_offsets() == 60, "all is stored")
    generation = await sync_to_async(Generation.objects.get)()
    await asyncio.to_thread(_delete_before, results.topic, 10)
    client = await connect()
    await client.subscribe(
        f"results/{results.job.pk}",
        cursor=encode_cursor(Cursor(1, generation.result_topic_id, {0: 1, 1: 1}, _now_us())),
    )
    await client.until_op("gap", reason="below_start")
    await client.until(lambda: client.content == expected(load.content))


def require_held_until_running(client: Any) -> None:
    """No change may have come before the run was said to be running."""
    ops = [(frame["op"], frame.get("observed")) for frame in client.frames]
    assert ops.index(("delta", None)) > ops.index(("status", "running"))


async def test_rows_are_held_back_while_the_run_is_replaying(results: Results, connect: Connect) -> None:
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}", interval_ms=0)
    await client.until_op("snapshot")
    results.report(state_report(results.run, "replaying"))
    await client.until_op("status", observed="replaying", buffering=True)
    results.write("a", '{"n":1}')
    results.write("a", '{"n":2}')
    results.flush()
    other = await connect()
    await other.subscribe("runs")
    await other.until_op("status", observed="replaying")
    results.report(state_report(results.run, "running"))
    await client.until(lambda: client.content == {'["a"]': {"n": 2}})
    require_held_until_running(client)


async def test_rows_of_a_replay_are_held_back_also_from_who_resumes_from_before_them(
    results: Results, relay: Relay, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changes since its cursor are not in memory any more: they are read from the topic."""
    monkeypatch.setattr(recent_changes.RecentChanges.__init__, "__defaults__", (10,))
    relay()
    first = await connect()
    await first.subscribe(f"results/{results.job.pk}", interval_ms=0)
    await first.until_op("snapshot")
    results.write("a", '{"n":100}')
    results.flush()
    await first.until(lambda: first.content == {'["a"]': {"n": 100}})
    cursor = first.cursor
    results.report(state_report(results.run, "replaying"))
    await first.until_op("status", observed="replaying", buffering=True)
    for n in range(1, 100):
        results.write("a", json.dumps({"n": n}))
    results.flush()
    await eventually(lambda: results.stored_offsets() == 100, "all is stored")
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}", cursor=cursor, interval_ms=0)
    await client.until_op("status", observed="replaying")
    other = await connect()
    await other.subscribe(f"results/{results.job.pk}")
    await other.until_op("snapshot", more=False)
    results.report(state_report(results.run, "running"))
    await client.until(lambda: client.content == {'["a"]': {"n": 99}})
    require_held_until_running(client)


async def test_who_resumes_gets_no_rows_of_an_engine_that_was_replaced_before(
    results: Results, relay: Relay, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_changes.RecentChanges.__init__, "__defaults__", (10,))
    relay()
    first = await connect()
    await first.subscribe(f"results/{results.job.pk}", interval_ms=0)
    await first.until_op("snapshot")
    results.write("a", '{"n":1}', epoch=2, partition=0, at_ms=2_000)
    results.flush()
    await first.until(lambda: '["a"]' in first.content)
    held, cursor = dict(first.content), first.cursor
    results.write("b", '{"n":666}', epoch=1, partition=0, at_ms=3_000)
    results.write("last", '{"n":3}', epoch=2, partition=0, at_ms=4_000)
    results.flush()
    await first.until(lambda: '["last"]' in first.content)
    client = await connect()
    client.content = held
    await client.subscribe(f"results/{results.job.pk}", cursor=cursor)
    await client.until(lambda: '["last"]' in client.content)
    assert client.content == {'["a"]': {"n": 1}, '["last"]': {"n": 3}}


async def test_a_replaced_engine_reaches_no_reader(results: Results, relay: Relay, connect: Connect) -> None:
    relay()
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}", interval_ms=0)
    await client.until_op("snapshot")
    results.write("old", '{"n":1}', epoch=1, at_ms=1_000)
    results.write("a", '{"n":2}', epoch=2, partition=0, at_ms=2_000)
    results.flush()
    await client.until(lambda: len(client.content) == 2)
    results.write("a", '{"n":666}', epoch=1, partition=0, at_ms=3_000)
    results.write("b", '{"n":666}', epoch=1, partition=1, at_ms=3_000)
    results.write("last", '{"n":3}', epoch=2, at_ms=4_000)
    results.flush()
    await client.until(lambda: '["last"]' in client.content)
    assert client.content == {'["old"]': {"n": 1}, '["a"]': {"n": 2}, '["last"]': {"n": 3}}
    shown = json.dumps(client.frames)
    assert '"n": 3' in shown
    assert '"n": 666' not in shown  # the digits alone may stand in a run's id
    await eventually(lambda: results.stored_offsets() == 5, "the relay has read all")
    stored = await sync_to_async(results.stored)()
    assert '["b"]' not in stored
    assert stored['["a"]'] == '{"n":2}'


async def test_records_that_are_no_results_disturb_nobody(
    results: Results, relay: Relay, connect: Connect
) -> None:
    relay()
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}")
    await client.until_op("snapshot")
    foreign: list[tuple[bytes | None, bytes | None]] = [
        (b"", b"{}"), (b"[1", b"{}"), (b'["x"]', b"not json"), (b'["x"]', b"[1]"), (b'["x"]', b'{"n":NaN}'),
        (b"\xff\xfe", b"{}"), (b'["x"]', b"[" * 100_000), (b"{}", b"{}"),
    ]  # fmt: skip
    for key, value in foreign:
        results.producer.produce(results.topic, value, key, 0)
    results.producer.produce(
        results.topic,
        b"{}",
        b'["x"]',
        0,
        headers=[("epoch", b"1e9"), ("newest-input", b"99999999999999999999999")],
    )
    results.write("good", '{"n":1}', partition=0)
    results.flush()
    await client.until(lambda: client.content == {'["good"]': {"n": 1}})
    await eventually(lambda: results.stored_offsets() == len(foreign) + 2, "the relay has read all")
    assert list(await sync_to_async(results.stored)()) == ['["good"]']


async def test_the_next_generation_comes_with_a_gap_and_its_snapshot(
    results: Results, broker: KafkaServer, connect: Connect
) -> None:
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}")
    await client.until_op("snapshot", generation=1)
    results.write("old", '{"n":1}')
    results.flush()
    await client.until(lambda: '["old"]' in client.content)
    topic = await sync_to_async(_next_generation)(results, broker)
    desired = await sync_to_async(_desired)(results, topic)
    results.producer.produce(RUNS_TOPIC, desired.model_dump_json().encode(), desired.run_id.encode())
    results.flush()
    await client.until_op("gap", reason="topic_changed")
    await client.until_op("snapshot", generation=2)
    results.topic = topic
    results.write("new", '{"n":2}')
    results.flush()
    await client.until(lambda: client.content == {'["new"]': {"n": 2}})


async def test_the_first_start_of_a_job_is_reported(results: Results, connect: Connect) -> None:
    await sync_to_async(Job.objects.update)(generation=None)
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}")
    await client.until_op("status", observed="never_started")
    await sync_to_async(Job.objects.update)(generation=1)
    desired = await sync_to_async(_desired)(results, results.topic, generation=1)
    results.producer.produce(RUNS_TOPIC, desired.model_dump_json().encode(), desired.run_id.encode())
    results.write("a", '{"n":1}')
    results.flush()
    await client.until(lambda: client.content == {'["a"]': {"n": 1}})


async def test_closed_windows_are_reported(results: Results, connect: Connect) -> None:
    result = results.run.generation.result | {"windowed": True, "slack_us": 3_000_000}
    await sync_to_async(Generation.objects.update)(result=result)
    client = await connect()
    await client.subscribe(f"results/{results.job.pk}")
    await client.until_op("status", closed_until_us=None)
    await client.until_op("snapshot")
    results.report(_progress(results, watermark_us=1_700_000_060_000_000))
    await client.until_op("status", closed_until_us=1_700_000_057_000_000)
    results.report(_progress(results, watermark_us=None))  # a batch without a watermark opens nothing again
    results.report(_progress(results, watermark_us=1_700_000_070_000_000))
    await client.until_op("status", closed_until_us=1_700_000_067_000_000)
    closed = [frame["closed_until_us"] for frame in client.frames if frame["op"] == "status"]
    assert closed == sorted(closed, key=lambda at: at or 0)


def _progress(results: Results, watermark_us: int | None) -> ProgressReport:
    return ProgressReport(
        at_us=_now_us(), engine_id="shared-1", incarnation="inc-1", run_id=results.run.pk, epoch=1,
        batch=1, began_us=_now_us(),
        duration_ms=10, rows_in=1, rows_out=1, sources={}, watermark_us=watermark_us,
    )  # fmt: skip


def _now_us() -> int:
    return time.time_ns() // 1000


def _delete_before(topic: str, offset: int) -> None:
    admin = clients.admin(clients.home_profile())
    for future in admin.delete_records(
        [TopicPartition(topic, partition, offset) for partition in range(2)]
    ).values():
        future.result(10)


def _next_generation(results: Results, broker: KafkaServer) -> str:
    return topic_of(broker, started_anew(results.run))


def _desired(results: Results, topic: str, generation: int = 2) -> DesiredRun:
    return DesiredRun.model_validate(
        {
            "run_id": Run.objects.get(generation__number=generation).pk,
            "job_id": results.job.pk,
            "job_name": "n",
            "workspace": "ops",
            "engine_id": results.run.engine_id,
            "epoch": 1,
            "revision": 1,
            "generation": generation,
            "state": "running",
            "document": {},
            "sources": {},
            "mode": "realtime",
            "checkpoint": "c",
            "shuffle_partitions": 1,
            "result_topic": topic,
        }
    )
