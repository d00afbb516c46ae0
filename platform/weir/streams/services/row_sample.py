"""The newest records of a stream as rows, in the order in which they were written."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import merge

from confluent_kafka import Message

from jobs.base.budget import OverBudget
from jobs.formats.heartbeats import heartbeat_time
from jobs.formats.records import Malformed, Row, Skipped
from weir.clusters.services.message_headers import headers_of
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
        examples: (partition, offset) of the newest malformed record of each reason.
        newest_by_partition: greatest Kafka timestamp of each partition that has records.
        heartbeat_us: greatest instant of its heartbeats; None: it has none.
        outcomes: Kafka timestamp of every decoded record, and whether it is malformed, in order.
    """

    read: int
    rows: tuple[SampledRecord, ...]
    malformed: tuple[tuple[str, int, str], ...]
    newest_us: int | None
    oldest_us: int | None
    unread: frozenset[int] | None = None
    examples: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    newest_by_partition: Mapping[int, int] = field(default_factory=dict)
    heartbeat_us: int | None = None
    outcomes: tuple[tuple[int, bool], ...] = ()

    @property
    def malformed_count(self) -> int:
        """How many records are malformed."""
        return sum(count for _, count, _ in self.malformed)

    def malformed_since_us(self, share: float) -> int | None:
        """Kafka timestamp of the oldest malformed record from which on so many are malformed; None: of none.

        Args:
            share: at least so many, from 0 to 1.
        """
        since, bad = None, 0
        for read, (at_us, malformed) in enumerate(reversed(self.outcomes), 1):
            bad += malformed
            if malformed and bad >= share * read:
                since = at_us
        return since


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
    examples: dict[str, tuple[int, int]] = {}
    outcomes: list[tuple[int, bool]] = []
    heartbeats: list[int] = []
    read = 0
    with page_budget(), suppress(OverBudget):
        for message in messages:
            found = decoded(message, contract, ref.schema_of)
            read += 1
            place = (message.partition() or 0, message.offset() or 0)
            outcomes.append((timestamp_us(message), isinstance(found, Malformed)))
            if isinstance(found, Malformed):
                known, detail = reasons.get(found.reason, (0, found.detail))
                reasons[found.reason] = (known + 1, detail)
                examples[found.reason] = place
            elif isinstance(found, Skipped):
                headers = headers_of(message)
                moment = heartbeat_time(headers, contract, timestamp_us(message))
                heartbeats += [] if moment is None else [moment]
            else:
                rows.append(SampledRecord(found, *place, timestamp_us(message)))
    newest: dict[int, int] = {}
    for message in messages:
        partition = message.partition() or 0
        newest[partition] = max(newest.get(partition, 0), timestamp_us(message))
    times = [timestamp_us(message) for message in messages]
    ordered = sorted(reasons.items(), key=lambda one: -one[1][0])
    return RowSample(
        read=read,
        rows=tuple(rows),
        malformed=tuple((reason, count, detail) for reason, (count, detail) in ordered),
        newest_us=max(times, default=None),
        oldest_us=min(times, default=None),
        unread=_unread(scanned) if read == len(messages) else None,
        examples=examples,
        newest_by_partition=newest,
        heartbeat_us=max(heartbeats, default=None),
        outcomes=tuple(outcomes),
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
