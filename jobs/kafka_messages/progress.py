"""How far runs have come: counts of batches, and positions."""

from typing import Literal

from jobs.kafka_messages.message import Message
from jobs.kafka_messages.run_report import RunReport


class PartitionProgress(Message):
    """One input partition.

    `fetched` is ahead of `committed` in real-time mode and equals it in micro-batch.
    """

    committed: int | None = None
    fetched: int | None = None
    end: int | None = None  # the broker's end offset when last seen


class MalformedExample(Message):
    """One malformed record of many, so that people can look at it."""

    reason: str
    partition: int
    offset: int


class SourceRead(Message):
    """What was read of a source.

    Attributes:
        records: all that were read, heartbeats and deletions included.
        malformed: how many of them are malformed, by reason; reasons without a record are left out.
        example: one of those; None where there is none.
    """

    records: int
    malformed: dict[str, int] = {}
    example: MalformedExample | None = None


class CopyReport(RunReport):
    """Tables that a run copies were read: once when it starts, and again at every broadcast refresh."""

    type: Literal["copy"] = "copy"
    read: dict[str, SourceRead]  # by source


class StepState(Message):
    """What a step keeps after a batch, and the late rows that it dropped in that: at least 1 where there was
    one, never more than there were.
    """

    rows: int
    bytes: int
    late: int


class ProgressReport(RunReport):
    """A batch ended (one commit interval in real-time mode). Counts are of this batch, not totals.

    Each query of a run has its own batches. Records that several queries read are counted by one of them, so
    that counts can be summed; positions, watermark and state are those of the whole run.
    """

    type: Literal["progress"] = "progress"
    query: str | None = None  # name of the query, where the run has several
    batch: int
    began_us: int
    duration_ms: int
    rows_in: int
    rows_out: int
    sources: dict[str, dict[int, PartitionProgress]]
    watermark_us: int | None = None
    # By source with a delay and rows in this batch: how far it alone moves the watermark
    # (w(s, n) of `docs/semantics/watermarks-and-lateness.md`).
    source_watermarks_us: dict[str, int] = {}
    late: int = 0
    malformed: dict[str, int] = {}  # source → records
    read: dict[str, SourceRead] = {}  # by source
    expression_nulls: dict[str, int] = {}  # step → rows
    limit_reached: dict[str, int] = {}  # step → results with a null because a measure passed its limit
    given: dict[str, int] = {}  # node or node.port → rows that it gave, tombstones too; missing: unknown
    steps: dict[str, StepState] = {}  # step with state; missing: unknown
    state_rows: int | None = None
    state_bytes: int | None = None
    state_load_ms: int | None = None  # time for which state was loaded, summed over its partitions
    durations_ms: dict[str, int] = {}


class CatchingUp(Message):
    """How far a run has come that drains a backlog.

    Attributes:
        since_us: when it began to drain.
        read: records that the drain's batches have read so far.
        left: records between committed and end offsets; None: not known.
        records_per_second: read per second since the drain began, up to its last batch; None: before that.
        done_us: when it will be at the end, at that pace and with the records that arrive meanwhile; None:
            not known, or never.
    """

    since_us: int
    read: int
    left: int | None = None
    records_per_second: float | None = None
    done_us: int | None = None


class PositionsReport(RunReport):
    """Where a run reads right now, between progress reports: about once a second while it moves.

    `draining`: a run in real-time mode reads a backlog in micro-batches; `catching_up` says how far.
    """

    type: Literal["positions"] = "positions"
    sources: dict[str, dict[int, PartitionProgress]]
    draining: bool = False
    catching_up: CatchingUp | None = None
