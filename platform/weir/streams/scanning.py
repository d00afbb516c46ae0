"""Reading a bounded stretch of a topic, and saying exactly how far it was looked."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from jobs.connections import ClusterProfile
from weir.clusters.clients import consumer
from weir.clusters.topics import asking

MAX_BYTES: Final = 8 * 1024 * 1024
TIMEOUT_S: Final = 4.0

MAX_RECORDS: Final = 200_000

Because = Literal["limit", "end", "time", "bytes", "records", "timeout"]
Keep = Callable[[Message], bool]


@dataclass(frozen=True)
class Budget:
    """How much one look may cost: records and bytes that are read, kept or not, and seconds."""

    records: int = MAX_RECORDS
    size: int = MAX_BYTES
    seconds: float = TIMEOUT_S


@dataclass(frozen=True)
class Stretch:
    """The part of a partition to read: `first` is read, `end` is not. `log_start` and `log_end` are what the broker holds."""

    first: int
    end: int
    log_start: int
    log_end: int


@dataclass
class Scan:
    """What was found, and how far was looked.

    Attributes:
        messages: the records that were kept, as they came.
        positions: partition → next offset that was not looked at.
        stretches: partition → what was asked for.
        read: records that were looked at, kept or not.
        size: bytes of their keys and values.
        elapsed_ms: time spent.
        because: why it ended: enough kept, all looked at, enough bytes or records read, or no more time.
    """

    stretches: dict[int, Stretch]
    messages: list[Message] = field(default_factory=list)
    read: int = 0
    positions: dict[int, int] = field(default_factory=dict)
    size: int = 0
    elapsed_ms: int = 0
    because: Because = "end"

    def looked(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "partitions": [
                {
                    "partition": p,
                    "from": s.first,
                    "to": self.positions[p],
                    "first": s.first,
                    "last": s.end,
                    "start": s.log_start,
                    "end": s.log_end,
                }
                for p, s in sorted(self.stretches.items())
            ],
            "records": self.read,
            "bytes": self.size,
            "elapsed_ms": self.elapsed_ms,
            "stopped_because": self.because,
        }


def scan(
    profile: ClusterProfile,
    topic: str,
    stretches: dict[int, Stretch],
    limit: int,
    *,
    keep: Keep | None = None,
    budget: Budget | None = None,
) -> Scan:
    """Read until `limit` records are kept, the ends of all stretches or the end of the budget, whichever comes first.

    Args:
        profile: which cluster.
        topic: which topic.
        stretches: partition → what to read of it.
        limit: records to keep.
        keep: which records; None: all.
        budget: what it may cost; None: the usual.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    began = time.monotonic()
    found = Scan(stretches, positions={partition: stretch.first for partition, stretch in stretches.items()})
    open_partitions = {partition for partition, stretch in stretches.items() if stretch.first < stretch.end}
    if not open_partitions:
        return found
    client = consumer(profile, fetch_wait_max_ms=20, max_partition_fetch_bytes=1_048_576, queued_max_messages_kbytes=16_384)
    try:
        with asking(profile):
            _Reading(found, open_partitions, limit, keep, budget or Budget(), began).run(client, topic)
    finally:
        client.close()
    found.elapsed_ms = int((time.monotonic() - began) * 1000)
    return found


class _Reading:
    """One scan while it goes on."""

    def __init__(self, found: Scan, open_partitions: set[int], limit: int, keep: Keep | None, budget: Budget, began: float) -> None:
        self._found = found
        self._open = open_partitions
        self._limit = limit
        self._keep = keep
        self._budget = budget
        self._deadline = began + budget.seconds

    def run(self, client: Consumer, topic: str) -> None:
        """Read until there is a reason to stop."""
        found = self._found
        client.assign([TopicPartition(topic, partition, found.stretches[partition].first) for partition in sorted(self._open)])
        while self._open and found.because == "end":
            left = self._deadline - time.monotonic()
            if left <= 0:
                found.because = "timeout"
                return
            for message in client.consume(500 if self._keep else min(self._limit, 500), timeout=min(left, 0.05)):
                self._take(message)

    def _take(self, message: Message) -> None:
        found, partition = self._found, message.partition()
        if found.because != "end":
            return  # an end of partition behind records that are left for the next look must not count either
        if message.error() is not None:
            self._take_error(message)
            return
        if partition is None or partition not in self._open:
            return
        offset = message.offset() or 0
        end = found.stretches[partition].end
        if offset < end:
            found.read += 1
            found.size += len(message.value() or b"") + len(message.key() or b"")
            found.positions[partition] = offset + 1
            if self._keep is None or self._keep(message):
                found.messages.append(message)
        if offset >= end - 1:
            found.positions[partition] = end
            self._open.discard(partition)
        if self._open:
            found.because = self._reason()
            if found.because == "end" and time.monotonic() > self._deadline:
                found.because = "timeout"  # a condition may take long, and a batch has hundreds of records

    def _reason(self) -> Because:
        if len(self._found.messages) >= self._limit:
            return "limit"
        if self._found.size >= self._budget.size:
            return "bytes"
        return "records" if self._found.read >= self._budget.records else "end"

    def _take_error(self, message: Message) -> None:
        """An end of partition closes it (compaction and transaction markers leave holes); a lost place ends the look where it is.

        A place is lost when retention overtakes it, and when a busy broker does not answer in time: what was not looked at is
        left for the next look, which begins at what is there then.
        """
        error, partition = message.error(), message.partition()
        if error is None:
            return
        if error.code() == KafkaError._PARTITION_EOF:
            if partition in self._open and (message.offset() or 0) >= self._found.stretches[partition].end:
                self._found.positions[partition] = self._found.stretches[partition].end
                self._open.discard(partition)
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            self._found.because = "timeout"
        elif not error.retriable():
            raise KafkaException(error)
