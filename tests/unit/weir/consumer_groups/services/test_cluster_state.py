"""What the watch concludes from passes over a cluster."""

import pytest

from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead, Member
from weir.consumer_groups.services.cluster_state import ClusterState, TopicLag
from weir.consumer_groups.services.forecast import Retention
from weir.consumer_groups.services.group_reading import HotBecause
from weir.consumer_groups.services.health import Cause
from weir.runs.services.lag_health import Kind

S = 1_000_000
T0 = 1_700_000_000 * S
MEMBERS = (Member("a", "h", None, (("t", 0),)), Member("b", "h", None, (("t", 1),)))


class Cluster:
    """Topic t with partitions, one group g; every step is a pass three seconds later."""

    def __init__(self, partitions: int = 2) -> None:
        self.state, self.at_us = ClusterState(), T0
        self.ends = dict.fromkeys(range(partitions), 1_000)
        self.starts = dict.fromkeys(range(partitions), 0)
        self.committed = dict(self.ends)
        self.group_state, self.retention = "Stable", Retention()

    def step(self, written: int = 0, read: dict[int, int] | None = None) -> TopicLag | None:
        self.at_us += 3 * S
        for partition in self.ends:
            self.ends[partition] += written
            self.committed[partition] += written if read is None else read.get(partition, 0)
        at = {("t", number): offset for number, offset in self.committed.items()}
        group = GroupRead("g", self.group_state, "classic", at, MEMBERS)
        found = ClusterRead(
            self.at_us,
            {"g": group},
            {("t", number): end for number, end in self.ends.items()},
            {("t", number): start for number, start in self.starts.items()},
            0,
            1,
        )
        self.state.apply(found)
        return next(iter(self.state.topics(found, {"t": self.retention}, {"g"}).get("g", [])), None)


def last(cluster: Cluster, steps: int, written: int, read: dict[int, int] | None = None) -> TopicLag:
    found = [topic for _ in range(steps) if (topic := cluster.step(written, read)) is not None]
    return found[-1]


def test_a_partition_without_a_leader_keeps_what_was_known() -> None:
    cluster = Cluster()
    last(cluster, 5, 100, {0: 50, 1: 50})
    del cluster.ends[1]
    found = cluster.step(written=0, read={})
    assert found is None or {part.partition for part in found.partitions} == {0, 1}
    cluster.ends[1] = 1_600
    found = cluster.step(written=1, read={})
    assert found is not None
    assert found.partitions[1].end == 1_601


def test_a_topic_made_anew_begins_from_nothing() -> None:
    cluster = Cluster()
    last(cluster, 5, 100)
    cluster.ends, cluster.committed = dict.fromkeys(range(2), 3), dict.fromkeys(range(2), 0)
    found = cluster.step()
    assert found is not None
    assert found.lag_records == 6
    assert {part.health.kind for part in found.partitions} == {Kind.UNKNOWN}


def test_a_partition_that_gets_most_records_is_named() -> None:
    cluster = Cluster(4)
    last(cluster, 10, 10)
    for _ in range(30):
        cluster.ends[2] += 90
        found = cluster.step(10, {0: 10, 1: 10, 2: 40, 3: 10})
    assert found is not None
    assert found.health.kind == Kind.FALLING_BEHIND
    assert found.hot is not None
    assert (found.hot.partition, found.hot.because) == (2, HotBecause.INPUT)
    assert found.hot.in_share == pytest.approx(100 / 130, abs=0.05)


def test_a_partition_that_is_read_too_slowly_is_named_and_stalled() -> None:
    cluster = Cluster(4)
    last(cluster, 10, 10)
    found = last(cluster, 20, 10, {0: 10, 2: 10, 3: 10})
    assert (found.health.kind, found.health.cause) == (Kind.STALLED, Cause.NOT_COMMITTING)
    assert found.hot is not None
    assert (found.hot.partition, found.hot.because) == (1, HotBecause.READING)


def test_a_consumer_at_rest_before_the_marker_of_a_transaction_has_read_everything() -> None:
    """Each transaction has ten records and its marker; the last one is never committed."""
    cluster = Cluster(1)
    last(cluster, 20, 11)
    last(cluster, 1, 11, {0: 10})
    found = last(cluster, 100, 0)
    (part,) = found.partitions
    assert (found.health.kind, found.lag_records, part.lag) == (Kind.FINE, 0, 0)
    assert (part.forecast.seconds, part.forecast.out_rate) == (0.0, 0.0)
    cluster.group_state = "Empty"
    assert last(cluster, 1, 0).health.kind == Kind.EMPTY
    waiting = last(cluster, 100, 1, {})
    assert (waiting.health.kind, waiting.lag_records) == (Kind.STOPPED, 101)


