"""What a run has to read first: from what is committed, as known here, else as published, or its start."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.backlog import backlog, in_batches
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.positions import RunPositions
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, DesiredRun, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
OTHER = ClusterProfile(cluster_id="other", bootstrap="127.0.0.1:2")


class Ends(KafkaAdmins):
    """Topics that end here, by cluster."""

    def __init__(self, ends: dict[str, dict[tuple[str, int], int]]) -> None:
        super().__init__()
        self._ends = ends

    def end_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        known = self._ends[profile.cluster_id]
        return {partition: known[partition] for partition in partitions if partition in known}


def source(topic: str, start: StartPosition, cluster: ClusterProfile = HOME) -> BoundSource:
    stream: StreamContract = contract({"k": "string"})
    return BoundSource(
        stream=topic, cluster=cluster, topic=topic, topic_id="x", partitions=2, contract=stream, start=start
    )


def run_of(
    start: StartPosition, published: dict[str, dict[int, int]] | None = None, cluster: ClusterProfile = HOME
) -> DesiredRun:
    return desired_run({"a": source("t", start, cluster)}, run_id="r", committed=published or {})


def waiting(run: DesiredRun, ends: dict[str, dict[tuple[str, int], int]]) -> int:
    return backlog(run, {"a", "a step"}, RunPositions(run), Ends(ends))


EARLIEST = StartPosition(kind="earliest")
ENDS = {"home": {("t", 0): 100, ("t", 1): 50}}


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (EARLIEST, 150),
        (StartPosition(kind="latest"), 0),
        (StartPosition(kind="offsets", offsets={0: 90}), 60),
        (StartPosition(kind="time", at_us=1), 150),
    ],
)
def test_a_run_that_has_committed_nothing_reads_from_its_start(start: StartPosition, expected: int) -> None:
    assert waiting(run_of(start), ENDS) == expected


def test_what_was_committed_before_this_process_is_not_read_again() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 70, 1: 50}}), ENDS) == 30


def test_a_partition_that_is_new_since_then_is_read_from_its_start() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 100}}), ENDS) == 50


def test_a_topic_that_ends_before_what_is_committed_has_no_backlog() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 500, 1: 500}}), ENDS) == 0


def test_topics_of_one_name_on_two_clusters_are_told_apart() -> None:
    run = desired_run(
        {"a": source("t", EARLIEST), "b": source("t", EARLIEST, OTHER)}, run_id="r", committed={}
    )
    ends = {**ENDS, "other": {("t", 0): 7}}
    assert backlog(run, {"a", "b"}, RunPositions(run), Ends(ends)) == 157
    assert backlog(run, {"b"}, RunPositions(run), Ends(ends)) == 7


def test_a_run_drains_in_bounded_batches() -> None:
    run = in_batches(run_of(EARLIEST).model_copy(update={"mode": "realtime"}))
    assert (run.mode, run.max_rows_per_batch) == ("microbatch", 250_000)
