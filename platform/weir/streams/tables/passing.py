"""One pass over a table's topic, in as many looks as it takes: the rows of the next keys in order, or of one key.

Kafka has no index, so a page costs a pass over the whole topic. What is held is bounded, whatever the topic's size: the entries
of the smallest keys behind the page before, and a sketch for the size. A page is exact once its pass is complete, for the
moment at which it began.
"""

from bisect import insort
from dataclasses import dataclass, field
from typing import Any, Final

from confluent_kafka import Message

from jobs.base.instants import Instant, instant_text
from jobs.formats.contract import StreamContract
from jobs.formats.records import Malformed, Row
from weir.clusters.topics import watermarks
from weir.streams.decoding import decoded, timestamp_us
from weir.streams.places import Place
from weir.streams.scanning import Budget, Scan, Stretch, scan
from weir.streams.tables.keys import Key, key_of, key_text
from weir.streams.tables.sketch import KeySketch, digest

MAX_HELD_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    """What the newest record of a key says. `shown` is the API's form of it; its row is None where it was deleted."""

    event_time: int
    shown: dict[str, Any]
    size: int

    @property
    def deleted(self) -> bool:
        """There is no row of this key any more."""
        return self.shown["row"] is None


@dataclass
class Pass:
    """A pass as far as it has come.

    Attributes:
        after: keys up to this one are on earlier pages; None: from the first.
        only: just this key.
        limit: keys to hold.
        stretches: partition → what lies there, as it was when the pass began.
        positions: partition → next offset to look at.
        held: entries by key.
        order: their keys, ascending.
        bound: keys from here on are left to later pages; None: nothing was left out yet.
        sketch: for the size; None: it is known already.
        newest_us: the newest Kafka timestamp seen.
        malformed: records without such a key, and of those whose values mattered the ones that are malformed.
        size: bytes of what is held.
    """

    after: Key | None
    only: Key | None
    limit: int
    stretches: dict[int, Stretch]
    positions: dict[int, int]
    held: dict[Key, Entry] = field(default_factory=dict)
    order: list[Key] = field(default_factory=list)
    bound: Key | None = None
    sketch: KeySketch | None = None
    newest_us: int = 0
    malformed: int = 0
    size: int = 0

    @property
    def complete(self) -> bool:
        """True when all of the topic was looked at."""
        return all(self.positions[p] >= stretch.end for p, stretch in self.stretches.items())


def begin(place: Place, *, after: Key | None = None, only: Key | None = None, limit: int = 1, counts: bool = False) -> Pass:
    """A pass that has not looked at anything yet.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    logs = watermarks(place.profile, {place.topic: place.partitions})
    stretches = {partition: Stretch(low, high, low, high) for (_, partition), (low, high) in logs.items()}
    positions = {partition: stretch.first for partition, stretch in stretches.items()}
    return Pass(after, only, limit, stretches, positions, sketch=KeySketch() if counts else None)


def go_on(place: Place, contract: StreamContract, found: Pass, budget: Budget) -> Scan:
    """Look further, within a budget; what was seen is in the pass afterwards.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    lows = {partition: low for (_, partition), (low, _) in watermarks(place.profile, {place.topic: place.partitions}).items()}
    for p, stretch in found.stretches.items():  # retention may have overtaken the pass
        found.positions[p] = min(max(found.positions[p], lows.get(p, 0)), stretch.end)
    rest = {p: Stretch(found.positions[p], s.end, s.log_start, s.log_end) for p, s in found.stretches.items()}

    def take(message: Message) -> bool:
        _take(place, contract, found, message)
        return False  # nothing is kept by the scan itself

    looked = scan(place.profile, place.topic, rest, 1, keep=take, budget=budget)
    found.positions.update(looked.positions)
    return looked


def _take(place: Place, contract: StreamContract, found: Pass, message: Message) -> None:
    found.newest_us = max(found.newest_us, timestamp_us(message))
    raw: Any = message.key()
    key = key_of(raw, contract, place.schema_of)
    if key is None:
        found.malformed += 1
        return
    is_shown = _is_shown(found, key)
    number = digest(key_text(key)) if found.sketch is not None else 0
    is_counted = found.sketch is not None and found.sketch.wants(number)
    if not is_shown and not is_counted:
        return
    row = decoded(message, contract, place.schema_of)
    if not isinstance(row, Row):
        found.malformed += isinstance(row, Malformed)
        return
    if found.sketch is not None and is_counted:
        found.sketch.note(number, row.event_time if contract.version_by == "event_time" else 0, alive=not row.deleted)
    if is_shown:
        _hold(contract, found, key, entry_of(message, key, row))


def _is_shown(found: Pass, key: Key) -> bool:
    if found.only is not None:
        return key == found.only
    is_before = found.after is not None and key <= found.after
    return not is_before and (found.bound is None or key < found.bound)


def _hold(contract: StreamContract, found: Pass, key: Key, entry: Entry) -> None:
    """A deletion keeps its place: were it given to the next key, that key's earlier entries would be missing."""
    before = found.held.get(key)
    if before is None:
        insort(found.order, key)
    elif contract.version_by == "event_time" and entry.event_time < before.event_time:
        return
    found.held[key] = entry
    found.size += entry.size - (before.size if before else 0)
    while len(found.order) > found.limit or (found.size > MAX_HELD_BYTES and len(found.order) > 1):
        found.bound = found.order.pop()
        found.size -= found.held.pop(found.bound).size


def rows_of(found: Pass) -> list[dict[str, Any]]:
    """The rows that are there, by key."""
    return [found.held[key].shown for key in found.order if not found.held[key].deleted]


def entry_of(message: Message, key: Key, row: Row) -> Entry:
    """The entry that a record of a table is."""
    shown = {
        "key": key_text(key),
        "row": None if row.deleted else row.as_json(),
        "event_time": instant_text(row.event_time),
        "timestamp": instant_text(Instant(timestamp_us(message))),
        "partition": message.partition(),
        "offset": message.offset(),
    }
    return Entry(row.event_time, shown, len(message.value() or b"") + len(message.key() or b""))
