"""A full scan of a table's topic, in as many requests as it takes: finds the rows of the next
keys in order, or of one key.

Kafka has no index, so each page needs a scan of the whole topic. Memory is bounded whatever the topic's size:
the scan holds the entries of the smallest keys after the previous page, and a sketch that estimates the
number of rows. Once the scan is complete, its page is exact for the moment at which the scan started.
"""

from bisect import insort
from dataclasses import dataclass, field
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.instants import instant_text, nearest_instant
from jobs.formats.contract import StreamContract
from jobs.formats.records import Malformed, Row
from weir.clusters.services.offsets import watermarks
from weir.streams.services.decoding import decoded_or_refused, page_budget, timestamp_us
from weir.streams.services.scan import Budget, OffsetRange, Scan, scan
from weir.streams.services.table_keys import Key, key_of, key_text
from weir.streams.services.tables.sketch import KeySketch, digest
from weir.streams.services.topic_ref import TopicRef

MAX_ENTRY_BYTES: Final = 4 * 1024 * 1024
_VALUE_BYTES: Final = 10  # of JSON, at least: a member that a record lacks is null in its row


@dataclass(frozen=True)
class Entry:
    """The newest record of a key. `json` is the API's form of it; its row is None if the key was deleted."""

    event_time: int
    json: dict[str, Any]
    size: int

    @property
    def deleted(self) -> bool:
        """True if the newest record deletes the row of this key."""
        return self.json["row"] is None


@dataclass
class TableScan:
    """The state of a scan.

    Attributes:
        after: keys up to this one are on earlier pages; None: the first page.
        only: the only key to find; None: the next keys in order.
        limit: maximum number of keys.
        ranges: partition → offsets that the topic had when the scan started.
        positions: partition → next offset to scan.
        entries: the newest entry by key.
        order: keys of `entries`, ascending.
        bound: keys from here on are left to later pages; None: no key was left out yet.
        sketch: estimates the number of rows; None: not needed.
        newest_us: the newest Kafka timestamp seen.
        malformed: records without a valid key, and malformed values of records that had to be decoded.
        size: bytes of `entries`.
    """

    after: Key | None
    only: Key | None
    limit: int
    ranges: dict[int, OffsetRange]
    positions: dict[int, int]
    entries: dict[Key, Entry] = field(default_factory=dict)
    order: list[Key] = field(default_factory=list)
    bound: Key | None = None
    sketch: KeySketch | None = None
    newest_us: int = 0
    malformed: int = 0
    size: int = 0

    @property
    def complete(self) -> bool:
        """True when the whole topic was scanned."""
        return all(self.positions[p] >= span.end for p, span in self.ranges.items())


def start(
    ref: TopicRef, *, after: Key | None = None, only: Key | None = None, limit: int = 1, counts: bool = False
) -> TableScan:
    """A new scan, before its first record.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    logs = watermarks(ref.profile, {ref.topic: ref.partitions}, committed=True)
    ranges = {partition: OffsetRange(low, high, low, high) for (_, partition), (low, high) in logs.items()}
    positions = {partition: span.start for partition, span in ranges.items()}
    return TableScan(after, only, limit, ranges, positions, sketch=KeySketch() if counts else None)


def resume(ref: TopicRef, contract: StreamContract, state: TableScan, budget: Budget) -> Scan:
    """Scan further within a budget, and update `state`.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    lows = {
        partition: low
        for (_, partition), (low, _) in watermarks(ref.profile, {ref.topic: ref.partitions}).items()
    }
    for p, span in state.ranges.items():  # retention may have overtaken the scan
        state.positions[p] = min(max(state.positions[p], lows.get(p, 0)), span.end)
    rest = {
        p: OffsetRange(state.positions[p], s.end, s.log_start, s.log_end) for p, s in state.ranges.items()
    }

    def collect(message: Message) -> bool:
        _collect(ref, contract, state, message)
        return False  # `scan` itself keeps no message

    part = scan(ref.profile, ref.topic, rest, 1, accepts=collect, budget=budget)
    state.positions.update(part.positions)
    return part


def _collect(ref: TopicRef, contract: StreamContract, state: TableScan, message: Message) -> None:
    state.newest_us = max(state.newest_us, timestamp_us(message))
    raw: Any = message.key()
    key = key_of(raw, contract, ref.schema_of)
    if key is None:
        with page_budget():  # heartbeats and such have no key, and are none of the malformed
            state.malformed += isinstance(decoded_or_refused(message, contract, ref.schema_of), Malformed)
        return
    is_on_page = _is_on_page(state, key)
    counted = _counted_digest(state.sketch, key)
    if not is_on_page and counted is None:
        return
    with page_budget() as budget:
        row = decoded_or_refused(message, contract, ref.schema_of)
    if not isinstance(row, Row):
        state.malformed += isinstance(row, Malformed)
        return
    if state.sketch is not None and counted is not None:
        state.sketch.note(
            counted, row.event_time if contract.version_by == "event_time" else 0, alive=not row.deleted
        )
    if is_on_page:
        _add(contract, state, key, entry_of(message, key, row, values=budget.spent))


def _counted_digest(sketch: KeySketch | None, key: Key) -> int | None:
    """The digest of a key whose entries count for the number of rows; None if they do not."""
    if sketch is None:
        return None
    number = digest(key_text(key))
    return number if sketch.wants(number) else None


def _is_on_page(state: TableScan, key: Key) -> bool:
    if state.only is not None:
        return key == state.only
    is_before = state.after is not None and key <= state.after
    return not is_before and (state.bound is None or key < state.bound)


def _add(contract: StreamContract, state: TableScan, key: Key, entry: Entry) -> None:
    """Keep an entry, and drop the largest keys beyond the limits.

    A deletion counts too: if the next key took its slot, the earlier entries of that key would be missing.
    """
    before = state.entries.get(key)
    if before is None:
        insort(state.order, key)
    elif contract.version_by == "event_time" and entry.event_time < before.event_time:
        return
    state.entries[key] = entry
    state.size += entry.size - (before.size if before else 0)
    while len(state.order) > state.limit or (state.size > MAX_ENTRY_BYTES and len(state.order) > 1):
        state.bound = state.order.pop()
        state.size -= state.entries.pop(state.bound).size


def rows_of(state: TableScan) -> list[dict[str, Any]]:
    """The rows of the scan in the order of their keys, without deleted ones."""
    return [state.entries[key].json for key in state.order if not state.entries[key].deleted]


def entry_of(message: Message, key: Key, row: Row, values: int = 0) -> Entry:
    """The table entry of a record.

    Args:
        message: the record.
        key: of it.
        row: of it.
        values: how many elements and members the row has.
    """
    content = {
        "key": key_text(key),
        "row": None if row.deleted else row.as_json(),
        "event_time": instant_text(row.event_time),
        "timestamp": instant_text(nearest_instant(timestamp_us(message))),
        "partition": message.partition(),
        "offset": message.offset(),
    }
    size = len(message.value() or b"") + len(message.key() or b"") + _VALUE_BYTES * values
    return Entry(row.event_time, content, size)
