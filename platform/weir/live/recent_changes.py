"""The recent changes of a followed result topic: they join the snapshot of a new reader with its deltas."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from weir.live.changes import Change

RECENT_CHARACTERS: Final = 8 * 1024 * 1024


class RecentChanges:
    """A bounded queue of changes, oldest first.

    `starts`: by partition, the offset from which on no change is missing; `ends`: the
    offset of the next change.
    """

    def __init__(self, starts: dict[int, int], cap: int = RECENT_CHARACTERS) -> None:
        self.starts = dict(starts)
        self.ends = dict(starts)
        self.size = 0
        self._cap = cap
        self._changes: deque[Change] = deque()

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, changes: Iterable[Change]) -> None:
        """Append changes; beyond the cap the oldest are removed."""
        for change in changes:
            self._changes.append(change)
            self.size += change.size
            self.ends[change.partition] = max(self.ends.get(change.partition, 0), change.offset + 1)
        while self.size > self._cap and self._changes:
            oldest = self._changes.popleft()
            self.size -= oldest.size
            self.starts[oldest.partition] = oldest.offset + 1

    def pass_over(self, partition: int, next_offset: int) -> None:
        """Advance a partition to `next_offset` without a change: its record was fenced,
        or is not a result.
        """
        self.ends[partition] = max(self.ends.get(partition, 0), next_offset)

    def covers(self, offsets: dict[int, int]) -> bool:
        """True when every change from these offsets on is still here. A missing partition counts from 0."""
        return all(offsets.get(partition, 0) >= start for partition, start in self.starts.items())

    def since(self, offsets: dict[int, int]) -> list[Change]:
        """The changes at or after these offsets."""
        return [change for change in self._changes if change.offset >= offsets.get(change.partition, 0)]
