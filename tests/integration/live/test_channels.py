"""The other channels: states of runs, lag, and the tail of a stream."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.kafka_messages import LogReport, PartitionProgress, PositionsReport
from tests.integration.live.conftest import Results
from tests.support.group_rows import stored_group, watched
from tests.support.kafka_node import KafkaServer
from tests.support.patience import PATIENCE
from tests.support.run_factories import job_of, now_us, state_report
from tests.support.users import create_user
from weir.alerts.models import Alert, AlertRule
from weir.alerts.services.lifecycle import acknowledge
from weir.clusters.services import clients
from weir.clusters.services.clusters import home_cluster
from weir.clusters.services.topics import create_topic
from weir.consumer_groups.models import ClusterWatch, ConsumerGroup, GroupTopic
from weir.runs.models import Generation, Job, Run
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.integration,
    pytest.mark.django_db(transaction=True, databases=["default", "results"]),
]

Connect = Callable[..., Any]


async def test_states_are_pushed_when_an_engine_says_them(results: Results, connect: Connect) -> None:
    client = await connect()
    await client.subscribe("runs")
    first = await client.until_op("status", job_id=results.job.pk)
    assert (first["name"], first["desired"], first["generation"]) == ("stats", "running", 1)
    results.report(state_report(results.run, "waiting"))
    status = await client.until_op("status", observed="waiting")
    assert status["last_seen_us"] is not None


async def test_new_and_deleted_jobs_are_reported(workspace: Workspace, owner: User, connect: Connect) -> None:
    client = await connect()
    await client.subscribe("runs")
    await client.until_op("subscribed")
    job = await sync_to_async(job_of)(workspace, owner)
    await client.until_op("status", job_id=job.pk, observed="never_started")
    job_id = job.pk
    await sync_to_async(Job.objects.all().delete)()
    await client.until_op("status", job_id=job_id, deleted=True)


async def test_lines_of_the_log_are_pushed(results: Results, connect: Connect) -> None:
    header = {"at_us": now_us(), "engine_id": "e", "incarnation": "i", "run_id": results.run.pk, "epoch": 1}
    line = {
        "number": 7,
        "at_us": now_us(),
        "level": "error",
        "origin": "spark",
        "logger": "x",
        "message": "m",
    }
    client = await connect()
    await client.subscribe(f"logs/{results.job.pk}")
    await client.until_op("subscribed")
    results.report(LogReport.model_validate({**header, "lines": [line]}))
    frame = await client.until_op("log", run=results.run.pk)
    assert [(each["id"], each["message"], each["epoch"]) for each in frame["lines"]] == [("i-7", "m", 1)]


async def test_lag_is_pushed_and_grows_while_the_engine_is_silent(results: Results, connect: Connect) -> None:
    topic = f"input-{results.job.pk}"
    profile = clients.home_profile()
    await asyncio.to_thread(create_topic, profile, topic, 1, {})
    source = {"cluster": profile.model_dump(), "topic": topic}
    await sync_to_async(Generation.objects.update)(sources={"trades": source})
    await sync_to_async(Run.objects.update)(positions={"trades": {"0": {"committed": 2}}})
    for _ in range(5):
        results.producer.produce(topic, b"{}", partition=0)
    results.flush()
    client = await connect()
    await client.subscribe(f"lag/{results.job.pk}")
    await client.until(
        lambda: (
            bool(client.frames) and client.frames[-1].get("sources", {}).get("trades", {}).get("records") == 3
        )
    )
    cell = client.frames[-1]["sources"]["trades"]["partitions"][0]
    assert (cell["committed"], cell["fetched"], cell["end"]) == (2, None, 5)
    header = {"at_us": now_us(), "engine_id": "e", "incarnation": "i", "run_id": results.run.pk, "epoch": 1}
    results.report(
        PositionsReport.model_validate(
            {**header, "sources": {"trades": {0: PartitionProgress(committed=2, fetched=5, end=5)}}}
        )
    )
    await client.until(lambda: client.frames[-1]["sources"]["trades"]["records"] == 0)
    for _ in range(4):
        results.producer.produce(topic, b"{}", partition=0)
    results.flush()
    await client.until(lambda: client.frames[-1]["sources"]["trades"]["records"] == 4)
    assert client.frames[-1]["sources"]["trades"]["partitions"][0]["fetched"] == 5
    ages = [
        (later["at_us"] - earlier["at_us"]) / 1e6
        for earlier, later in zip(client.frames[2:], client.frames[3:], strict=False)
    ]
    assert max(ages) < 2.0 * PATIENCE, "at most two seconds old, where the machine has time"


@pytest.fixture
async def tailed(workspace: Workspace, broker: KafkaServer) -> Stream:
    profile = clients.home_profile()
    topic = f"tail-{now_us()}"
    info = await asyncio.to_thread(create_topic, profile, topic, 2, {})

    def register() -> Stream:
        contract = {"fields": [{"name": "symbol", "type": "string", "nullable": False}]}
        return Stream.objects.create(
            workspace=workspace,
            name="trades",
            cluster=home_cluster(),
            topic=topic,
            topic_id=info.topic_id,
            partitions=2,
            contract=contract,
        )

    return await sync_to_async(register)()


async def test_a_tail_shows_records_as_they_arrive_with_their_rows(tailed: Stream, connect: Connect) -> None:
    client = await connect()
    await client.subscribe("tail/trades")
    await client.until_op("subscribed")
    producer = clients.producer(clients.home_profile())
    seen: list[dict[str, Any]] = []

    def write() -> bool:
        producer.produce(tailed.topic, b'{"symbol":"A"}', b"k", 0)
        producer.produce(tailed.topic, b"not json", None, 1)
        producer.flush(5)
        return True

    await asyncio.to_thread(write)
    async with asyncio.timeout(20):
        while len(seen) < 2:
            frame = await client.next()
            assert frame is not None
            seen += frame.get("records", [])
    good = next(record for record in seen if record["partition"] == 0)
    assert (good["key"], good["value"], good["offset"]) == ("k", '{"symbol":"A"}', 0)
    assert good["row"] == {"symbol": "A"}
    assert next(record for record in seen if record["partition"] == 1)["malformed"]["reason"] == "NOT_JSON"


async def test_a_tail_shows_what_meets_its_condition_and_counts_what_was_tried(
    tailed: Stream, connect: Connect
) -> None:
    client = await connect()
    await client.subscribe("tail/trades", where="symbol = 'B'")
    await client.until_op("subscribed")
    producer = clients.producer(clients.home_profile())

    def write() -> None:
        for symbol in "ABAB":
            producer.produce(tailed.topic, json.dumps({"symbol": symbol}).encode(), partition=0)
        producer.produce(tailed.topic, b"not json", partition=0)
        producer.flush(5)

    await asyncio.to_thread(write)

    def total(name: str) -> int:
        return sum(frame[name] for frame in client.frames if frame["op"] == "records")

    await client.until(lambda: total("evaluated") == 5)
    assert total("matched") == 2
    shown = [
        record["offset"] for frame in client.frames if frame["op"] == "records" for record in frame["records"]
    ]
    assert (shown, total("skipped")) == ([1, 3], 3)
    await client.send(op="subscribe", id=9, channel="tail/trades", workspace="ops", where="symbol >")
    refused = await client.until_op("error", id=9)
    assert refused["code"] == "FILTER_INVALID"
    assert refused["message"].startswith("Invalid filter:")


async def test_a_fast_stream_is_sampled_and_counted(tailed: Stream, connect: Connect) -> None:
    client = await connect()
    await client.subscribe("tail/trades", max_per_second=8)
    await client.until_op("subscribed")
    producer = clients.producer(clients.home_profile())

    def write() -> None:
        for at in range(20_000):
            producer.produce(tailed.topic, json.dumps({"symbol": str(at)}).encode(), partition=at % 2)
        producer.flush(20)

    await asyncio.to_thread(write)

    def counted() -> int:
        return sum(
            len(frame["records"]) + frame["skipped"] for frame in client.frames if frame["op"] == "records"
        )

    await client.until(lambda: counted() == 20_000)
    shown = [frame for frame in client.frames if frame["op"] == "records"]
    assert max(len(frame["records"]) for frame in shown) <= 2
    assert max(frame["records_per_second"] for frame in shown) > 1_000


async def test_groups_are_pushed_after_each_pass(workspace: Workspace, connect: Connect) -> None:
    await sync_to_async(watched)()
    await sync_to_async(stored_group)("billing/eu", {"orders": 5})
    await sync_to_async(stored_group)("weir.other.secret", {"orders": 5})
    client = await connect()
    await client.subscribe("groups")
    group = await client.until_op("group", name="billing/eu")
    assert (group["lag_records"], group["health"], group["topics"]) == (5, "fine", ["orders"])
    assert (await client.until_op("watch", cluster="home"))["error"] == ""
    await sync_to_async(GroupTopic.objects.update)(lag_records=9, health="stopped")
    await sync_to_async(ClusterWatch.objects.update)(passed_at_us=now_us())
    await client.until_op("group", name="billing/eu", lag_records=9, health="stopped")
    await sync_to_async(ConsumerGroup.objects.all().delete)()
    await sync_to_async(ClusterWatch.objects.update)(passed_at_us=now_us())
    await client.until_op("group", name="billing/eu", deleted=True)
    assert not any(frame.get("name") == "weir.other.secret" for frame in client.frames)


async def test_one_group_is_pushed_with_its_partitions(workspace: Workspace, connect: Connect) -> None:
    await sync_to_async(watched)()
    await sync_to_async(stored_group)("billing/eu", {"orders": 5})
    client = await connect()
    await client.subscribe("group/home/billing/eu")
    group = await client.until_op("group", name="billing/eu")
    assert [(part["topic"], part["lag"]) for part in group["partitions"]] == [("orders", 5)]
    await client.subscribe("group/home/none", id=2)
    await client.until_op("error", id=2, code="NOT_FOUND")


def _fire(workspace: Workspace) -> Alert:
    rule = AlertRule.objects.filter(workspace=workspace).first()
    now = timezone.now()
    return Alert.objects.create(
        workspace=workspace, rule=rule, severity="critical", digest="d", title="x", state="firing",
        since=now, fired_at=now, last_met_at=now,
    )  # fmt: skip


async def test_alerts_are_pushed_when_they_change(
    workspace: Workspace, owner: User, connect: Connect
) -> None:
    client = await connect()
    await client.subscribe("alerts")
    await client.until_op("alerts", firing=0)
    alert = await sync_to_async(_fire)(workspace)
    frame = await client.until_op("alerts", firing=1)
    (one,) = frame["open"]
    assert (one["alert_id"], one["severity"], one["acknowledged"]) == (alert.pk, "critical", False)
    await sync_to_async(acknowledge)(alert, owner)
    frame = await client.until_op("alerts", changed_us=instant_of(alert.changed_at))
    assert frame["open"][0]["acknowledged"]


async def test_strangers_hear_of_no_alert(workspace: Workspace, connect: Connect) -> None:
    await sync_to_async(_fire)(workspace)
    stranger = await sync_to_async(create_user)("eve")
    client = await connect(stranger)
    await client.subscribe("alerts")
    error = await client.until_op("error")
    assert error["code"] == "NOT_FOUND"
