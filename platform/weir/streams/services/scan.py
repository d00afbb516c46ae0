"""Bounded reads of a topic that report exactly which offsets they scanned."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import consumer
from weir.clusters.services.message_headers import headers_of
from weir.clusters.services.reachability import translate_errors
from weir.streams.services.large_batches import FIRST_RECORD_S, large_batches
from weir.workspaces.services.idle_connections import give_back_connections

MAX_BYTES: Final = 8 * 1024 * 1024
TIMEOUT_S: Final = 4.0

MAX_RECORDS: Final = 200_000
MAX_KEPT_BYTES: Final = 8 * 1024 * 1024  # of records that match and are kept in memory

LARGE_BYTES: Final = 32 * 1024 * 1024  # unpacked, of what one fetch of each partition may hold
_QUICK_S: Final = 0.5  # until the first record; a gigabyte takes seconds to unpack
_SLOW_S: Final = 2.0
_FETCH_BYTES: Final = 1_048_576
_COMMITTED: Final = "read_committed"
_UNCOMMITTED: Final = "read_uncommitted"
_HEADER_BYTES: Final = 16  # a header costs more than its name and content

StopReason = Literal["limit", "end", "time", "bytes", "records", "timeout"]
RecordFilter = Callable[[Message], bool]


@dataclass(frozen=True)
class Budget:
    """Limits of one scan: records and bytes read, whether they match or not, and seconds."""

    records: int = MAX_RECORDS
    size: int = MAX_BYTES
    seconds: float = TIMEOUT_S


@dataclass(frozen=True)
class OffsetRange:
    """The offsets of a partition to read, `end` excluded. `log_start` and `log_end`
    bound what the broker retains.
    """

    start: int
    end: int
    log_start: int
    log_end: int


@dataclass
class Scan:
    """Matching records, and how far the scan came.

    Attributes:
        messages: records that matched, in the order in which they were read.
        positions: partition → next offset that was not scanned.
        ranges: partition → offsets to scan.
        read: records that were read, whether they matched or not.
        size: bytes of their keys and values.
        elapsed_ms: time spent.
        stop_reason: enough matches, everything scanned, a limit of bytes or records, or a timeout.
    """

    ranges: dict[int, OffsetRange]
    messages: list[Message] = field(default_factory=list)
    read: int = 0
    positions: dict[int, int] = field(default_factory=dict)
    size: int = 0
    elapsed_ms: int = 0
    stop_reason: StopReason = "end"

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "partitions": [
                {
                    "partition": p,
                    "from": s.start,
                    "to": self.positions[p],
                    "range_start": s.start,
                    "range_end": s.end,
                    "log_start": s.log_start,
                    "log_end": s.log_end,
                }
                for p, s in sorted(self.ranges.items())
            ],
            "records": self.read,
            "bytes": self.size,
            "elapsed_ms": self.elapsed_ms,
            "stop_reason": self.stop_reason,
        }


def size_of(message: Message) -> int:
    """Bytes of a record's key, value and headers."""
    headers = headers_of(message)
    return (
        len(message.value() or b"")
        + len(message.key() or b"")
        + sum(_HEADER_BYTES + len(name) + len(content or b"") for name, content in headers)
    )


def scan(
    profile: ClusterProfile,
    topic: str,
    ranges: dict[int, OffsetRange],
    limit: int,
    *,
    accepts: RecordFilter | None = None,
    budget: Budget | None = None,
    committed: bool = True,
) -> Scan:
    """Read until `limit` records matched, all ranges are scanned, or the budget is spent.

    Args:
        profile: of the cluster.
        topic: its name.
        ranges: partition → offsets to scan.
        limit: number of matching records.
        accepts: the filter; None: every record matches.
        budget: limits of the scan; None: the defaults.
        committed: leave out records of transactions that are open or were aborted. A scan waits before the
            first that is open.

    Raises:
        UnreachableError: the cluster does not answer.
        BusyError: the topic has large batches, and others scan such topics for 30 s already.
    """
    found = Scan(ranges, positions={partition: span.start for partition, span in ranges.items()})
    open_partitions = {partition for partition, span in ranges.items() if span.start < span.end}
    if not open_partitions:
        return found
    give_back_connections()  # Kafka may take seconds, and others need the few that a process has
    with large_batches.turn(profile, topic):
        wanted = open_partitions, limit, accepts, budget or Budget()
        _scan(found, profile, topic, wanted, _COMMITTED if committed else _UNCOMMITTED)
    return found


