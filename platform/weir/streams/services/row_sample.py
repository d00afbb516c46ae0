"""The newest records of a stream as rows, in the order in which they were written."""

from contextlib import suppress
from dataclasses import dataclass
from heapq import merge

from confluent_kafka import Message

from jobs.base.budget import OverBudget
from jobs.formats.records import Malformed, Row
from weir.streams.services.decoding import decoded, page_budget, timestamp_us
from weir.streams.services.sampling import newest_records
from weir.streams.services.scan import Scan
from weir.streams.services.topic_ref import TopicRef


@dataclass(frozen=True, slots=True)
class SampledRecord:
    """A well-formed record: its row, coordinates, and Kafka timestamp in µs."""

    row: Row
    partition: int
    offset: int
    timestamp_us: int


@dataclass(frozen=True, slots=True)
class RowSample:
    """A decoded sample.

    Attributes:
        read: records that were decoded; fewer than were asked for where decoding costs too much.
        rows: the well-formed ones, deletions included. Within a partition they are in its order, and between
            partitions in that of their Kafka timestamps.
        malformed: (reason, records, detail of one), most frequent first.
        newest_us: greatest Kafka timestamp of all records; None: there is none.
        oldest_us: smallest of them; None: there is none.
        unread: partitions with older records that were not read; None: newest ones were not read either.
    """

    read: int
    rows: tuple[SampledRecord, ...]
    malformed: tuple[tuple[str, int, str], ...]
    newest_us: int | None
    oldest_us: int | None
    unread: frozenset[int] | None = None

    @property
    def malformed_count(self) -> int:
        """How many records are malformed."""
        return sum(count for _, count, _ in self.malformed)


def row_sample(ref: TopicRef, limit: int) -> RowSample:
    """Read and decode the newest records.

    Args:
        ref: a stream's topic.
        limit: number of records.

    Raises:
        ValueError: the topic is no stream.
        NotFoundError: the topic doesn't exist.
        UnreachableError: the cluster doesn't answer.
        BusyError: the topic has large batches, and others read such topics.
    """
    contract = ref.contract
    if contract is None:
        raise ValueError(f"{ref.topic} is no stream")
    scanned = newest_records(ref, limit)
    messages = in_order(scanned.messages)
    rows: list[SampledRecord] = []
    reasons: dict[str, tuple[int, str]] = {}
    read = 0
    with page_budget(), suppress(OverBudget):
        for message in messages:
            found = decoded(message, contract, ref.schema_of)
            read += 1
            if isinstance(found, Malformed):
                known, detail = reasons.get(found.reason, (0, found.detail))
                reasons[found.reason] = (known + 1, detail)
            elif isinstance(found, Row):
                place = (message.partition() or 0, message.offset() or 0)
                rows.append(SampledRecord(found, *place, timestamp_us(message)))
    times = [timestamp_us(message) for message in messages]
    ordered = sorted(reasons.items(), key=lambda one: -one[1][0])
    return RowSample(
        read=read,
        rows=tuple(rows),
        malformed=tuple((reason, count, detail) for reason, (count, detail) in ordered),
        newest_us=max(times, default=None),
        oldest_us=min(times, default=None),
        unread=_unread(scanned) if read == len(messages) else None,
    )


def _unread(scanned: Scan) -> frozenset[int] | None:
    """Partitions whose older records were not read; None where the scan ended before the newest."""
    if any(scanned.positions[partition] < wanted.end for partition, wanted in scanned.ranges.items()):
        return None
    return frozenset(
        partition for partition, wanted in scanned.ranges.items() if wanted.start > wanted.log_start
    )


def in_order(messages: list[Message]) -> list[Message]:
    """Partitions merged by timestamp, each in its own order."""
    by_partition: dict[int | None, list[Message]] = {}
    for message in messages:
        by_partition.setdefault(message.partition(), []).append(message)
    return list(merge(*by_partition.values(), key=timestamp_us))
