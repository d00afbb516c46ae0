"""Reads the records of one source that may have made a row, within limits, and says how far it looked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from confluent_kafka import Message

from jobs.base.durations import parse_duration
from jobs.base.instants import datetime_of, nearest_instant
from jobs.formats.records import Row
from jobs.kafka_messages import StartPosition
from jobs.plan.model import Node
from weir.clusters.services.offsets import watermarks
from weir.diagnosis.services.input_bounds import InputBounds
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.traced.rows import source_row
from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.decoding import decoded_or_refused, timestamp_us
from weir.streams.services.scan import Budget, OffsetRange, scan
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import ServiceError

MAX_RECORDS: Final = 100_000  # of all sources together
MAX_BYTES: Final = 8 * 1024 * 1024
MAX_SECONDS: Final = 3.0
MAX_KEPT: Final = 5_000  # records of one source within the bounds
_DISORDER_MS: Final = 10_000  # by which Kafka timestamps of one partition may be out of order

State = Literal["read", "not_needed", "deleted", "recreated", "unreachable", "failed"]


@dataclass(frozen=True, slots=True)
class InputRead:
    """What was read of a source.

    Attributes:
        state: whether it was read, and otherwise why not; not_needed: the row has no record of it.
        detail: of a source that could not be read.
        rows: the records within the bounds, with trails.
        messages: the same as they were read, by partition and offset.
        read: records that were looked at.
        complete: no record within the bounds is left that Kafka still has.
        expired: records that may be within the bounds are no longer in Kafka.
        oldest_us: Kafka timestamp of the oldest record that was looked at; None: none was.
        unreadable: malformed records, and those too large to be decoded here, that were looked at.
        unknown_start: where the run began to read the source is not recorded.
    """

    state: State
    detail: str = ""
    rows: tuple[SampledRow, ...] | None = None
    messages: dict[tuple[int, int], Message] = field(default_factory=dict)
    read: int = 0
    complete: bool = False
    expired: bool = False
    oldest_us: int | None = None
    unreadable: int = 0
    unknown_start: bool = False


NOT_NEEDED: Final = InputRead("not_needed", rows=(), complete=True)


@dataclass(frozen=True, slots=True)
class InputWish:
    """What is to be read of a source.

    Attributes:
        bounds: at least one; a record is within one of them.
        start: where the generation began to read it; None: unknown.
        newest_us: Kafka timestamp of the newest record inside the row.
        records: to look at, at most.
    """

    bounds: Sequence[InputBounds]
    start: StartPosition | None
    newest_us: int
    records: int = MAX_RECORDS


def read_inputs(ref: TopicRef, node: Node, wish: InputWish) -> InputRead:
    """Read what may have made a row, newest first.

    Args:
        ref: topic of the source.
        node: the source in the plan.
        wish: what is to be read.

    Raises:
        NotFoundError: the topic doesn't exist.
        UnreachableError: the cluster doesn't answer.
        BusyError: the topic has large batches, and others read such topics.
    """
    search = _Search(ref, node, wish)
    if all(one.record is not None for one in wish.bounds):
        return search.single_records()
    return search.newest_first()


@dataclass
class _Search:
    ref: TopicRef
    node: Node
    wish: InputWish
    rows: list[SampledRow] = field(default_factory=list)
    messages: dict[tuple[int, int], Message] = field(default_factory=dict)
    oldest_us: int | None = None
    unreadable: int = 0
    left_out: bool = False

    def single_records(self) -> InputRead:
        """The records whose coordinates are known."""
        asked = watermarks(self.ref.profile, _partitions(self.ref), committed=True)
        logs = {at[1]: both for at, both in asked.items()}
        read, missing, expired = 0, False, False
        for place in {one.record for one in self.wish.bounds if one.record is not None}:
            low, high = logs.get(place.partition, (0, 0))
            if not low <= place.offset < high:
                expired = True
                continue
            wanted = OffsetRange(place.offset, place.offset + 1, low, high)
            found = scan(self.ref.profile, self.ref.topic, {place.partition: wanted}, 1, accepts=self.accepts)
            read += found.read
            missing = missing or found.stop_reason == "timeout"
            expired = expired or (not found.read and found.stop_reason != "timeout")
        return self._result(read, complete=not missing, expired=expired)

    def newest_first(self) -> InputRead:
        """The newest records within the bounds."""
        query = BrowseQuery(
            limit=MAX_KEPT,
            time_ms=self._since_ms(),
            until_ms=self._until_ms(),
            budget=Budget(self.wish.records, MAX_BYTES, MAX_SECONDS),
        )
        page = scan_page(self.ref, query, self.accepts)
        partitions = page.scan["partitions"]
        expired = not page.next_offsets and any(
            part["range_start"] == part["log_start"] > self._first_offset(part["partition"])
            for part in partitions
        )
        return self._result(
            page.scan["records"], complete=not page.next_offsets and not self.left_out, expired=expired
        )

    def _result(self, read: int, *, complete: bool, expired: bool) -> InputRead:
        start = self.wish.start
        return InputRead(
            "read",
            rows=tuple(self.rows),
            messages=self.messages,
            read=read,
            complete=complete,
            expired=expired,
            oldest_us=self.oldest_us,
            unreadable=self.unreadable,
            unknown_start=start is None or start.kind == "latest",
        )

    def accepts(self, message: Message) -> bool:
        """Whether a record is within the bounds; it is kept then."""
        at_us = timestamp_us(message)
        self.oldest_us = at_us if self.oldest_us is None else min(self.oldest_us, at_us)
        partition, offset = message.partition() or 0, message.offset() or 0
        if not self._was_read(partition, offset, at_us):
            return False
        row = self._row(message)
        if row is None or not any(one.holds(row, partition, offset) for one in self.wish.bounds):
            return False
        if len(self.rows) >= MAX_KEPT:
            self.left_out = True
            return False
        system: dict[str, Any] = {
            "_time": datetime_of(row.event_time),
            "_timestamp": datetime_of(nearest_instant(at_us)),
            "_source": self.node.name,
            "_partition": partition,
            "_offset": offset,
        }
        self.rows.append(
            source_row(
                self.node, {**row.values, **system}, row.event_time, partition, offset, deleted=row.deleted
            )
        )
        self.messages[partition, offset] = message
        return True

    def _row(self, message: Message) -> Row | None:
        contract = self.ref.contract
        assert contract is not None
        try:
            found = decoded_or_refused(message, contract, self.ref.schema_of)
        except ServiceError:
            self.unreadable += 1
            return None
        return found if isinstance(found, Row) else None

    def _was_read(self, partition: int, offset: int, at_us: int) -> bool:
        """Whether the run can have read a record before it wrote the row."""
        start = self.wish.start
        if not self._of_table and at_us > self.wish.newest_us:
            return False
        if start is not None and start.kind == "time" and start.at_us is not None and at_us < start.at_us:
            return False
        return offset >= self._first_offset(partition)

    def _first_offset(self, partition: int) -> int:
        start = self.wish.start
        return start.offsets.get(partition, 0) if start is not None and start.kind == "offsets" else 0

    @property
    def _of_table(self) -> bool:
        """The newest record inside a row is one of its streams: entries of joined tables may be newer."""
        return any(one.as_table for one in self.wish.bounds)

    def _since_ms(self) -> int | None:
        """The first Kafka timestamp that a record within the bounds can have; None: any."""
        contract = self.ref.contract
        assert contract is not None
        froms = [one.from_us for one in self.wish.bounds if one.from_us is not None]
        if len(froms) < len(self.wish.bounds):
            return None
        if contract.event_time.kind == "kafka_timestamp":
            return min(froms) // 1_000
        if contract.max_ahead is None:
            return None
        return max(0, min(froms) - parse_duration(contract.max_ahead).us) // 1_000

    def _until_ms(self) -> int | None:
        return None if self._of_table else self.wish.newest_us // 1_000 + _DISORDER_MS


def _partitions(ref: TopicRef) -> dict[str, int]:
    return {ref.topic: ref.partitions}
