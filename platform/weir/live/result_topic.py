"""A followed result topic: read once, encoded once, handed to every reader."""

import logging
import time
from typing import Final, Protocol

from confluent_kafka import Message

from weir.live import metrics
from weir.live.changes import Change, change_of
from weir.live.recent_changes import RecentChanges
from weir.results.services.cursors import Cursor, encode_cursor
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecord, ResultRecordError, read_record

_LOG: Final = logging.getLogger(__name__)

Read = tuple[ResultRecord | ResultRecordError, Change | None]


class Reader(Protocol):
    """A subscription to a result topic."""

    def add(self, changes: list[Change]) -> None:
        """Queue changes for the client."""

    def restart(self, reason: str) -> None:
        """Send a gap and a new snapshot."""

    def flush(self) -> None:
        """Send the buffered rows."""


class FollowedResult:
    """Follows one generation's result topic. All methods but `read` run on the event loop."""

    def __init__(
        self, job_id: str, generation: int, topic: str, topic_id: str, starts: dict[int, int], fence: Fence
    ) -> None:
        self.job_id = job_id
        self.generation = generation
        self.topic = topic
        self.topic_id = topic_id
        self.recent = RecentChanges(starts)
        self.buffering = False
        self.broken = ""  # the reason why it cannot be read on
        self.left_at: float | None = None  # loop time at which the last reader left
        self.readers: set[Reader] = set()
        self._fence = fence
        self._cursor: tuple[dict[int, int], str] | None = None

    @property
    def cursor(self) -> str:
        """The position after all changes that were handed to readers."""
        if self._cursor is None or self._cursor[0] != self.recent.ends:
            ends = dict(self.recent.ends)
            self._cursor = (ends, self.cursor_at(ends))
        return self._cursor[1]

    def cursor_above(self, floor: dict[int, int]) -> str:
        """As `cursor`, for a reader that was further in some partitions when it began."""
        return self.cursor_at(furthest(self.recent.ends, floor))

    def cursor_at(self, offsets: dict[int, int]) -> str:
        """The position of a reader that has, by partition, all changes up to these offsets."""
        return encode_cursor(Cursor(self.generation, self.topic_id, offsets, time.time_ns() // 1000))

    @property
    def fence(self) -> Fence:
        """A fence for rows before those that were read here: what it knows of epochs, and of no partition."""
        return Fence({}, self._fence.epoch, self._fence.since_ms)

    def read(self, messages: list[Message]) -> list[Read]:
        """Decode and encode, on the consumer's thread."""
        return [_encode(message) for message in messages]

    def take(self, batch: list[Read]) -> None:
        """Add a batch to the recent changes and hand it to all readers."""
        changes = []
        for record, change in batch:
            partition, offset = record.partition, record.offset
            if offset < self.recent.ends.get(partition, 0):
                continue
            if isinstance(record, ResultRecordError) or change is None:
                metrics.FOREIGN.inc()
                self.recent.pass_over(partition, offset + 1)
            elif not self._fence.admits(partition, record.epoch, record.timestamp_ms):
                metrics.FENCED.inc()
                self.recent.pass_over(partition, offset + 1)
            else:
                changes.append(change)
                self.recent.ends[partition] = offset + 1
        if not changes:
            return
        metrics.CHANGES.inc(len(changes))
        self.recent.add(changes)
        for reader in list(self.readers):
            reader.add(changes)

    def lost(self, partition: int, reason: str) -> None:
        """The topic cannot be read on from here: its readers start from scratch."""
        _LOG.warning("%s/%s cannot be read on: %s", self.topic, partition, reason)
        self.broken = reason
        for reader in list(self.readers):
            reader.restart("below_start" if reason == "below_start" else "topic_changed")

    def set_buffering(self, buffering: bool) -> None:
        """Buffer rows while the run is replaying; send them afterwards."""
        if self.buffering == buffering:
            return
        self.buffering = buffering
        if not buffering:
            for reader in list(self.readers):
                reader.flush()


def furthest(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    """By partition the greater of two offsets."""
    return {part: max(one.get(part, 0), other.get(part, 0)) for part in one | other}


def _encode(message: Message) -> Read:
    try:
        record = read_record(message)
    except ResultRecordError as error:
        return error, None
    return record, change_of(record)
