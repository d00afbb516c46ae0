"""Buffers a result topic between two flushes: the newest record per key, and the offsets read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import Message

from weir.relay.result_topics import FollowedTopic
from weir.results.services.fencing import Fence
from weir.results.services.records import ResultRecord, ResultRecordError, read_record
from weir.results.services.store import TopicFlush, TopicPosition

_MAX_LATENCIES: Final = 2_000


@dataclass(slots=True)
class TopicStats:
    """Statistics of a result topic since the last history point."""

    foreign: int = 0  # records that are not results
    fenced: int = 0  # results of an engine that was replaced
    latencies_ms: list[float] = field(default_factory=list)
    newest_input_us: int = 0

    def count(self, record: ResultRecord) -> None:
        """Count one result."""
        self.newest_input_us = max(self.newest_input_us, record.newest_input_us)
        # Of a record without a timestamp nothing is known.
        is_timed = record.value is not None and record.newest_input_us > 0
        if is_timed and len(self.latencies_ms) < _MAX_LATENCIES:
            self.latencies_ms.append(record.timestamp_ms - record.newest_input_us / 1000)

    @property
    def latency_ms_p50(self) -> float | None:
        """Median delay; None without results."""
        return sorted(self.latencies_ms)[len(self.latencies_ms) // 2] if self.latencies_ms else None


class ResultBuffer:
    """Buffers the records of one topic until they are stored."""

    def __init__(self, source: FollowedTopic, position: TopicPosition, offsets: dict[int, int]) -> None:
        self.source = source
        self.stats = TopicStats()
        self._pk = position.pk
        self._stored = dict(offsets)  # next offsets in the database
        self._next = dict(offsets)  # next offsets read
        self._fence: Fence = position.fence
        self._newest: dict[str, ResultRecord] = {}
        self._keys: dict[bytes, str] = {}  # of them

    def __len__(self) -> int:
        return len(self._newest)

    @property
    def moved(self) -> bool:
        """Whether anything was read since the last flush."""
        return self._next != self._stored

    @property
    def next_offsets(self) -> dict[int, int]:
        """Partition → offset to read next."""
        return dict(self._next)

    @property
    def unstored(self) -> int:
        """How far was read since the last flush, in offsets."""
        return sum(self._next.values()) - sum(self._stored.values())

    def is_ahead_of(self, stored: Mapping[tuple[int, int], int]) -> bool:
        """Whether the database (`stored_offsets`) has less than was stored. Another relay only adds to it."""
        return any(stored.get((self._pk, part), -1) < offset for part, offset in self._stored.items())

    def add(self, message: Message) -> None:
        """Add a record; one that is not a result only advances the offset."""
        partition, offset = message.partition() or 0, message.offset() or 0
        if offset < self._next[partition]:
            return
        self._next[partition] = offset + 1
        try:
            record = read_record(message, self._keys)
        except ResultRecordError:
            self.stats.foreign += 1
            return
        if not self._fence.admits(partition, record.epoch, record.timestamp_ms):
            self.stats.fenced += 1
            return
        self.stats.count(record)
        self._newest[record.key] = record

    def flush(self) -> TopicFlush:
        """Content to store. It stays in the buffer until `mark_stored` is called."""
        advances = {
            partition: (self._stored[partition], now)
            for partition, now in self._next.items()
            if now != self._stored[partition]
        }
        source = self.source
        return TopicFlush(
            self._pk,
            source.job_id,
            source.generation,
            source.topic,
            list(self._newest.values()),
            advances,
            self._fence,
        )

    def mark_stored(self) -> None:
        """Clear the buffer after its content was stored."""
        self._newest.clear()
        self._keys.clear()
        self._stored = dict(self._next)

    def take_stats(self) -> TopicStats:
        """Statistics since the last call."""
        stats, self.stats = self.stats, TopicStats()
        return stats
