"""What the watch remembers of a cluster between passes, and what it concludes from them. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weir.consumer_groups.services.cluster_read import ClusterRead, GroupRead
from weir.consumer_groups.services.forecast import Forecast, Offsets, Retention, forecast
from weir.consumer_groups.services.group_reading import (
    HotPartition,
    Membership,
    Partition,
    hot_partition,
    judge_partitions,
    judge_together,
)
from weir.consumer_groups.services.health import Health, lag_to_read
from weir.consumer_groups.services.partition_track import PartitionTrack
from weir.lag.services.end_offsets import EndOffsetHistory
from weir.runs.services.lag_health import NEEDS_A_LOOK, Kind

UNANSWERED_US: Final = 60_000_000
"""For so long a record that did not come is not read again: waiting for it delays the pass."""
LEADER_WAIT_US: Final = 600_000_000
"""For so long after the first pass a topic waits for partitions that had no leader at it: brokers that start
again have one sooner. After that it is concluded on without them, or one lost disk would hide the others.
"""
SAMPLES: Final = 240  # end offsets per partition; older ones are thinned
MIRROR_PREFIX: Final = "weir."


@dataclass(frozen=True, slots=True)
class PartitionLag:
    """One partition of a group, as it is stored and shown; None: not known."""

    partition: int
    committed: int
    end: int
    start: int
    lag: int  # as of `lag_to_read`
    health: Health
    forecast: Forecast
    owner: int | None  # position in the group's list of members

    def as_json(self) -> list[Any]:
        """A list, in the order of `group_rows.PARTITION_FIELDS`: there are very many of them."""
        known = self.forecast
        return [
            self.partition,
            self.committed,
            self.end,
            self.start,
            self.lag,
            _short(known.seconds),
            known.seconds_by,
            _short(known.in_rate),
            _short(known.out_rate),
            self.health.kind.value,
            self.health.cause.value,
            self.health.since_us,
            _short(known.catch_up_s),
            _short(known.loss_s),
            self.owner,
        ]


@dataclass(frozen=True, slots=True)
class TopicLag:
    """How far a group is behind in one topic."""

    group: str
    topic: str
    health: Health
    counts: dict[str, int]
    hot: HotPartition | None
    partitions: tuple[PartitionLag, ...]

    @property
    def lag_records(self) -> int:
        """Of all partitions."""
        return sum(part.lag for part in self.partitions)

    @property
    def slowest(self) -> Forecast | None:
        """Of the partition that is the furthest behind in time."""
        known = [part.forecast for part in self.partitions if part.forecast.seconds is not None]
        return max(known, key=lambda each: each.seconds or 0.0, default=None)

    def total(self, name: str) -> float | None:
        """A rate of all partitions whose rate is known; None where none is.

        Args:
            name: of a field of `Forecast`.
        """
        known = [value for part in self.partitions if (value := getattr(part.forecast, name)) is not None]
        return sum(known) if known else None


@dataclass(slots=True)
class ClusterState:
    """Everything that is remembered of one cluster."""

    tracks: dict[str, dict[Partition, PartitionTrack]] = field(default_factory=dict)
    offsets: dict[Partition, Offsets] = field(default_factory=dict)
    record_us: dict[tuple[Partition, int], int] = field(default_factory=dict)
    unanswered_us: dict[tuple[Partition, int], int] = field(default_factory=dict)  # when they were asked for
    changed: set[str] = field(default_factory=set)  # groups of which any offset moved in the newest pass
    committed: set[str] = field(default_factory=set)  # those that committed in it
    began_us: int = 0  # time of the first pass; 0 before it

    def apply(self, read: ClusterRead) -> None:
        """Learn from a pass."""
        self.began_us = self.began_us or read.at_us
        self._apply_offsets(read)
        for gone in self.tracks.keys() - read.groups.keys():
            del self.tracks[gone]
        self.changed, self.committed = set(), set()
        for group in read.groups.values():
            self._apply_group(group, read)

    def _apply_offsets(self, read: ClusterRead) -> None:
        missing = self.offsets.keys() - read.ends.keys()
        if missing:
            # a partition without a leader has no end for a moment; what is known of it stays
            committed = set[Partition]().union(*(group.committed for group in read.groups.values()))
            for gone in missing - committed:
                del self.offsets[gone]
        for partition, end in read.ends.items():
            start = _start_of(read, partition, end)
            if start is None:
                continue
            known = self.offsets.get(partition)
            if known is None or end < (known.ends.end or 0):
                # another topic of the same name, or a log that lost its newest records
                known = self.offsets[partition] = Offsets(
                    EndOffsetHistory(max_samples=SAMPLES), EndOffsetHistory(max_samples=SAMPLES)
                )
            known.ends.observe(read.at_us, end)
            known.starts.observe(read.at_us, start)

    def _apply_group(self, group: GroupRead, read: ClusterRead) -> None:
        tracks = self.tracks.setdefault(group.name, {})
        changed = committed_any = False
        for gone in tracks.keys() - group.committed.keys():
            del tracks[gone]
            changed = committed_any = True
        for partition, committed in group.committed.items():
            end = read.ends.get(partition)
            start = None if end is None else _start_of(read, partition, end)
            if end is None or start is None:
                continue
            track = tracks.get(partition)
            if track is None or end < track.end_at_commit:
                track = tracks[partition] = PartitionTrack()
            if track.committed == committed and track.end == end and track.start == start:
                continue
            committed_any = committed_any or track.committed != committed
            track.observe(read.at_us, committed, end, start)
            changed = True
        if changed:
            self.changed.add(group.name)
        if committed_any:
            self.committed.add(group.name)

    def topics(
        self, read: ClusterRead, retention: Mapping[str, Retention], names: Collection[str]
    ) -> dict[str, list[TopicLag]]:
        """How far groups are behind, by group. Topics of which nothing is known yet are left out, and for
        `LEADER_WAIT_US` after the first pass those of which a partition is not.

        Args:
            read: the newest pass, which was applied.
            retention: of topics; a missing one is not known.
            names: of the groups that are asked for.
        """
        return {
            name: self._of_group(group, read.at_us, retention)
            for name, group in read.groups.items()
            if name in names
        }

    def waiting(self, read: ClusterRead, names: Collection[str]) -> set[str]:
        """Those of some groups of which `topics` leaves a topic out until its partitions have leaders."""
        if read.at_us - self.began_us >= LEADER_WAIT_US:
            return set()
        return {
            name for name in names if read.groups[name].committed.keys() - self.tracks.get(name, {}).keys()
        }

    def _of_group(self, group: GroupRead, now_us: int, retention: Mapping[str, Retention]) -> list[TopicLag]:
        tracks = self.tracks.get(group.name, {})
        membership = membership_of(group)
        judged = judge_partitions(tracks, membership, now_us)
        owners = {
            partition: number
            for number, member in enumerate(group.members or ())
            for partition in member.partitions
        }
        unknown = set[str]()
        if now_us - self.began_us < LEADER_WAIT_US:
            # the sum of the others would be written as if it were the topic's lag
            unknown = {topic for topic, _ in group.committed.keys() - tracks.keys()}
        by_topic: dict[str, list[int]] = defaultdict(list)
        for topic, partition in tracks:
            if topic not in unknown:
                by_topic[topic].append(partition)
        return [
            self._of_topic(
                group.name,
                topic,
                [
                    self._of_partition(
                        (topic, number), tracks, judged, retention.get(topic, Retention()), now_us, owners
                    )
                    for number in sorted(numbers)
                ],
                judge_together(
                    [judged[topic, number] for number in numbers],
                    [tracks[topic, number] for number in numbers],
                    membership,
                    now_us,
                ),
            )
            for topic, numbers in sorted(by_topic.items())
        ]

    def _of_partition(
        self,
        partition: Partition,
        tracks: Mapping[Partition, PartitionTrack],
        judged: Mapping[Partition, Health],
        retention: Retention,
        now_us: int,
        owners: Mapping[Partition, int],
    ) -> PartitionLag:
        track, health = tracks[partition], judged[partition]
        record_us = self.record_us.get((partition, track.committed))
        known = forecast(track, health, self.offsets[partition], retention, now_us, record_us)
        lag = lag_to_read(track, now_us) or 0
        return PartitionLag(
            partition[1], track.committed, track.end, track.start, lag, health, known, owners.get(partition)
        )

    def _of_topic(self, group: str, topic: str, partitions: list[PartitionLag], health: Health) -> TopicLag:
        lags = {part.partition: part.lag for part in partitions}
        rates = {part.partition: part.forecast.in_rate for part in partitions}
        is_behind = health.kind in NEEDS_A_LOOK or health.kind in (Kind.BEHIND, Kind.CATCHING_UP)
        return TopicLag(
            group,
            topic,
            health,
            dict(Counter(part.health.kind.value for part in partitions)),
            hot_partition(lags, rates) if is_behind else None,
            tuple(partitions),
        )

    def wanted_records(
        self, topics: Iterable[TopicLag], budget: int, now_us: int
    ) -> list[tuple[Partition, int]]:
        """Records whose timestamps are worth a read, one per partition: where offsets sampled over time do
        not reach, then where nothing is committed, the furthest behind first. Those that did not come in the
        last minute are left out.

        Args:
            topics: what was concluded.
            budget: how many at most.
            now_us: time of the pass.
        """
        wanted: dict[tuple[Partition, int], tuple[bool, float]] = {}
        for topic in topics:
            for part in topic.partitions:
                at = (topic.topic, part.partition), part.committed
                seconds, by = part.forecast.seconds, part.forecast.seconds_by
                if not seconds or by == "record" or part.health.kind == Kind.FINE or at in self.record_us:
                    continue
                if now_us - self.unanswered_us.get(at, now_us - UNANSWERED_US) < UNANSWERED_US:
                    continue
                if part.committed >= part.start and (by == "at_least" or part.health.kind in NEEDS_A_LOOK):
                    wanted[at] = by == "at_least", seconds
        chosen: dict[Partition, int] = {}
        for partition, offset in sorted(wanted, key=lambda at: wanted[at], reverse=True):
            chosen.setdefault(partition, offset)
        return list(chosen.items())[:budget]

    def learn_records(
        self, asked: Iterable[tuple[Partition, int]], found: Mapping[tuple[Partition, int], int], now_us: int
    ) -> None:
        """Learn timestamps of records; those of offsets that nobody stands at are dropped.

        Args:
            asked: the records that were to be read, as (partition, committed offset).
            found: timestamps in µs of those that came.
            now_us: time of the pass.
        """
        standing = {
            (partition, track.committed)
            for tracks in self.tracks.values()
            for partition, track in tracks.items()
            if track.lag
        }
        self.record_us = {at: us for at, us in (self.record_us | dict(found)).items() if at in standing}
        unanswered = self.unanswered_us | {at: now_us for at in asked if at not in found}
        self.unanswered_us = {
            at: us for at, us in unanswered.items() if at in standing and now_us - us < UNANSWERED_US
        }


def _start_of(read: ClusterRead, partition: Partition, end: int) -> int | None:
    """Where the log begins that ends there; None: it is not known. 0 in its stead would make it seem that
    millions of records were deleted since, and one of an earlier topic of the name that they are lost.
    """
    start = read.starts.get(partition)
    return start if start is not None and start <= end else None


def membership_of(group: GroupRead) -> Membership:
    """What the health needs to know of a group's members."""
    owned = None
    if group.members:
        owned = frozenset(partition for member in group.members for partition in member.partitions)
    return Membership(group.state, owned, group.name.startswith(MIRROR_PREFIX))


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
