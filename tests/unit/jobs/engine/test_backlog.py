"""What a run has to read first: from what is committed, as known here, else as published, or its start."""

import pytest

from jobs.connections import ClusterProfile
from jobs.engine.backlog import (
    DRAINED_FROM,
    FallingBehind,
    NextDrain,
    backlog,
    drained_from,
    in_batches,
    least_drained,
)
from jobs.engine.backlog import waiting as waiting_now
from jobs.engine.consumer_metrics import ConsumerProgress
from jobs.engine.kafka_admins import DescribedTopic, KafkaAdmins
from jobs.engine.positions import ReadingPosition
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import BoundSource, DesiredRun, StartPosition
from tests.support.desired_runs import desired_run
from tests.support.plan_helpers import contract
from tests.support.run_positions import run_positions

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:1")
OTHER = ClusterProfile(cluster_id="other", bootstrap="127.0.0.1:2")


class Ends(KafkaAdmins):
    """Topics that end here, by cluster, and begin at 0 or here."""

    def __init__(
        self, ends: dict[str, dict[tuple[str, int], int]], starts: dict[tuple[str, int], int] | None = None
    ) -> None:
        super().__init__()
        self._ends = ends
        self._starts = starts or {}

    def start_offsets(
        self, profile: ClusterProfile, partitions: list[tuple[str, int]]
    ) -> dict[tuple[str, int], int]:
        return {partition: self._starts.get(partition, 0) for partition in partitions}

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
    return backlog(run, {"a", "a step"}, run_positions(run), Ends(ends))


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


@pytest.mark.parametrize(
    ("start", "expected"),
    [(EARLIEST, 30), (StartPosition(kind="offsets", offsets={0: 90}), 30), (StartPosition(kind="latest"), 0)],
)
def test_what_retention_has_deleted_does_not_wait(start: StartPosition, expected: int) -> None:
    begun = Ends(ENDS, {("t", 0): 80, ("t", 1): 40} if start is EARLIEST else {("t", 0): 80, ("t", 1): 30})
    run = run_of(start)
    positions = run_positions(run)
    assert backlog(run, {"a"}, positions, begun) == expected
    assert waiting_now(run, {"a"}, positions) == expected


def test_what_was_committed_before_this_process_is_not_read_again() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 70, 1: 50}}), ENDS) == 30


def test_a_partition_that_is_new_since_then_is_read_from_its_start() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 100}}), ENDS) == 50


def test_a_partition_that_its_topic_was_given_meanwhile_is_read_from_its_start() -> None:
    run = run_of(StartPosition(kind="offsets", offsets={0: 90, 1: 40}), {"a": {0: 100, 1: 50}})
    positions = run_positions(run)
    positions.update_topics(HOME, {"t": DescribedTopic("x", 3)})
    assert backlog(run, {"a"}, positions, Ends({"home": ENDS["home"] | {("t", 2): 9}})) == 9


def test_a_topic_that_ends_before_what_is_committed_has_no_backlog() -> None:
    assert waiting(run_of(EARLIEST, {"a": {0: 500, 1: 500}}), ENDS) == 0


def test_topics_of_one_name_on_two_clusters_are_told_apart() -> None:
    run = desired_run(
        {"a": source("t", EARLIEST), "b": source("t", EARLIEST, OTHER)}, run_id="r", committed={}
    )
    ends = {**ENDS, "other": {("t", 0): 7}}
    assert backlog(run, {"a", "b"}, run_positions(run), Ends(ends)) == 157
    assert backlog(run, {"b"}, run_positions(run), Ends(ends)) == 7


@pytest.mark.parametrize(
    ("fanout", "records"), [(1, 250_000), (4, 250_000), (20, 50_000), (100, 10_000), (1_000, 5_000)]
)
def test_a_run_drains_in_batches_of_bounded_rows(fanout: int, records: int) -> None:
    run = in_batches(run_of(EARLIEST).model_copy(update={"mode": "realtime"}), fanout)
    assert (run.mode, run.max_rows_per_batch) == ("microbatch", records)


