"""A change of a result, and the changes that wait for one client."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from weir.results.services.records import ResultRecord, row_json


@dataclass(frozen=True, slots=True)
class Change:
    """A row or tombstone, encoded once for all clients."""

    key: str
    text: str
    partition: int
    offset: int

    @property
    def size(self) -> int:
        """Characters of the encoded row; close enough to bytes for a memory limit."""
        return len(self.text)


def change_of(record: ResultRecord) -> Change:
    """Encode a record for all clients."""
    text = row_json(
        key=record.key,
        value=record.value,
        newest_input_us=record.newest_input_us,
        offset=record.offset,
        partition=record.partition,
        partial=record.partial,
    )
    return Change(record.key, text, record.partition, record.offset)


@dataclass(slots=True)
class PendingChanges:
    """Changes that wait for one subscription.

    With `every`, all changes are kept until `cap` characters wait; from then on, and always without `every`,
    changes are conflated: only the newest per key is kept. After `take` all changes are kept again.

    Attributes:
        every: keep each change while there is room.
        cap: characters that may wait before changes are conflated.
    """

    every: bool
    cap: int
    size: int = 0
    conflated: int = 0
    _listed: list[Change] = field(default_factory=list)
    _newest: dict[str, Change] = field(default_factory=dict)
    _conflating: bool = False

    def __len__(self) -> int:
        return len(self._listed) + len(self._newest)

    def add(self, changes: Iterable[Change]) -> None:
        """Queue changes, in the order of their log."""
        for change in changes:
            if not self.every or self._conflating:
                self._conflate(change)
                continue
            self._listed.append(change)
            self.size += change.size
            if self.size > self.cap:
                self._start_conflating()

    def add_before(self, changes: Iterable[Change]) -> None:
        """Queue changes in front of those that wait already."""
        waiting = self._listed or list(self._newest.values())
        conflated = self.conflated
        self.clear()
        self.conflated = conflated
        self.add(changes)
        self.add(waiting)

    def _start_conflating(self) -> None:
        listed, self._listed, self.size, self._conflating = self._listed, [], 0, True
        for change in listed:
            self._conflate(change)

    def _conflate(self, change: Change) -> None:
        # A key that changes again moves to the end: frames keep the order of the log.
        older = self._newest.pop(change.key, None)
        if older is not None:
            self.size -= older.size
            self.conflated += 1
        self._newest[change.key] = change
        self.size += change.size

    def take(self) -> tuple[list[str], int]:
        """All waiting changes, encoded, and how many were conflated since the last call."""
        rows = [change.text for change in self._listed] or [change.text for change in self._newest.values()]
        conflated = self.conflated
        self._listed, self._newest, self._conflating = [], {}, False
        self.size = self.conflated = 0
        return rows, conflated

    def clear(self) -> None:
        """Drop the waiting changes: a snapshot will replace them."""
        self.take()
