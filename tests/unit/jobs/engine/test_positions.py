"""A run replays what may have given results, and was not committed."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.positions import RunPositions
from jobs.kafka_messages import BoundSource, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract

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
    assert RunPositions(run).replaying is replaying
