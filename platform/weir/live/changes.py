"""A change on its way to clients, and the two ways in which changes wait for one client."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from weir.results.records import ResultRecord, row_json


@dataclass(frozen=True, slots=True)
class Change:
    """A row or tombstone, encoded once for everybody. `size` is what it costs a byte cap."""

    key: str
    text: str
    partition: int
    offset: int

    @property
    def size(self) -> int:
        """Characters of the encoded row; near enough to bytes for a bound on memory."""
        return len(self.text)


def change_of(record: ResultRecord) -> Change:
    """Encode a record for everybody."""
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

    With `every` they are kept one by one until `cap` characters wait; from then on, and always without `every`, only the
    newest per key is kept. `take` empties it, and every change is kept again.

    Attributes:
        every: keep each change while there is room.
        cap: characters that may wait one by one.
    """

    every: bool
    cap: int
    size: int = 0
    conflated: int = 0
    _listed: list[Change] = field(default_factory=list)
    _newest: dict[str, Change] = field(default_factory=dict)
    _folding: bool = False

    def __len__(self) -> int:
        return len(self._listed) + len(self._newest)

    def add(self, changes: Iterable[Change]) -> None:
        """Let these wait, in the order of their log."""
        for change in changes:
            if not self.every or self._folding:
                self._fold(change)
                continue
            self._listed.append(change)
            self.size += change.size
            if self.size > self.cap:
                self._begin_folding()

    def _begin_folding(self) -> None:
        listed, self._listed, self.size, self._folding = self._listed, [], 0, True
        for change in listed:
            self._fold(change)

    def _fold(self, change: Change) -> None:
        # A key that changes again moves to the end: frames keep the order in which values arose.
        held = self._newest.pop(change.key, None)
        if held is not None:
            self.size -= held.size
            self.conflated += 1
        self._newest[change.key] = change
        self.size += change.size

    def take(self) -> tuple[list[str], int]:
        """Everything that waits, encoded, and how many changes were folded away since the last time."""
        rows = [change.text for change in self._listed] or [change.text for change in self._newest.values()]
        conflated = self.conflated
        self._listed, self._newest, self._folding = [], {}, False
        self.size = self.conflated = 0
        return rows, conflated

    def clear(self) -> None:
        """Forget what waits: a snapshot will replace it."""
        self.take()
