"""What the positions of a run mean, by the rules for consumer groups. Pure: no broker, no database, no clock.

A run's own positions are looked at, not its mirror group: in real-time mode offsets are committed with each
checkpoint, 30 s and more apart, and six of them would take minutes. Engines report what they have read every
second.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from weir.consumer_groups.services.forecast import Forecast, Offsets, Retention, forecast
from weir.consumer_groups.services.group_reading import Membership, judge_partitions, worst_of
from weir.consumer_groups.services.health import MIN_WAIT_US
from weir.consumer_groups.services.partition_track import PartitionTrack
from weir.lag.services.end_offsets import EndOffsetHistory
from weir.runs.services.lag_health import JobHealth, Kind

Partition = tuple[str, int]  # source, partition
# Where a partition's log begins and how long it is kept is known to the watch of groups alone.
_NO_STARTS: Final = 0
_GROWTH: Final = 4  # times as large as any before may a batch be
_NO_RETENTION: Final = Retention(None, by_size=False)
_MEMBERSHIP: Final = Membership("Stable", is_mirror=True)  # nobody joins or leaves


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """Where a run is in one partition.

    Attributes:
        next_offset: that it reads.
        ends: of the partition, over time; at least one is known.
    """

    next_offset: int
    ends: EndOffsetHistory


@dataclass(slots=True)
class RunTracks:
    """What is remembered of one run."""

    _tracks: dict[Partition, PartitionTrack] = field(default_factory=dict)
    _ends: dict[Partition, EndOffsetHistory] = field(default_factory=dict)

    def observe(self, at_us: int, positions: Mapping[Partition, ReadPosition]) -> None:
        """Add where the run is now; to be called every three seconds, as a group is looked at.

        Args:
            at_us: the time of which the positions are.
            positions: those that are known.
        """
        for gone in self._tracks.keys() - positions.keys():
            del self._tracks[gone], self._ends[gone]
        for partition, found in positions.items():
            end = found.ends.end or 0
            track = self._tracks.get(partition)
            if track is None or end < track.end_at_commit:
                track = self._tracks[partition] = PartitionTrack()
            self._ends[partition] = found.ends
            track.observe(at_us, found.next_offset, end, _NO_STARTS)

    def health(self, at_us: int, *, batches: bool = False) -> JobHealth:
        """What the positions mean.

        Args:
            at_us: the time of which the newest are.
            batches: the run reads in micro-batches, so a larger batch takes longer and is no standstill.
        """
        # the tracks' partitions are told apart by source here, by topic for groups
        judged = judge_partitions(self._tracks, _MEMBERSHIP, at_us, batch_us if batches else lambda _: 0)
        worst = worst_of(list(judged.values()))
        known = {
            partition: forecast(
                track,
                judged[partition],
                Offsets(self._ends[partition], EndOffsetHistory()),
                _NO_RETENTION,
                at_us,
            )
            for partition, track in self._tracks.items()
        }
        catching_up = [
            known[partition] for partition, health in judged.items() if health.kind == Kind.CATCHING_UP
        ]
        return JobHealth(
            worst.kind,
            at_us,
            worst.since_us,
            _sum(each.in_rate for each in known.values()),
            _sum(each.out_rate for each in known.values()),
            _slowest(catching_up) if worst.kind == Kind.CATCHING_UP else None,
        )


def batch_us(track: PartitionTrack) -> int:
    """How long the batch may take that reads what waited at the last commit: twice its time at the pace of
    the newest commits. 0 where no pace is known.

    Args:
        track: of a partition that is read in micro-batches.
    """
    times, positions, ends = track.times, track.positions, track.ends
    if len(times) < 2 or positions[-1] == positions[0]:
        return 0
    largest = max(after - before for before, after in pairwise(positions))
    waiting = min(ends[-1] - positions[-1], _GROWTH * largest)  # a limit of rows keeps batches from more
    return 2 * waiting * (times[-1] - times[0]) // (positions[-1] - positions[0]) + MIN_WAIT_US


def _sum(rates: Iterable[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known else None


def _slowest(catching_up: list[Forecast]) -> float | None:
    """One partition that does not catch up as it is going keeps the whole from it."""
    known = [each.catch_up_s for each in catching_up if each.catch_up_s is not None]
    return max(known) if known and len(known) == len(catching_up) else None
