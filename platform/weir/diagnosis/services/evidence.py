"""What is known about a job at one moment. Plain values: rules judge them without database, broker or clock.

Instants are whole microseconds since 1970, offsets the next one to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from jobs.formats.records import Row
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan
from jobs.plan.queries import Sink

ALMOST_ALL: Final = 0.95
"""Share of malformed records from which nothing else needs to be looked for."""

TopicState = Literal["there", "deleted", "recreated", "unreachable"]


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The engine of a run.

    Attributes:
        state: of `weir.runs.models.Engine.State`.
        ready: its session is warm.
        last_seen_us: its last heartbeat; None: it was never heard of.
        failure: message of what ended it; empty for none.
    """

    state: str
    ready: bool
    last_seen_us: int | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A job's run.

    Attributes:
        shown: its state as people see it (`jobs.run_states`), NEVER_STARTED without a run.
        since_us: when it reached its state.
        last_seen_us: the engine's last word about it; None: there was none.
        failure: code and message; None for none.
        retry_at_us: when it is started again; None: it is not.
        draining: it reads a backlog in micro-batches.
    """

    shown: str
    since_us: int | None = None
    last_seen_us: int | None = None
    failure: tuple[str, str] | None = None
    retry_at_us: int | None = None
    draining: bool = False


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What engines report of one step.

    Attributes:
        expression_nulls: rows with a null because an expression failed.
        late: rows that it dropped as late, at least; None: they aren't counted.
        keyless: rows that it left out because their key has a null; None: they aren't counted.
        state_rows: rows that it keeps now; None: it has no state, or nothing is known of it.
    """

    expression_nulls: int = 0
    late: int | None = None
    keyless: int | None = None
    state_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What the run has counted (`weir.lag.services.run_counts`); `batches` 0: nothing is known yet.

    Attributes:
        given: rows by ``node`` or ``node.port``, tombstones included; one that is missing isn't counted.
        per_second: the same now, over the last minute; one that is missing is unknown.
        steps: by name; steps of which nothing was reported are missing.
        since_us: when the run began to count; None: unknown.
    """

    batches: int = 0
    rows_in: int = 0
    rows_out: int = 0
    late: int = 0
    expression_nulls: int = 0
    given: Mapping[str, int] = field(default_factory=dict)
    per_second: Mapping[str, float] = field(default_factory=dict)
    steps: Mapping[str, StepFacts] = field(default_factory=dict)
    since_us: int | None = None


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

    def quiet_since(self, us: int) -> bool:
        """Whether it has no record since an instant, as far as is known."""
        return self.end == self.low or (self.newest_us is not None and self.newest_us < us)


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A row of the sample: its values, system fields included, and its event time."""

    values: Mapping[str, Any]
    time_us: int


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
    complete: bool = False
    whole_from_us: int | None = None

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
        """Records that the run has not read; None where its position is unknown."""
        known = [part.end - part.reached for part in self.partitions if part.reached is not None]
        return max(0, sum(known)) if known else None

    @property
    def after_start(self) -> int | None:
        """Records that were written since the generation began; None where its start is unknown."""
        known = [part.end - part.start for part in self.partitions if part.start is not None]
        return max(0, sum(known)) if len(known) == len(self.partitions) and known else None


@dataclass(frozen=True, slots=True)
class ResultFacts:
    """The result of the generation.

    Attributes:
        newest_us: when the newest row of a snapshot was written; None: it has none.
        retention_us: how long rows are kept; 0: unknown.
        key_row_us: when the row of the key that is asked about was written; None: it has none, or the key
            isn't the whole identity of a row.
    """

    newest_us: int | None = None
    retention_us: int = 0
    key_row_us: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it.

    Attributes:
        now_us: the present.
        run: state of the run.
        engine: None: the run has none.
        plan: of the running version, or of the newest one; with errors, steps are not walked.
        sources: in the order of the document.
        counts: of the generation.
        watermark_us: of the run; None: there is none yet.
        rows_per_second: that are read now; None: unknown.
        result: of the generation.
        output: name of the output that is asked about; empty: the first, which is the result where the
            document has one.
        key: that is asked about; empty: all rows. What the run has counted says nothing of one key.
    """

    now_us: int
    run: RunFacts
    plan: Plan
    engine: EngineFacts | None = None
    sources: tuple[SourceFacts, ...] = ()
    counts: Counts = field(default_factory=Counts)
    watermark_us: int | None = None
    rows_per_second: float | None = None
    result: ResultFacts = field(default_factory=ResultFacts)
    output: str = ""
    key: str = ""

    @property
    def sink(self) -> Sink:
        """The output that is asked about; the plan has no errors."""
        return sink_of(self.plan, self.output) or self.plan.sinks[0]

    @property
    def reference(self) -> str:
        """The node or named output whose rows it gets."""
        return self.sink.reference

    @property
    def needed(self) -> frozenset[str]:
        """The nodes upstream of it."""
        return self.plan.upstream_of(self.reference)

    @property
    def rows_out(self) -> int | None:
        """Rows that it got since the run began; None: they aren't counted."""
        if self.key:
            return None
        if len(self.plan.sinks) < 2:
            return self.counts.rows_out
        return self.counts.given.get(self.reference)


def sink_of(plan: Plan, output: str) -> Sink | None:
    """The output of a name, otherwise the first; None for a plan without any.

    Args:
        plan: may have errors.
        output: name in the document.
    """
    return next((sink for sink in plan.sinks if sink.name == output), next(iter(plan.sinks), None))


def sampled_row(row: Row, system: Mapping[str, Any]) -> SampledRow:
    """A decoded record as a row of the sample.

    Args:
        row: as decoded.
        system: values of its system fields.
    """
    return SampledRow({**row.values, **system}, row.event_time)
