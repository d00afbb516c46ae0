"""The health on one partition: a table of readers on a virtual clock, and properties of any of them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.simulated_group import Seen, SimulatedPartition, simulate
from weir.consumer_groups.services.group_reading import Membership
from weir.consumer_groups.services.health import Cause, judge
from weir.consumer_groups.services.partition_track import NEVER, PartitionTrack
from weir.runs.services.lag_health import NEEDS_A_LOOK, Kind

S = 1_000_000
FAULT_S = 300.0


def constant(rate: float) -> Callable[[float], float]:
    return lambda _: rate


def changes(
    before: float, after: float, at_s: float = FAULT_S, until_s: float = 1e9
) -> Callable[[float], float]:
    return lambda now_s: after if at_s <= now_s < until_s else before


def first(seen: list[Seen], *kinds: Kind) -> float | None:
    """Seconds from the fault to a health."""
    return next((one.at_s - FAULT_S for one in seen if one.at_s >= FAULT_S and one.worst.kind in kinds), None)


def play(partition: SimulatedPartition, until_s: float = 900.0) -> list[Seen]:
    return list(simulate([partition], until_s))


@pytest.mark.parametrize("commit_s", [0.5, 1.0, 3.0, 5.0, 30.0, 60.0])
@pytest.mark.parametrize("rate", [0.05, 3.0, 5_000.0])
def test_a_reader_that_keeps_up_is_fine(commit_s: float, rate: float) -> None:
    seen = play(SimulatedPartition(constant(rate), constant(10 * rate), commit_s))
    assert {one.worst.kind for one in seen if one.at_s > 3 * commit_s + 6} == {Kind.FINE}
    assert {one.worst.kind for one in seen} <= {Kind.FINE, Kind.UNKNOWN}


def test_a_stopped_reader_is_told_within_15_seconds() -> None:
    seen = play(SimulatedPartition(constant(100.0), changes(500.0, 0.0)))
    found = first(seen, Kind.STOPPED)
    assert found is not None
    assert found <= 15.0
    assert not any(one.worst.kind in NEEDS_A_LOOK for one in seen if one.at_s < FAULT_S)
    assert seen[-1].worst.cause == Cause.NOT_COMMITTING
    since_us = seen[-1].worst.since_us
    assert since_us is not None
    assert abs(since_us / S - FAULT_S) <= 8.0


@pytest.mark.parametrize("commit_s", [1.0, 5.0])
def test_a_writer_twice_as_fast_is_told_within_60_seconds(commit_s: float) -> None:
    seen = play(SimulatedPartition(changes(100.0, 200.0), constant(105.0), commit_s))
    found = first(seen, Kind.FALLING_BEHIND)
    assert found is not None
    assert found <= 60.0
    assert seen[-1].worst.kind == Kind.FALLING_BEHIND


@pytest.mark.parametrize("commit_s", [1.0, 5.0])
@pytest.mark.parametrize("burst_s", [10.0, 20.0, 30.0])
def test_a_burst_that_is_caught_up_is_no_reason_for_a_look(burst_s: float, commit_s: float) -> None:
    writer = changes(100.0, 400.0, until_s=FAULT_S + burst_s)
    seen = play(SimulatedPartition(writer, constant(200.0), commit_s))
    assert not any(one.worst.kind in NEEDS_A_LOOK for one in seen)
    assert seen[-1].worst.kind == Kind.FINE


def test_a_long_burst_is_caught_up_and_said_so() -> None:
    seen = play(SimulatedPartition(changes(100.0, 400.0, until_s=FAULT_S + 120), constant(200.0)), 1_200.0)
    kinds = [one.worst.kind for one in seen]
    assert kinds.index(Kind.FALLING_BEHIND) < kinds.index(Kind.CATCHING_UP)
    assert kinds[-1] == Kind.FINE


def test_a_reader_at_the_same_distance_is_behind_and_no_reason_for_a_look() -> None:
    partition = SimulatedPartition(constant(100.0), constant(100.0), end=50_000.0)
    seen = play(partition)
    assert seen[-1].worst.kind == Kind.BEHIND


def test_a_reader_that_loses_one_percent_is_told_after_a_while() -> None:
    wave = [97.0, 110.0, 90.0, 107.0]
    partition = SimulatedPartition(lambda now_s: wave[int(now_s / 7) % 4], constant(100.0), end=40_000.0)
    seen = play(partition, 3_600.0)
    assert seen[-1].worst.kind == Kind.FALLING_BEHIND


def test_a_partition_that_stands_while_others_move_is_stalled() -> None:
    poisoned = SimulatedPartition(constant(50.0), changes(500.0, 0.0))
    others = [SimulatedPartition(constant(50.0), constant(500.0)) for _ in range(3)]
    seen = list(simulate([*others, poisoned], 600.0))
    assert seen[-1].judged["t", 3].kind == Kind.STALLED
    assert {seen[-1].judged["t", number].kind for number in range(3)} == {Kind.FINE}


@pytest.mark.parametrize(
    ("membership", "cause"),
    [
        (Membership("Empty"), Cause.NO_MEMBERS),
        (Membership("Dead"), Cause.NO_MEMBERS),
        (Membership("PreparingRebalance"), Cause.REBALANCING),
        (Membership("Stable", frozenset()), Cause.UNASSIGNED),
        (Membership("Stable", frozenset({("t", 0)})), Cause.NOT_COMMITTING),
        (Membership("Empty", is_mirror=True), Cause.NOT_COMMITTING),
    ],
)
def test_the_cause_of_a_stop(membership: Membership, cause: Cause) -> None:
    partition = SimulatedPartition(constant(100.0), changes(500.0, 0.0))
    seen = list(simulate([partition], 600.0, lambda _: membership))
    assert (seen[-1].worst.kind, seen[-1].worst.cause) == (Kind.STOPPED, cause)


def observed(*passes: tuple[float, int, int, int]) -> PartitionTrack:
    track = PartitionTrack()
    for at_s, committed, end, start in passes:
        track.observe(round(at_s * S), committed, end, start)
    return track


def test_without_a_commit_nothing_is_known() -> None:
    track = observed((0, NEVER, 10, 0), (3, NEVER, 20, 0))
    assert judge(track, 100 * S).kind == Kind.UNKNOWN
    assert track.lag is None


def test_records_that_were_deleted_unread_are_lost() -> None:
    track = observed((0, 10, 100, 0), (3, 10, 100, 40))
    assert judge(track, 3 * S).kind == Kind.LOSING
    assert track.lost == 30


def test_the_marker_of_a_transaction_is_no_lag_that_anybody_reads() -> None:
    track = observed((0, 10, 10, 0), (3, 20, 21, 0), (600, 20, 21, 0))
    assert judge(track, 600 * S).kind == Kind.FINE


def test_a_record_that_waits_is_told_even_when_nothing_follows_it() -> None:
    track = observed((0, 10, 10, 0), (3, 20, 20, 0), (6, 20, 25, 0), (120, 20, 25, 0))
    assert judge(track, 120 * S).kind == Kind.STOPPED


def test_a_topic_with_a_record_every_ten_minutes_is_read_in_time() -> None:
    passes = [
        (600.0 * number + second, 10 + number + (1 if second >= 6 else 0), 11 + number, 0)
        for number in range(6)
        for second in range(0, 600, 3)
    ]
    track = PartitionTrack()
    for at_s, committed, end, start in passes:
        track.observe(round(at_s * S), committed, end, start)
        assert judge(track, round(at_s * S)).kind == (Kind.FINE if at_s >= 6 else Kind.UNKNOWN)


def test_offsets_that_were_moved_back_begin_a_new_window() -> None:
    track = observed(*((3.0 * at, 100 * at, 100 * at, 0) for at in range(1, 15)), (45, 200, 1_500, 0))
    assert len(track.commits) == 1
    assert judge(track, 45 * S).kind == Kind.UNKNOWN


def test_a_commit_beyond_the_end_that_was_read_before_it_is_no_negative_lag() -> None:
    assert observed((0, 12, 10, 0)).lag == 0


PASSES = st.lists(st.tuples(st.integers(1, 200), st.integers(0, 500), st.integers(0, 500)), max_size=60)


@given(PASSES)
def test_any_order_of_commits_and_ends_gets_one_health_and_fine_where_nothing_waits(passes) -> None:
    track, at_us, end, committed = PartitionTrack(), 0, 0, 0
    for seconds, more, read in passes:
        at_us, end = at_us + seconds * S, end + more
        committed = min(end, committed + read)
        track.observe(at_us, committed, end, 0)
        health = judge(track, at_us)
        assert health.kind in Kind
        if committed == end:
            assert health.kind == Kind.FINE
        if health.kind == Kind.STOPPED:
            assert health.since_us is not None
            assert track.lag


@given(st.floats(1.0, 10_000.0), st.sampled_from([0.5, 1.0, 5.0, 20.0]), st.floats(1.3, 20.0))
def test_whoever_reads_faster_than_is_written_never_needs_a_look(rate, commit_s, headroom) -> None:
    seen = play(SimulatedPartition(constant(rate), constant(rate * headroom), commit_s), 300.0)
    assert not any(one.worst.kind in NEEDS_A_LOOK for one in seen)


@given(st.floats(5.0, 10_000.0), st.sampled_from([0.5, 1.0, 5.0]))
def test_whoever_stops_is_told_within_15_seconds(rate, commit_s) -> None:
    found = first(
        play(SimulatedPartition(constant(rate), changes(rate * 3, 0.0), commit_s), 340.0), Kind.STOPPED
    )
    assert found is not None
    assert found <= 15.0
