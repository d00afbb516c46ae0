"""What the commits of a partition mean, without a threshold that somebody has to choose. Pure.

The rules, where they come from and what was changed stand in `docs/reference/consumer-groups.md`; jobs are
judged by them too (`job_health`).
"""

from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from operator import sub
from typing import Final

from weir.consumer_groups.services.partition_track import MAX_MARKS, PartitionTrack
from weir.runs.services.lag_health import Kind

WINDOW_US: Final = 40_000_000
"""A trend is told from the commits of this long, and from `MIN_COMMITS` of them where commits are rarer."""
MIN_COMMITS: Final = 6
MIN_WAIT_US: Final = 8_000_000  # passes are seconds apart: less says nothing
UNKNOWN_WAIT_US: Final = 90_000_000  # while too few commits were seen to know how often one comes
_KNOWN_WAITS: Final = 2


class Cause(StrEnum):
    """Why nothing is committed."""

    NONE = ""
    NO_MEMBERS = "no_members"
    REBALANCING = "rebalancing"
    UNASSIGNED = "unassigned"  # there are members, and none has this partition
    NOT_COMMITTING = "not_committing"  # a member has it


@dataclass(frozen=True, slots=True)
class Health:
    """A health.

    Attributes:
        kind: what it is.
        since_us: since when, as far as it was seen; None where that means nothing.
        cause: of stopped and stalled.
    """

    kind: Kind
    since_us: int | None = None
    cause: Cause = Cause.NONE


def judge(track: PartitionTrack, now_us: int, patience_us: int = 0) -> Health:
    """The health on one partition, by itself: `judge_partitions` tells stalled from stopped.

    Args:
        track: of the partition.
        now_us: time of the newest pass.
        patience_us: as of `is_due`.
    """
    lag = lag_to_read(track, now_us, patience_us)
    if lag is None:
        return Health(Kind.UNKNOWN)
    if track.lost:
        return Health(Kind.LOSING, track.waiting_since_us)
    if not lag:
        return Health(Kind.FINE)
    if is_due(track, now_us, patience_us):
        return Health(Kind.STOPPED, track.waiting_since_us)
    if _is_unknown(track, now_us):
        return Health(Kind.UNKNOWN)
    return _trend(track)


def lag_to_read(track: PartitionTrack, now_us: int, patience_us: int = 0) -> int | None:
    """Records that the group has not read; None without a commit. 0 for a consumer at rest before the marker
    of a transaction, which takes an offset that it may never commit.

    Args:
        track: of the partition.
        now_us: time of the newest pass.
        patience_us: as of `is_due`.
    """
    may_be_marker = track.lag == 1 and track.end == track.end_at_commit
    return 0 if may_be_marker and is_due(track, now_us, patience_us) else track.lag


def is_due(track: PartitionTrack, now_us: int, patience_us: int = 0) -> bool:
    """Whether a commit should have come: records wait for longer than they waited for commits before.

    Args:
        track: of the partition.
        now_us: the current time.
        patience_us: how long a commit may take at least.
    """
    if track.waiting_since_us is None:
        return False
    usual = track.usual_wait
    if usual.known < _KNOWN_WAITS:
        return now_us - track.waiting_since_us > max(UNKNOWN_WAIT_US, patience_us)
    allowed = max(2 * usual.total_us // usual.known, 6 * usual.longest_us // 5, MIN_WAIT_US, patience_us)
    return now_us - track.waiting_since_us > allowed


def _is_unknown(track: PartitionTrack, now_us: int) -> bool:
    """Whether records wait, and nobody knows yet how long they usually do."""
    waiting_us = 0 if track.waiting_since_us is None else now_us - track.waiting_since_us
    return waiting_us > MIN_WAIT_US and track.usual_wait.known < _KNOWN_WAITS


def _trend(track: PartitionTrack) -> Health:
    """Fine when any commit of the window had reached what was there at the commit before; otherwise by how
    the lag at commits moved from each third of the window to the next.
    """
    times = track.times
    recent = len(times) - bisect_left(times, times[-1] - WINDOW_US)
    # one more, because a commit is held against the end at the one before
    start = max(0, len(times) - max(recent, MIN_COMMITS) - 1)
    if track.caught_up_us is not None and track.caught_up_us > times[start]:
        return Health(Kind.FINE)
    if len(times) - start - 1 < MIN_COMMITS or times[-1] - times[start] < WINDOW_US:
        return Health(Kind.UNKNOWN)
    since_us = track.caught_up_us or times[start]
    lags = list(map(sub, track.ends[start + 1 :], track.positions[start + 1 :]))
    if _rises(lags) or _rises_slowly(track.marked_lags, lags):
        return Health(Kind.FALLING_BEHIND, since_us)
    if _rises([-lag for lag in lags]):
        return Health(Kind.CATCHING_UP, since_us)
    return Health(Kind.BEHIND, since_us)


def _rises(lags: list[int]) -> bool:
    """Whether each third is above the one before, by more than the lag falls from one commit to the next."""
    third = len(lags) // 3
    parts = lags[:third], lags[third:-third], lags[-third:]
    first, middle, last = (sum(part) / len(part) for part in parts)
    return first < middle < last and last - first > _noise(lags)


def _rises_slowly(marked: list[int], lags: list[int]) -> bool:
    """Whether the lag grows so slowly that the window does not show it, over ten minutes and more."""
    if len(marked) < MAX_MARKS:
        return False
    rising = all(before < after for before, after in pairwise(marked))
    return rising and marked[-1] - marked[0] > _noise(lags)


def _noise(lags: list[int]) -> int:
    falls = [before - after for before, after in pairwise(lags)]
    return max(0, *falls)
