"""The health of a job's own positions, on a virtual clock."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.simulated_group import STEP_S, SimulatedPartition
from weir.consumer_groups.services.run_tracks import ReadPosition, RunTracks
from weir.lag.services.end_offsets import EndOffsetHistory
from weir.runs.services.lag_health import NEEDS_A_LOOK, JobHealth, Kind

FAULT_S = 200.0
LOOK_S = 3.0


def changes(before: float, after: float, until_s: float = 1e9) -> Callable[[float], float]:
    return lambda now_s: after if FAULT_S <= now_s < until_s else before


def constant(rate: float) -> Callable[[float], float]:
    return lambda _: rate


def looks(partitions: list[SimulatedPartition], until_s: float) -> Iterator[tuple[float, JobHealth]]:
    """What each look at the positions says; positions are where the job reads, commits play no part."""
    tracks, ends = RunTracks(), [EndOffsetHistory() for _ in partitions]
    due = 0.0
    for step in range(int(until_s / STEP_S)):
        now_s = step * STEP_S
        at_us = round(now_s * 1e6)
        for partition, end in zip(partitions, ends, strict=True):
            partition.step(now_s)
            end.observe(at_us, int(partition.end))
        if now_s < due:
            continue
        due = now_s + LOOK_S
        tracks.observe(
            at_us,
            {
                ("trades", number): ReadPosition(int(partition.position), ends[number])
                for number, partition in enumerate(partitions)
            },
        )
        yield now_s, tracks.health(at_us)


def first(seen: list[tuple[float, JobHealth]], kind: Kind) -> float:
    return next(at_s for at_s, health in seen if health.kind == kind) - FAULT_S


@pytest.mark.parametrize("commit_s", [1.0, 30.0, 40.0])
def test_a_writer_twice_as_fast_is_told_within_60_seconds_however_rarely_the_job_commits(
    commit_s: float,
) -> None:
    seen = list(looks([SimulatedPartition(changes(100.0, 200.0), constant(105.0), commit_s)], 400.0))
    assert first(seen, Kind.FALLING_BEHIND) <= 60.0
    assert not any(health.kind in NEEDS_A_LOOK for at_s, health in seen if at_s < FAULT_S)
    last = seen[-1][1]
    assert last.in_rate == pytest.approx(200.0, rel=0.1)
    assert last.out_rate == pytest.approx(105.0, rel=0.1)


@pytest.mark.parametrize("burst_s", [10.0, 20.0, 30.0])
def test_a_burst_that_is_caught_up_is_no_reason_for_a_look(burst_s: float) -> None:
    writer = changes(100.0, 400.0, until_s=FAULT_S + burst_s)
    seen = list(looks([SimulatedPartition(writer, constant(200.0), 40.0)], 600.0))
    assert not any(health.kind in NEEDS_A_LOOK for _, health in seen)
    assert seen[-1][1].kind == Kind.FINE


def test_a_job_that_reads_nothing_is_told_within_15_seconds() -> None:
    seen = list(looks([SimulatedPartition(constant(100.0), changes(500.0, 0.0), 40.0)], 300.0))
    assert first(seen, Kind.STOPPED) <= 15.0


def test_one_partition_that_stands_is_stalled() -> None:
    partitions = [
        SimulatedPartition(constant(50.0), changes(500.0, 0.0)),
        SimulatedPartition(constant(50.0), constant(500.0)),
    ]
    assert list(looks(partitions, 300.0))[-1][1].kind == Kind.STALLED


def test_a_backlog_that_is_read_says_until_when() -> None:
    (*_, (_, health)) = looks([SimulatedPartition(constant(100.0), constant(300.0), end=200_000.0)], 120.0)
    assert health.kind == Kind.CATCHING_UP
    assert health.catch_up_s == pytest.approx((200_000 - 1_000 - 120 * 200) / 200, rel=0.1)


def test_a_topic_that_was_made_anew_is_judged_anew() -> None:
    tracks, ends = RunTracks(), EndOffsetHistory()
    ends.observe(0, 100)
    tracks.observe(0, {("trades", 0): ReadPosition(100, ends)})
    new = EndOffsetHistory()
    new.observe(3_000_000, 5)
    tracks.observe(3_000_000, {("trades", 0): ReadPosition(5, new)})
    assert tracks.health(3_000_000).kind == Kind.FINE


class MicroBatches:
    """A job that reads all that waits, up to a limit, in batches that take as long as they are large."""

    def __init__(self, written: Callable[[float], float], capacity: float, limit: float = 1e9) -> None:
        self.written, self.capacity, self.limit = written, capacity, limit
        self.end = self.position = 1_000.0
        self.ends, self.tracks = EndOffsetHistory(), RunTracks()

    def looks(self, until_s: float) -> Iterator[tuple[float, JobHealth]]:
        batch: tuple[float, float] | None = None  # where it ends, and when
        for tenth in range(int(until_s * 10)):
            now_s = tenth / 10
            self.end += self.written(now_s) / 10
            if batch is not None and now_s >= batch[1]:
                self.position, batch = batch[0], None
            if batch is None and tenth % 10 == 0:
                rows = min(self.end - self.position, self.limit)
                batch = self.position + rows, now_s + 0.2 + rows / self.capacity
            self.ends.observe(tenth * 100_000, int(self.end))
            if tenth % 30 == 0:
                position = ReadPosition(int(self.position), self.ends)
                self.tracks.observe(tenth * 100_000, {("trades", 0): position})
                yield now_s, self.tracks.health(tenth * 100_000, batches=True)


def test_a_batch_that_takes_longer_because_it_is_larger_is_no_standstill() -> None:
    seen = list(MicroBatches(changes(100.0, 400.0, until_s=FAULT_S + 20), 200.0).looks(400.0))
    assert not any(health.kind in NEEDS_A_LOOK for _, health in seen)
    assert seen[-1][1].kind == Kind.FINE


def test_micro_batches_at_their_limit_fall_behind_within_60_seconds() -> None:
    seen = list(MicroBatches(changes(100.0, 200.0), 130.0, limit=500).looks(400.0))
    assert first(seen, Kind.FALLING_BEHIND) <= 60.0


def test_micro_batches_that_end_no_more_are_stopped() -> None:
    job = MicroBatches(constant(100.0), 500.0)
    for _ in job.looks(FAULT_S):
        pass
    for second in range(200, 260, 3):
        job.ends.observe(second * 1_000_000, int(job.end) + 100 * (second - 199))
        job.tracks.observe(second * 1_000_000, {("trades", 0): ReadPosition(int(job.position), job.ends)})
    assert job.tracks.health(260_000_000, batches=True).kind == Kind.STOPPED