@pytest.mark.parametrize(
    ("fanout", "catch_up_from", "records"),
    [
        (1, 50_000, 50_000),
        (1, 1_000_000, 50_000),  # a drain is the faster way from there on
        (1, 8_000, 8_000),
        (5, 50_000, 10_000),
        (600, 50_000, 5_000),
    ],
)
def test_a_start_drains_what_real_time_mode_would_take_longer_for(
    fanout: int, catch_up_from: int, records: int
) -> None:
    run = run_of(EARLIEST).model_copy(update={"mode": "realtime", "catch_up_from": catch_up_from})
    assert drained_from(run, fanout) == records


LOOKS: list[tuple[str, list[tuple[float, int | None]], list[bool]]] = [
    ("little waits", [(0, 10), (6, 49_999)], [False, False]),
    ("it grows", [(0, 60_000), (3, 90_000), (5, 100_000)], [False, False, True]),
    ("it stands still", [(0, 60_000), (5, 60_000)], [False, True]),
    ("it shrinks slowly", [(0, 100_000), (5, 80_000)], [False, True]),
    ("it is read within ten seconds", [(0, 100_000), (5, 60_000)], [False, False]),
    ("at first it is, then no more", [(0, 150_000), (5, 90_000), (10, 80_000)], [False, False, True]),
    ("it was read meanwhile", [(0, 60_000), (4, 100), (8, 60_000), (12, 70_000)], [False] * 4),
    ("nobody knows", [(0, 60_000), (4, None), (8, 60_000)], [False] * 3),
]


@pytest.mark.parametrize(("looks", "expected"), [look[1:] for look in LOOKS], ids=[look[0] for look in LOOKS])
def test_a_run_falls_behind_when_its_pace_does_not_do(
    looks: list[tuple[float, int | None]], expected: list[bool]
) -> None:
    behind = FallingBehind(50_000)
    found = [
        behind.update(now, None if waits is None else ReadingPosition(int(10_000 * now), waits))
        for now, waits in looks
    ]
    assert found == expected


def test_the_setting_of_a_job_says_from_when_it_falls_behind() -> None:
    looks = [(0, 6_000), (5, 6_000)]
    found = {
        records: [behind.update(now, ReadingPosition(1_000 * now, waits)) for now, waits in looks]
        for records, behind in ((5_000, FallingBehind(5_000)), (50_000, FallingBehind(50_000)))
    }
    assert found == {5_000: [False, True], 50_000: [False, False]}


SLOW: list[tuple[str, int, int, int, bool]] = [  # records a second, waiting at first and at last
    ("a minute late", 300, 15_000, 20_000, True),
    ("less than a minute", 400, 15_000, 20_000, False),
    ("a minute late, and less so", 300, 25_000, 19_000, True),
    ("it reads nothing", 0, 6_000, 6_000, True),
    ("it reads nothing, and little waits", 0, 4_000, 4_999, False),
]


@pytest.mark.parametrize(
    ("pace", "first", "last", "expected"), [case[1:] for case in SLOW], ids=[case[0] for case in SLOW]
)
def test_few_records_are_a_backlog_when_they_take_a_minute(
    pace: int, first: int, last: int, expected: bool
) -> None:
    behind = FallingBehind(50_000)
    assert not behind.update(0, ReadingPosition(0, first))
    assert not behind.update(19, ReadingPosition(19 * pace, last)), "it may stand between two batches"
    assert behind.update(20, ReadingPosition(20 * pace, last)) is expected


def test_what_is_left_of_a_drain_counts_from_what_is_committed() -> None:
    run = run_of(EARLIEST, {"a": {0: 70, 1: 50}})
    positions = run_positions(run)
    assert waiting_now(run, {"a"}, positions) is None, "no end is known"
    positions.update_ends(HOME, {("t", 0): 100, ("t", 1): 50})
    assert waiting_now(run, {"a"}, positions) == 30
    positions.update_ends(
        HOME, {("t", 0): 110, ("t", 1): 50}, {("t", 0): 0}, {("t", 0): ConsumerProgress(0, 110)}
    )
    assert waiting_now(run, {"a"}, positions) == 40, "what is fetched is not committed"


