"""Reading a bounded stretch of a topic, and saying exactly how far it was looked."""

import time
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from jobs.connections import ClusterProfile
from weir.clusters.clients import consumer
from weir.clusters.topics import asking

MAX_BYTES: Final = 8 * 1024 * 1024
TIMEOUT_S: Final = 4.0

Because = Literal["limit", "end", "time", "bytes", "timeout"]


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
        messages: the records, as they came.
        positions: partition → next offset that was not looked at.
        stretches: partition → what was asked for.
        size: bytes of keys and values.
        elapsed_ms: time spent.
        because: why it ended: enough records, all looked at, enough bytes, or no more time.
    """

    stretches: dict[int, Stretch]
    messages: list[Message] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)
    size: int = 0
    elapsed_ms: int = 0
    because: Because = "end"

    def looked(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "partitions": [
                {"partition": p, "from": s.first, "to": self.positions[p], "start": s.log_start, "end": s.log_end}
                for p, s in sorted(self.stretches.items())
            ],
            "records": len(self.messages),
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
    max_bytes: int = MAX_BYTES,
    timeout_s: float = TIMEOUT_S,
) -> Scan:
    """Read until `limit` records, the ends of all stretches, `max_bytes` or `timeout_s`, whichever comes first.

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
            _read(client, topic, found, open_partitions, limit, max_bytes, began + timeout_s)
    finally:
        client.close()
    found.elapsed_ms = int((time.monotonic() - began) * 1000)
    return found


def _read(client: Consumer, topic: str, found: Scan, open_partitions: set[int], limit: int, max_bytes: int, deadline: float) -> None:
    client.assign([TopicPartition(topic, partition, found.stretches[partition].first) for partition in sorted(open_partitions)])
    while open_partitions and found.because == "end":
        left = deadline - time.monotonic()
        if left <= 0:
            found.because = "timeout"
            return
        for message in client.consume(min(limit, 500), timeout=min(left, 0.05)):
            _take(found, message, open_partitions, limit, max_bytes)


def _take(found: Scan, message: Message, open_partitions: set[int], limit: int, max_bytes: int) -> None:
    partition, error = message.partition(), message.error()
    if error is not None:
        _take_error(found, message, open_partitions)
        return
    if partition is None or partition not in open_partitions or found.because in ("limit", "bytes"):
        return
    offset = message.offset() or 0
    end = found.stretches[partition].end
    if offset < end:
        found.messages.append(message)
        found.positions[partition] = offset + 1
        found.size += len(message.value() or b"") + len(message.key() or b"")
    if offset >= end - 1:
        found.positions[partition] = end
        open_partitions.discard(partition)
    if len(found.messages) >= limit and open_partitions:
        found.because = "limit"
    elif found.size >= max_bytes and open_partitions:
        found.because = "bytes"


def _take_error(found: Scan, message: Message, open_partitions: set[int]) -> None:
    """An end of partition closes it (compaction and transaction markers leave holes); records gone meanwhile close it too."""
    error, partition = message.error(), message.partition()
    if error is None:
        return
    if error.code() in (KafkaError._PARTITION_EOF, KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE) and partition is not None:
        if partition in open_partitions:
            found.positions[partition] = found.stretches[partition].end
            open_partitions.discard(partition)
        return
    if not error.retriable():
        raise KafkaException(error)
