"""What is remembered of one partition of one group: the commits that were seen, and since when one is due.
Pure: no broker, no database, no clock.

A commit is seen when the committed offset of a pass differs from that of the pass before. Commits, not the
clock, are what the health counts in: a consumer that commits every minute is judged by its minutes.
"""

from array import array
from dataclasses import dataclass, field
from typing import Final, NamedTuple

MAX_COMMITS: Final = 16
_FIELDS: Final = 4
NEVER: Final = -1
MARK_INTERVAL_US: Final = 300_000_000
MAX_MARKS: Final = 3
RECENT_WAITS: Final = 8


class Commit(NamedTuple):
    """A commit as it was seen.

    Attributes:
        at_us: of the pass that saw it.
        committed: the next offset to read.
        end: the topic's end offset at that pass.
        waited_us: how long a record had waited for this commit; 0 where none was seen to wait, `NEVER`
            for the
            first commit, which says nothing.
    """

    at_us: int
    committed: int
    end: int
    waited_us: int

    @property
    def lag(self) -> int:
        """Records that were not read then."""
        return max(0, self.end - self.committed)


class UsualWait(NamedTuple):
    """How long records waited for the newest commits.

    Attributes:
        known: how many of them say something.
        total_us: of these.
        longest_us: of these.
    """

    known: int = 0
    total_us: int = 0
    longest_us: int = 0


_UNKNOWN_WAIT: Final = UsualWait()


@dataclass(slots=True)
class PartitionTrack:
    """Commits of one partition by one group, oldest first, as flat numbers: there may be a million of these.

    Attributes:
        committed: the offset that was committed last; `NEVER` before the first.
        end: the newest end offset.
        start: the newest log start offset.
        waiting_since_us: since when at least one record waits that no commit has covered; None while
            none does.
        end_at_commit: the end offset when the last commit was seen.
        caught_up_us: when a commit last covered everything that was there at the commit before it.
        usual_wait: of the newest `RECENT_WAITS` commits.
    """

    committed: int = NEVER
    end: int = 0
    start: int = 0
    waiting_since_us: int | None = None
    end_at_commit: int = 0
    caught_up_us: int | None = None
    usual_wait: UsualWait = _UNKNOWN_WAIT
    _commits: "array[int]" = field(default_factory=lambda: array("q"))
    _marks: list[tuple[int, int]] | None = None  # (µs, lag) every few minutes since it is behind

    def observe(self, at_us: int, committed: int, end: int, start: int) -> None:
        """Add what a pass read.

        Args:
            at_us: time of the pass.
            committed: the group's offset, `NEVER` for none.
            end: the partition's end offset; commits and ends are read one after the other, so a commit
                may lie beyond it.
            start: the partition's log start offset.
        """
        end = max(end, committed)
        self.end, self.start = end, start
        if committed != self.committed:
            self._commit(at_us, committed, end)
        if end <= committed:
            self.waiting_since_us = None
        elif self.waiting_since_us is None:
            self.waiting_since_us = at_us

    def _commit(self, at_us: int, committed: int, end: int) -> None:
        moved_back, end_before = committed < self.committed, self.end_at_commit
        waited_us = at_us - self.waiting_since_us if self.waiting_since_us is not None else 0
        is_first = self.committed == NEVER
        self.committed, self.end_at_commit = committed, end
        self.waiting_since_us = at_us
        if moved_back:
            # Somebody moved the offsets: what was seen before says nothing about how the rest is read.
            del self._commits[:]
            self._marks, waited_us = None, NEVER
        elif not is_first and committed >= end_before:
            self.caught_up_us, self._marks = at_us, None
        else:
            self._mark(at_us, end - committed)
        if len(self._commits) >= MAX_COMMITS * _FIELDS:
            del self._commits[:_FIELDS]
        self._commits.extend((at_us, committed, end, NEVER if is_first else waited_us))
        # what is asked of every partition in every pass is worked out when it changes
        waits = [wait for wait in self.waits[-RECENT_WAITS:] if wait >= 0]
        self.usual_wait = UsualWait(len(waits), sum(waits), max(waits)) if waits else _UNKNOWN_WAIT

    def _mark(self, at_us: int, lag: int) -> None:
        marks = self._marks or []
        if not marks or at_us - marks[-1][0] >= MARK_INTERVAL_US:
            self._marks = [*marks, (at_us, lag)][-MAX_MARKS:]

    @property
    def marked_lags(self) -> list[int]:
        """The lag every five minutes since the group is behind here, the newest last."""
        return [lag for _, lag in self._marks or ()]

    @property
    def lag(self) -> int | None:
        """Records that the group has not read; None without a commit."""
        return None if self.committed == NEVER else max(0, self.end - self.committed)

    @property
    def lost(self) -> int:
        """Records that retention deleted before the group read them."""
        return max(0, self.start - self.committed) if self.committed != NEVER else 0

    @property
    def commits(self) -> list[Commit]:
        """The newest commits, at most `MAX_COMMITS`."""
        return list(map(Commit, self.times, self.positions, self.ends, self.waits))

    # The same in columns, for what is asked of every partition in every pass.

    @property
    def times(self) -> "array[int]":
        """When each commit was seen, µs."""
        return self._commits[0::_FIELDS]

    @property
    def positions(self) -> "array[int]":
        """What each commit committed."""
        return self._commits[1::_FIELDS]

    @property
    def ends(self) -> "array[int]":
        """The end offset at each commit."""
        return self._commits[2::_FIELDS]

    @property
    def waits(self) -> "array[int]":
        """How long a record had waited for each commit, µs, as `Commit.waited_us`."""
        return self._commits[3::_FIELDS]

    @property
    def committed_at_us(self) -> int | None:
        """When the last commit was seen; None without one."""
        return self._commits[-_FIELDS] if self._commits else None
