"""A run replays what may have given results, and was not committed."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.backlog import waiting
from jobs.engine.consumer_metrics import ConsumerProgress
from jobs.engine.kafka_admins import DescribedTopic
from jobs.engine.positions import RunPositions
from jobs.engine.sources.kafka import start_options
from jobs.kafka_messages import BoundSource, PartitionProgress, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract
from tests.support.run_positions import run_positions

SOURCE = BoundSource(
    stream="s",
    cluster=ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1"),
    topic="t",
    topic_id="",
    partitions=2,
    contract=contract(),
    start=StartPosition(kind="earliest"),
)


@pytest.mark.parametrize(
    ("until", "committed", "replaying"),
    [
        ({}, {}, False),
        ({0: 5}, {}, True),
        ({0: 5, 1: 7}, {0: 5, 1: 6}, True),
        ({0: 5, 1: 7}, {0: 5}, True),
        ({0: 5, 1: 7}, {0: 5, 1: 7}, False),
        ({0: 5}, {0: 9}, False),
    ],
)
def test_after_an_end_at_a_commit_nothing_is_replayed(
    until: dict[int, int], committed: dict[int, int], replaying: bool
) -> None:
    run = desired_run({"s": SOURCE}, replay_until={"s": until}, committed={"s": committed})
    assert run_positions(run).replaying is replaying


def test_partitions_that_a_topic_was_given_meanwhile_count() -> None:
    run = desired_run({"s": SOURCE})
    positions = run_positions(run)
    positions.update_topics(SOURCE.cluster, {"t": DescribedTopic("", 4), "other": DescribedTopic("", 9)})
    positions.update_topics(
        SOURCE.cluster.model_copy(update={"cluster_id": "c"}), {"t": DescribedTopic("", 8)}
    )
    positions.update_topics(SOURCE.cluster, {"t": None})
    assert positions.sources["s"].partitions == 4
    positions.drained({"s": {0: 100, 1: 0, 2: 0, 3: 0}})
    positions.update_ends(SOURCE.cluster, {("t", 0): 100, ("t", 1): 0, ("t", 2): 0, ("t", 3): 500_000})
    assert positions.end_offsets({"s"})["s", 3] == 500_000
    assert waiting(run, {"s"}, positions) == 500_000
    assert positions.now()["s"][3] == PartitionProgress(committed=0, fetched=0, end=500_000)
    positions.restarted()
    assert not positions.replaying


def test_what_a_new_partition_had_given_before_a_restart_is_replayed() -> None:
    positions = run_positions(desired_run({"s": SOURCE}))
    positions.update_topics(SOURCE.cluster, {"t": DescribedTopic("", 3)})
    positions.update_ends(SOURCE.cluster, {("t", 2): 9}, {("t", 2): 0}, {("t", 2): ConsumerProgress(0, 9)})
    positions.restarted()
    assert positions.replaying


def test_a_run_that_starts_now_names_all_partitions_in_its_start() -> None:
    start = StartPosition(kind="offsets", offsets={0: 5, 1: 7})
    source = SOURCE.model_copy(update={"start": start})
    positions = run_positions(desired_run({"s": source}))
    assert positions.sources == {"s": source}
    positions.update_topics(source.cluster, {"t": DescribedTopic("", 3)})
    bound = positions.sources["s"]
    assert start_options(bound.topic, bound.partitions, bound.start) == {
        "startingOffsets": '{"t": {"0": 5, "1": 7, "2": -2}}'
    }


def test_a_table_that_is_read_once_has_no_positions_that_its_run_waits_for() -> None:
    """A total is not known while one of its parts is not, so this run's lag would never be."""
    copied = SOURCE.model_copy(update={"stream": "countries", "topic": "countries"})
    positions = RunPositions(desired_run({"s": SOURCE, "countries": copied}))
    positions.update_ends(SOURCE.cluster, {("t", 0): 9, ("t", 1): 4, ("countries", 0): 3})
    assert positions.now() == {}
    positions.read_by({None: frozenset({"s", "enriched"})})
    assert positions.now() == {"s": {0: PartitionProgress(end=9), 1: PartitionProgress(end=4)}}
