"""One result topic between two flushes: the newest record per key, and how far it was read."""

from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import Message

from weir.relay.sources import ResultSource
from weir.results.fencing import Fence
from weir.results.records import ResultRecord, ResultRecordError, read_record
from weir.results.services import TopicFlush, TopicPosition

_MAX_LATENCIES: Final = 2_000


@dataclass(slots=True)
class Flow:
    """What went by since the last tick, for the history: results, and how old their newest input was when they arrived."""

    rows: int = 0
    foreign: int = 0  # records that are no results of ours
    fenced: int = 0  # results of an engine that was replaced
    latencies_ms: list[float] = field(default_factory=list)
    newest_input_us: int = 0

    def count(self, record: ResultRecord) -> None:
        """Take one result into account."""
        self.rows += 1
        self.newest_input_us = max(self.newest_input_us, record.newest_input_us)
        if record.value is not None and len(self.latencies_ms) < _MAX_LATENCIES:
            self.latencies_ms.append(record.timestamp_ms - record.newest_input_us / 1000)

    @property
    def latency_ms_p50(self) -> float | None:
        """The median delay, or None when nothing went by."""
        return sorted(self.latencies_ms)[len(self.latencies_ms) // 2] if self.latencies_ms else None


class TopicFold:
    """Folds what is read of one topic until it is stored."""

    def __init__(self, source: ResultSource, position: TopicPosition, offsets: dict[int, int]) -> None:
        self.source = source
        self.flow = Flow()
        self._pk = position.pk
        self._stored = dict(offsets)  # what the database holds
        self._next = dict(offsets)  # what was read
        self._fence: Fence = position.fence
        self._newest: dict[str, ResultRecord] = {}

    def __len__(self) -> int:
        return len(self._newest)

    @property
    def moved(self) -> bool:
        """True when something was read since the last flush."""
        return self._next != self._stored

    def add(self, message: Message) -> None:
        """Take in a record; one that is not a result only moves the offset."""
        partition, offset = message.partition() or 0, message.offset() or 0
        if offset < self._next.get(partition, 0):
            return
        self._next[partition] = offset + 1
        try:
            record = read_record(message)
        except ResultRecordError:
            self.flow.foreign += 1
            return
        if not self._fence.admits(partition, record.epoch, record.timestamp_ms):
            self.flow.fenced += 1
            return
        self.flow.count(record)
        self._newest[record.key] = record

    def flush(self) -> TopicFlush:
        """What has to be stored now; it stays here until `stored` is called."""
        advances = {partition: (self._stored[partition], now) for partition, now in self._next.items() if now != self._stored[partition]}
        source = self.source
        return TopicFlush(self._pk, source.job_id, source.generation, source.topic, list(self._newest.values()), advances, self._fence)

    def stored(self) -> None:
        """The last `flush` is in the database."""
        self._newest.clear()
        self._stored = dict(self._next)

    def take_flow(self) -> Flow:
        """What went by since the last call."""
        flow, self.flow = self.flow, Flow()
        return flow
