"""The health on a group: what its partitions say together. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Final

from weir.consumer_groups.services.health import Cause, Health, judge, lag_to_read
from weir.consumer_groups.services.partition_track import PartitionTrack
from weir.runs.services.lag_health import SEVERITY, Kind

Partition = tuple[str, int]  # topic, partition
_REBALANCING: Final = frozenset(
    {"PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"}
)  # Kafka's names, of both protocols
_NO_MEMBERS: Final = frozenset({"Empty", "Dead"})
_EMPTY_AFTER_US: Final = (
    60_000_000  # a group without members that commits, as Spark and mirrors do, is not empty
)
_HOT_SHARE: Final = 0.5


class HotBecause(StrEnum):
    """Why a partition has most of the lag."""

    INPUT = "input"  # it gets more records than the others
    READING = "reading"  # it gets no more than the others, and is read more slowly


@dataclass(frozen=True, slots=True)
class Membership:
    """Who reads.

    Attributes:
        state: of the group, as Kafka names it.
        owned: partitions that members have; None where that is not known.
        is_mirror: the group never has members: Weir commits the positions of a job in it.
    """

    state: str
    owned: frozenset[Partition] | None = None
    is_mirror: bool = False


@dataclass(frozen=True, slots=True)
class HotPartition:
    """The partition that has at least half of a topic's lag. Shares are 0 to 1."""

    partition: int
    lag_share: float
    in_share: float | None
    because: HotBecause


def judge_partitions(
    tracks: Mapping[Partition, PartitionTrack],
    membership: Membership,
    now_us: int,
    patience_us: Callable[[PartitionTrack], int] = lambda _: 0,
) -> dict[Partition, Health]:
    """The health on each partition of a group.

    Args:
        tracks: of all partitions that the group has committed.
        membership: of the group.
        now_us: time of the newest pass.
        patience_us: how long the next commit of a partition may take at least.
    """
    newest_us = max((track.committed_at_us or 0 for track in tracks.values()), default=0)
    return {
        partition: _with_cause(judge(track, now_us, patience_us(track)), partition, membership, newest_us)
        for partition, track in tracks.items()
    }


def _with_cause(health: Health, partition: Partition, membership: Membership, newest_us: int) -> Health:
    if health.kind != Kind.STOPPED:
        return health
    cause = _cause(partition, membership)
    others_move = health.since_us is not None and newest_us > health.since_us
    is_stalled = others_move and cause in (Cause.NOT_COMMITTING, Cause.UNASSIGNED)
    return replace(health, kind=Kind.STALLED if is_stalled else Kind.STOPPED, cause=cause)


def _cause(partition: Partition, membership: Membership) -> Cause:
    if membership.is_mirror:
        return Cause.NOT_COMMITTING
    if membership.state in _NO_MEMBERS:
        return Cause.NO_MEMBERS
    if membership.state in _REBALANCING:
        return Cause.REBALANCING
    if membership.owned is not None and partition not in membership.owned:
        return Cause.UNASSIGNED
    return Cause.NOT_COMMITTING


def judge_together(
    judged: list[Health], tracks: list[PartitionTrack], membership: Membership, now_us: int
) -> Health:
    """The worst of these partitions, since the first of them; empty for a group that nobody reads with.

    Args:
        judged: on the partitions of a topic, or of a group.
        tracks: of the same partitions.
        membership: of the group.
        now_us: time of the newest pass.
    """
    together = worst_of(judged)
    is_quiet = together.kind in (Kind.FINE, Kind.UNKNOWN)
    is_idle = is_quiet and not any(lag_to_read(track, now_us) for track in tracks)
    if is_idle and membership.state in _NO_MEMBERS and not membership.is_mirror:
        newest_us = max((track.committed_at_us or 0 for track in tracks), default=0)
        if now_us - newest_us > _EMPTY_AFTER_US:
            return Health(Kind.EMPTY)
    return together


def worst_of(judged: list[Health]) -> Health:
    """The worst health, since the earliest of its kind; unknown without any.

    Args:
        judged: in any order.
    """
    if not judged:
        return Health(Kind.UNKNOWN)
    worst = max(judged, key=lambda health: SEVERITY[health.kind])
    same = [health for health in judged if health.kind == worst.kind]
    since_us = min((health.since_us for health in same if health.since_us is not None), default=None)
    (cause, _), *_ = Counter(health.cause for health in same).most_common(1)
    return Health(worst.kind, since_us, cause)


def hot_partition(lags: Mapping[int, int], in_rates: Mapping[int, float | None]) -> HotPartition | None:
    """The one partition of a topic that has at least half of the lag, and far more than the others have.

    Args:
        lags: records by partition.
        in_rates: records per second by partition; None where unknown.
    """
    total = sum(lags.values())
    if len(lags) < 2 or not total:
        return None
    partition = max(lags, key=lambda each: lags[each])
    others = [lag for each, lag in lags.items() if each != partition]
    share = lags[partition] / total
    if share < _HOT_SHARE or lags[partition] < 4 * median(others):
        return None
    known = {each: rate for each, rate in in_rates.items() if rate is not None}
    arriving = sum(known.values())
    in_share = known[partition] / arriving if partition in known and arriving else None
    is_input = in_share is not None and in_share >= 2 / (len(lags) + 1)
    return HotPartition(partition, share, in_share, HotBecause.INPUT if is_input else HotBecause.READING)