def test_a_countdown_falls_by_a_second_a_second_while_nobody_reads() -> None:
    cluster = Cluster()
    cluster.retention = Retention(600.0, by_size=False)
    last(cluster, 10, 10)
    before = last(cluster, 20, 10, {}).partitions[0].forecast.loss_s
    after = last(cluster, 20, 10, {}).partitions[0].forecast.loss_s
    assert before == pytest.approx(600 - 60, abs=7)
    assert after == pytest.approx(600 - 120, abs=7)


def test_a_countdown_is_longer_for_whoever_still_reads_half() -> None:
    cluster = Cluster()
    cluster.retention = Retention(600.0, by_size=False)
    last(cluster, 20, 10)
    found = last(cluster, 40, 10, {0: 5, 1: 5}).partitions[0].forecast
    assert found.seconds == pytest.approx(60, abs=10)
    assert found.loss_s == pytest.approx((600 - 60) / 0.5, rel=0.15)


def test_by_size_the_log_start_that_moves_is_what_counts() -> None:
    cluster = Cluster(1)
    cluster.retention = Retention(None, by_size=True)
    last(cluster, 10, 100)
    for _ in range(30):
        cluster.starts[0] += 30
        found = cluster.step(100, {})
    assert found is not None
    left = cluster.committed[0] - cluster.starts[0]
    assert found.partitions[0].forecast.loss_s == pytest.approx(left / 10, rel=0.35)


def test_without_a_limit_nothing_is_lost() -> None:
    cluster = Cluster()
    cluster.retention = Retention(None, by_size=False)
    assert last(cluster, 40, 10, {}).partitions[0].forecast.loss_s is None


def test_time_to_catch_up_is_the_lag_by_the_difference_of_rates() -> None:
    cluster = Cluster()
    last(cluster, 5, 10)
    last(cluster, 60, 100, {0: 10, 1: 10})
    found = last(cluster, 25, 10, {0: 100, 1: 100})
    assert found.health.kind == Kind.CATCHING_UP
    lag = found.partitions[0].end - found.partitions[0].committed
    assert found.partitions[0].forecast.catch_up_s == pytest.approx(lag / 30, rel=0.15)


def test_timestamps_are_read_where_samples_do_not_reach_and_label_what_they_say() -> None:
    cluster = Cluster()
    cluster.committed = dict.fromkeys(range(2), 400)  # far behind before the watch began
    found = last(cluster, 3, 10, {})
    assert found.partitions[0].forecast.seconds_by == "at_least"
    wanted = cluster.state.wanted_records([found], 10, cluster.at_us)
    assert set(wanted) == {(("t", 0), 400), (("t", 1), 400)}
    assert len(cluster.state.wanted_records([found], 1, cluster.at_us)) == 1
    cluster.state.learn_records(wanted[:1], {(("t", 0), 400): cluster.at_us - 3_600 * S}, cluster.at_us)
    found = last(cluster, 1, 10, {})
    known = found.partitions[0].forecast
    assert known.seconds_by == "record"
    assert known.seconds == pytest.approx(3_603, abs=1)
    assert [at for (_, at), _ in cluster.state.wanted_records([found], 10, cluster.at_us)] == [1]
    cluster.state.learn_records([(("t", 1), 400)], {}, cluster.at_us)
    assert cluster.state.wanted_records([found], 10, cluster.at_us + 59 * S) == []
    assert cluster.state.wanted_records([found], 10, cluster.at_us + 60 * S) == [(("t", 1), 400)]


def test_members_say_who_has_a_partition() -> None:
    found = last(Cluster(3), 2, 1)
    assert [part.owner for part in found.partitions] == [0, 1, None]


def test_a_group_that_nobody_uses_is_empty() -> None:
    cluster = Cluster()
    cluster.group_state = "Empty"
    last(cluster, 3, 10)
    found = None
    for _ in range(30):
        found = cluster.step()
    assert found is not None
    assert found.health.kind == Kind.EMPTY


@pytest.mark.parametrize("unknown", ["not answered", "of an earlier topic of the name"])
def test_a_log_start_that_is_not_known_is_no_loss(unknown: str) -> None:
    """A leader that moves answers for the ends and not for the starts; starts are read every few seconds."""
    cluster = Cluster(1)
    cluster.retention = Retention(None, by_size=True)
    cluster.ends, cluster.committed = {0: 5_000_000}, {0: 4_999_000}
    cluster.starts = {0: 9_000_000} if unknown != "not answered" else {}
    first = cluster.step()
    assert first is None or first.health.kind == Kind.UNKNOWN
    cluster.starts = {0: 4_900_000}
    found = last(cluster, 60, 10, {0: 5})
    assert (found.health.kind, found.partitions[0].forecast.loss_s) == (Kind.FALLING_BEHIND, None)


def test_a_log_start_that_is_not_known_for_a_moment_stays_as_it_was() -> None:
    cluster = Cluster(1)
    cluster.starts = {0: 900}
    last(cluster, 5, 10, {0: 5})
    cluster.starts = {}
    found = cluster.step(10, {0: 5})
    assert found is None or found.partitions[0].start == 900
