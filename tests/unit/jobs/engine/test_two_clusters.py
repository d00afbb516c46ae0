"""A job that reads topics of one name, from two clusters or one topic several times: the positions of its
sources stay apart.
"""

import json
from typing import Any

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.consumer_metrics import ConsumerProgress, PartitionId
from jobs.engine.positions import RunPositions
from jobs.engine.progress import read_progress
from jobs.engine.query import PlanRefusedError, plan_of
from jobs.engine.sources.kafka import consumer_prefix
from jobs.engine.subscriptions import subscription
from jobs.kafka_messages import BoundSource, DesiredRun, PartitionProgress, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract
from tests.support.run_positions import run_positions

NEAR, FAR = (ClusterProfile(cluster_id=name, bootstrap="127.0.0.1:1") for name in ("near", "far"))


def source(cluster: ClusterProfile, topic: str = "orders") -> BoundSource:
    return BoundSource(
        stream="orders",
        cluster=cluster,
        topic=topic,
        topic_id="",
        partitions=1,
        contract=contract(),
        start=StartPosition(kind="earliest"),
    )


@pytest.fixture
def run() -> DesiredRun:
    """Two sources of the near topic, one of the far topic of the same name, and another far one."""
    sources = {
        "here": source(NEAR),
        "again": source(NEAR),
        "there": source(FAR),
        "other": source(FAR, "payments"),
    }
    return desired_run(sources, mode="realtime", replay_until={"here": {0: 5}})


def told(names: str, topic: str, end: int) -> dict[str, Any]:
    """Spark's progress of a source."""
    return {
        "description": f"KafkaV2[Subscribe[{names}]]",
        "endOffset": {topic: {"0": end}},
        "latestOffset": {topic: {"0": end + 1}},
    }


def test_progress_tells_them_apart(run: DesiredRun) -> None:
    sources = [
        told("orders, orders, orders", "orders", 70),
        told("payments", "payments", 3),
        told("orders", "orders", 20),
        told("orders, orders", "orders", 15),
    ]
    progress = json.dumps({"batchId": 1, "timestamp": "2026-01-01T00:00:00.000Z", "sources": sources})
    assert [subscription(run, bound) for bound in run.sources.values()] == [
        "orders",
        "orders,orders",
        "orders,orders,orders",
        "payments",
    ]
    assert read_progress(progress, run).committed == {
        "here": {0: 20},
        "again": {0: 15},
        "there": {0: 70},
        "other": {0: 3},
    }


def test_a_mirror_group_is_where_the_source_is_that_has_read_least(run: DesiredRun) -> None:
    positions = run_positions(run)
    positions.drained({"here": {0: 20}, "again": {0: 15}, "there": {0: 70}})
    assert positions.take_unmirrored(NEAR) == {("orders", 0): 15}
    assert positions.take_unmirrored(NEAR) == {}
    positions.drained({"here": {0: 30}})
    assert positions.take_unmirrored(NEAR) == {("orders", 0): 15}
    assert positions.all_committed(NEAR) == {("orders", 0): 15}
    assert positions.all_committed(FAR) == {("orders", 0): 70}


@pytest.mark.parametrize(("cluster", "loops"), [(FAR, False), (NEAR, True)])
def test_a_far_topic_is_copied_to_one_of_its_name_here(cluster: ClusterProfile, loops: bool) -> None:
    document = {
        "format": 1,
        "name": "copies",
        "sources": {"s": {"stream": "orders"}},
        "outputs": {
            "live": {"input": "s", "to": "result"},
            "copy": {"input": "s", "to": {"topic": "copied"}},
        },
    }
    run = desired_run({"s": source(cluster)}, document=document, topics={"copy": "orders"})
    if loops:
        with pytest.raises(PlanRefusedError, match="Loop"):
            plan_of(run, NEAR)
    else:
        assert plan_of(run, NEAR).ok


def update(
    positions: RunPositions,
    cluster: ClusterProfile,
    ends: dict[PartitionId, int],
    fetched: dict[PartitionId, int],
) -> None:
    """The cluster's ends, and the positions of the consumers that read to there."""
    consumers = {one: ConsumerProgress(ends[one] - offset, offset) for one, offset in fetched.items()}
    positions.update_ends(cluster, ends, dict.fromkeys(ends, 0), consumers)


def test_ends_and_what_is_fetched_are_those_of_the_cluster(run: DesiredRun) -> None:
    positions = run_positions(run)
    update(positions, NEAR, {("orders", 0): 100}, {("orders", 0): 90})
    assert positions.now()["there"] == {0: PartitionProgress()}
    update(positions, FAR, {("orders", 0): 7, ("payments", 0): 1}, {("orders", 0): 3})
    assert positions.now() == {
        "here": {0: PartitionProgress(fetched=90, end=100)},
        "again": {0: PartitionProgress(fetched=90, end=100)},
        "there": {0: PartitionProgress(fetched=3, end=7)},
        "other": {0: PartitionProgress(end=1)},
    }


def test_what_one_cluster_has_read_ends_no_replay_of_the_other(run: DesiredRun) -> None:
    positions = run_positions(run)
    update(positions, FAR, {("orders", 0): 100}, {("orders", 0): 100})
    assert positions.replaying
    update(positions, NEAR, {("orders", 0): 5}, {("orders", 0): 5})
    assert not positions.replaying


def test_consumers_are_named_by_their_cluster(run: DesiredRun) -> None:
    here, there = (
        consumer_prefix(run, 0, run.sources[name].cluster.cluster_id) for name in ("here", "there")
    )
    assert not (here + "-").startswith(there + "-")
    assert not (there + "-").startswith(here + "-")
