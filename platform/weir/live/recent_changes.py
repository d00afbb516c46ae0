"""The last changes of a watched topic: what carries a new reader over the seam between snapshot and deltas."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from weir.live.changes import Change

TAIL_CHARACTERS: Final = 8 * 1024 * 1024


class RecentChanges:
    """A bounded run of changes, oldest first.

    `starts` says per partition from which offset on nothing is missing; `ends` where the next change will stand.
    """

    def __init__(self, starts: dict[int, int], cap: int = TAIL_CHARACTERS) -> None:
        self.starts = dict(starts)
        self.ends = dict(starts)
        self.size = 0
        self._cap = cap
        self._changes: deque[Change] = deque()

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, changes: Iterable[Change]) -> None:
        """Append changes; the oldest fall out beyond the cap."""
        for change in changes:
            self._changes.append(change)
            self.size += change.size
            self.ends[change.partition] = max(self.ends.get(change.partition, 0), change.offset + 1)
        while self.size > self._cap and self._changes:
            oldest = self._changes.popleft()
            self.size -= oldest.size
            self.starts[oldest.partition] = oldest.offset + 1

    def pass_over(self, partition: int, next_offset: int) -> None:
        """A partition moved to `next_offset` without a change that counts (refused by the fence, or not ours)."""
        self.ends[partition] = max(self.ends.get(partition, 0), next_offset)

    def covers(self, offsets: dict[int, int]) -> bool:
        """True when everything from these offsets on is held. A partition that is missing there counts from 0."""
        return all(offsets.get(partition, 0) >= start for partition, start in self.starts.items())

    def since(self, offsets: dict[int, int]) -> list[Change]:
        """The held changes at or after these offsets."""
        return [change for change in self._changes if change.offset >= offsets.get(change.partition, 0)]
