"""What is known about a source of a job at one moment: its topic, what the run read of it, newest records.

Plain values. Instants are whole microseconds since 1970, offsets the next one to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from jobs.formats.records import Row
from jobs.kafka_messages import StartPosition
from jobs.operators.forecasts import total
from weir.diagnosis.services.trail import Trail

ALMOST_ALL: Final = 0.95
"""Share of malformed records from which nothing else needs to be looked for."""

TopicState = Literal["there", "deleted", "recreated", "unreachable"]


@dataclass(frozen=True, slots=True)
class PartitionFacts:
    """One partition of a topic: first and next offset on the broker, where the run starts and where it is,
    the partition's number, and the Kafka timestamp of its newest record.

    `start`, `reached` and `newest_us` are None where unknown.
    """

    low: int
    end: int
    start: int | None = None
    reached: int | None = None
    number: int = 0
    newest_us: int | None = None

    @property
    def waiting(self) -> int | None:
        """Records that the run has not read, about; None: its position is unknown."""
        if self.reached is not None:
            return max(0, self.end - self.reached)
        begins = self.low if self.start is None else max(self.low, self.start)
        return 0 if begins >= self.end else None

    def quiet_since(self, us: int) -> bool:
        """Whether it has no record since an instant, as far as is known."""
        return self.end == self.low or (self.newest_us is not None and self.newest_us < us)


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A row of the sample: its values, system fields included, its event time and, where it is asked how rows
    came about, its trail.
    """

    values: Mapping[str, Any]
    time_us: int
    trail: Trail | None = None


@dataclass(frozen=True, slots=True)
class MalformedReason:
    """Malformed records of one reason.

    Attributes:
        reason: its code.
        records: how many.
        detail: of one of them; empty: unknown.
        example: partition and offset of one; None: unknown.
    """

    reason: str
    records: int
    detail: str = ""
    example: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The newest records of a source, decoded by its contract.

    Attributes:
        read: records that were decoded.
        rows: the well-formed ones.
        malformed: by reason, most frequent first.
        malformed_since_us: Kafka timestamp of the oldest record from which on almost all are malformed; None:
            of none.
        newest_us: Kafka timestamp of the newest record; None: none was read.
        oldest_us: Kafka timestamp of the oldest record that was read; None: none was.
        heartbeat_us: greatest instant of its heartbeats; None: it has none.
        complete: it has every record that the topic holds.
        whole_from_us: event time from which on it has every row, as far as records are in order within the
            source's delay; None: unknown.
    """

    read: int = 0
    rows: tuple[SampledRow, ...] = ()
    malformed: tuple[MalformedReason, ...] = ()
    malformed_since_us: int | None = None
    newest_us: int | None = None
    oldest_us: int | None = None
    heartbeat_us: int | None = None
    complete: bool = False
    whole_from_us: int | None = None

    @property
    def reached_us(self) -> int | None:
        """The greatest event time of its rows and heartbeats; None: it has neither."""
        return max(
            (
                *(row.time_us for row in self.rows),
                *([] if self.heartbeat_us is None else [self.heartbeat_us]),
            ),
            default=None,
        )

    @property
    def malformed_count(self) -> int:
        """How many records are malformed."""
        return sum(one.records for one in self.malformed)


@dataclass(frozen=True, slots=True)
class KeyScan:
    """What was found of one key in the newest records of a source.

    Attributes:
        fields: that may have it.
        read: records that were scanned.
        found: rows that have it, up to a limit.
        complete: every record of the topic was scanned.
        oldest_us: Kafka timestamp of the oldest record that was scanned; None: none was.
        malformed: malformed records whose record key is the key.
        near: a value that differs from it only in case, spaces, separators or leading zeros; empty for none.
        too_large: records that have too many values to be looked into.
        partners: sources that a join compares with one of the fields.
    """

    fields: tuple[str, ...]
    read: int
    found: int
    complete: bool
    oldest_us: int | None = None
    malformed: int = 0
    near: str = ""
    too_large: int = 0
    partners: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source of the running document.

    Attributes:
        topic: of the registered stream or table.
        state: of the topic now, compared with the one that the generation reads.
        detail: of an unreachable cluster: the error.
        static: it is read once, when the query starts.
        start: where the generation began to read it; None: unknown.
        partitions: empty where the topic is not there.
        records: that were read by the run; None: nothing was reported.
        malformed: of those.
        reasons: of those, most frequent first.
        sample: None: nothing could be read.
        is_table: it is a registered table.
        key_scan: None: no key is asked about, or this source doesn't have it.
        key_sample: its rows with the key; None with `key_scan`.
    """

    name: str
    topic: str
    state: TopicState = "there"
    detail: str = ""
    static: bool = False
    start: StartPosition | None = None
    partitions: tuple[PartitionFacts, ...] = ()
    records: int | None = None
    malformed: int = 0
    reasons: tuple[MalformedReason, ...] = ()
    sample: Sample | None = None
    is_table: bool = False
    key_scan: KeyScan | None = None
    key_sample: Sample | None = None

    @property
    def judged(self) -> Sample | None:
        """The rows that go through the steps: of the key that is asked about, or the newest."""
        return self.sample if self.key_sample is None else self.key_sample

    @property
    def retained(self) -> int:
        """Records that the broker has, about: compaction and transaction markers leave holes."""
        return sum(max(0, part.end - part.low) for part in self.partitions)

    @property
    def written(self) -> int:
        """Records that were ever written, about."""
        return sum(part.end for part in self.partitions)

    @property
    def waiting(self) -> int | None:
        """Records that the run has not read; None where its position in a partition is unknown."""
        return total(*(part.waiting for part in self.partitions)) if self.partitions else None

    @property
    def waiting_at_least(self) -> int:
        """The same of those partitions in which its position is known."""
        return sum(part.waiting or 0 for part in self.partitions)

    @property
    def after_start(self) -> int | None:
        """Records that were written since the generation began; None where its start is unknown."""
        known = [max(0, part.end - part.start) for part in self.partitions if part.start is not None]
        return sum(known) if len(known) == len(self.partitions) and known else None


def sampled_row(row: Row, system: Mapping[str, Any]) -> SampledRow:
    """A decoded record as a row of the sample.

    Args:
        row: as decoded.
        system: values of its system fields.
    """
    return SampledRow({**row.values, **system}, row.event_time)