def _scan(
    found: Scan,
    profile: ClusterProfile,
    topic: str,
    wanted: tuple[set[int], int, RecordFilter | None, Budget],
    isolation: str,
) -> None:
    began = time.monotonic()
    large = large_batches.is_large(profile, topic)
    reader = _Reader(found, *wanted, began=began, patient=large)
    client = consumer(
        profile,
        fetch_wait_max_ms=20,
        max_partition_fetch_bytes=_FETCH_BYTES,
        queued_max_messages_kbytes=16_384,
        isolation_level=isolation,
    )
    try:
        with translate_errors(profile):
            reader.run(client, topic)
    finally:
        client.close()
    if reader.large or (reader.saw_records and not large):
        large_batches.note(profile, topic, large=reader.large)
    found.elapsed_ms = int((time.monotonic() - began) * 1000)


def _value_bytes(message: Message) -> int:
    return len(message.value() or b"")


class _Reader:
    """Reads the records of one scan."""

    def __init__(
        self,
        found: Scan,
        open_partitions: set[int],
        limit: int,
        accepts: RecordFilter | None,
        budget: Budget,
        *,
        began: float,
        patient: bool,
    ) -> None:
        self.large = False  # nothing came in seconds, or far more at once than is fetched
        self._found = found
        self._open = open_partitions
        self._limit = limit
        self._accepts = accepts
        self._budget = budget
        self._began = began
        self._waited: float | None = None  # seconds until the first record
        self._deadline = began + (max(FIRST_RECORD_S, budget.seconds) if patient else budget.seconds)
        self._kept = 0

    @property
    def saw_records(self) -> bool:
        """Whether anything came."""
        return self._waited is not None

    def run(self, client: Consumer, topic: str) -> None:
        """Read until there is a reason to stop."""
        found = self._found
        client.assign(
            [
                TopicPartition(topic, partition, found.ranges[partition].start)
                for partition in sorted(self._open)
            ]
        )
        while self._open and found.stop_reason == "end":
            left = self._deadline - time.monotonic()
            if left <= 0:
                found.stop_reason = "timeout"
                # A piece of a search may have less time than a consumer needs to connect
                self.large |= not self.saw_records and self._deadline - self._began >= _SLOW_S
                return
            messages = client.consume(
                500 if self._accepts else min(self._limit, 500), timeout=min(left, 0.05)
            )
            if messages and self._waited is None:
                self._waited = time.monotonic() - self._began
                self._deadline = min(self._deadline, time.monotonic() + self._budget.seconds)
            self.large |= sum(map(_value_bytes, messages)) > LARGE_BYTES
            for message in messages:
                self._take(message)
        if self._waited is not None and self._waited > _QUICK_S and not self.large:
            # What was unpacked beside the records that were wanted.
            self.large = self._waited > _SLOW_S or sum(map(_value_bytes, client.consume(64, 0))) > LARGE_BYTES

    def _take(self, message: Message) -> None:
        found, partition = self._found, message.partition()
        if found.stop_reason != "end":
            # The end of a partition after records that are left for the next scan must not count either
            return
        if message.error() is not None:
            self._take_error(message)
            return
        if partition is None or partition not in self._open:
            return
        offset = message.offset() or 0
        end = found.ranges[partition].end
        if offset < end:
            found.positions[partition] = offset + 1
            self._add(message)
        if offset >= end - 1:
            found.positions[partition] = end
            self._open.discard(partition)
        if self._open:
            found.stop_reason = self._reason()

    def _add(self, message: Message) -> None:
        """Count a record, and keep it if it matches."""
        found = self._found
        found.read += 1
        found.size += size_of(message)
        if self._accepts is None or self._accepts(message):
            found.messages.append(message)
            self._kept += size_of(message)

    def _reason(self) -> StopReason:
        if len(self._found.messages) >= self._limit:
            return "limit"
        if self._found.size >= self._budget.size or self._kept >= MAX_KEPT_BYTES:
            return "bytes"
        if self._found.read >= self._budget.records:
            return "records"
        # A filter may be slow, and a batch has hundreds of records.
        return "timeout" if time.monotonic() > self._deadline else "end"

    def _take_error(self, message: Message) -> None:
        """The end of a partition completes it (compaction and transaction markers leave holes); a
        lost position ends the scan.

        A position is lost when retention overtakes it, or when a busy broker does not answer in time. The
        next scan continues at the first offset that is available then. A scan has no use for its group.
        """
        error, partition = message.error(), message.partition()
        if error is None:
            return
        if error.code() == KafkaError._PARTITION_EOF:
            if partition in self._open and (message.offset() or 0) >= self._found.ranges[partition].end:
                self._found.positions[partition] = self._found.ranges[partition].end
                self._open.discard(partition)
        elif error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
            self._found.stop_reason = "timeout"
        elif error.code() != KafkaError.GROUP_AUTHORIZATION_FAILED and not error.retriable():
            raise KafkaException(error)