def test_what_a_drain_has_read_waits_no_more_although_it_gave_no_batch() -> None:
    """An earlier process had committed it, and nobody knows that any more."""
    run = run_of(EARLIEST)
    positions = run_positions(run)
    positions.update_ends(HOME, {("t", 0): 100, ("t", 1): 50})
    assert waiting_now(run, {"a"}, positions) == 150
    positions.drained({"a": {0: 90, 1: 50}})
    assert waiting_now(run, {"a"}, positions) == 10
    positions.drained({"a": {0: 80}})
    assert waiting_now(run, {"a"}, positions) == 10
    assert positions.take_unmirrored(HOME) == {("t", 0): 90, ("t", 1): 50}


def test_what_is_waiting_counts_from_what_is_fetched_not_from_the_last_commit() -> None:
    run = run_of(EARLIEST)
    positions = run_positions(run)
    assert positions.reading() is None
    starts = {("t", 0): 0, ("t", 1): 0}
    positions.update_ends(HOME, {("t", 0): 100, ("t", 1): 50}, starts)
    assert positions.reading() is None, "without consumer metrics"
    positions.update_ends(HOME, {("t", 0): 100, ("t", 1): 50}, starts, {("t", 0): ConsumerProgress(30, 70)})
    assert positions.reading() == ReadingPosition(70, 30)
    read = {("t", 0): ConsumerProgress(20, 120), ("t", 1): ConsumerProgress(5, 45)}
    positions.update_ends(HOME, {("t", 0): 140, ("t", 1): 50}, starts, read)
    assert positions.reading() == ReadingPosition(165, 25)
    positions.restarted()
    assert positions.reading() is None


def test_a_burst_is_waiting_although_the_consumer_had_read_all_there_was() -> None:
    """Its metrics are those of the records that it got last."""
    positions = run_positions(run_of(EARLIEST))
    read = {("t", 0): ConsumerProgress(lag=0, lead=100)}
    positions.update_ends(HOME, {("t", 0): 100}, {("t", 0): 0}, read)
    assert positions.reading() == ReadingPosition(100, 0)
    positions.update_ends(HOME, {("t", 0): 2_000_100}, {("t", 0): 0}, read)
    assert positions.reading() == ReadingPosition(100, 2_000_000)


@pytest.mark.parametrize("catch_up_from", [5_000, 100_000])
def test_a_run_that_joins_a_changing_table_drains_whatever_waits_but_not_for_ever(catch_up_from: int) -> None:
    run = desired_run({}, catch_up_from=catch_up_from)
    following = NextDrain(run)

    def least() -> int:
        return least_drained(run, 1, following.least, changing_table=True)

    assert least() == 1
    following.drained(5.0, changing_table=True)
    assert least() > DRAINED_FROM, "a record a second would keep it from real-time mode"
    following.fell_behind()
    assert least() == 1


def test_what_came_during_a_long_drain_is_drained_too_where_rows_would_race_entries() -> None:
    run = desired_run({}, catch_up_from=50_000)

    def least_after(*drains_s: float, changing_table: bool = True) -> int:
        following = NextDrain(run)
        for took_s in drains_s:
            following.drained(took_s, changing_table=changing_table)
        return least_drained(run, 1, following.least, changing_table=changing_table)

    assert [least_after(300.0), least_after(300.0, 40.0), least_after(300.0, 40.0, 11.0)] == [1, 1, 1]
    assert least_after(300.0, 40.0, 9.0) == 50_000, "as fast as a change of the mode"
    assert least_after(300.0, 200.0) == 50_000, "records come as fast as they are read: for ever"
    assert least_after(300.0, changing_table=False) == 50_000, "nothing races"


def test_a_start_after_a_failure_drains_as_the_first_one() -> None:
    following = NextDrain(desired_run({}))
    following.drained(300.0, changing_table=False)
    following.starts()
    assert following.least is None
