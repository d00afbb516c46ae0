"""What a play of a job is and what it gives: given records, batch by batch, through a job's document.

A play runs on Spark through the same planning and lowering as a run (`jobs.engine.play`), without a broker,
and writes nowhere. Previews and tests of a job are plays. Everything a document computes depends on the
records alone: on event times, Kafka timestamps and their order. Only the refresh of a broadcast table depends
on processing time, which passes by `Advance`.

Instants are whole microseconds, sizes bytes. Bytes are base64 in JSON.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from jobs.formats.contract import StreamContract

MAX_BATCHES: Final = 200
MAX_RECORDS: Final = 20_000
MAX_SOURCES: Final = 50


class PlayModel(BaseModel):
    """Base of all: unknown fields are ignored, values do not change."""

    model_config = ConfigDict(extra="ignore", frozen=True, ser_json_bytes="base64", val_json_bytes="base64")


class PlayHeader(PlayModel):
    """A header of a record."""

    key: str
    value: bytes | None = None


class PlayRecord(PlayModel):
    """A record of a source's topic, as Kafka holds it.

    Attributes:
        key: null: the record has none.
        value: null: a tombstone.
        timestamp_us: Kafka's timestamp.
        headers: a heartbeat is one of them (`jobs.formats.heartbeats`).
        partition: the record's.
        offset: the record's; None: counted up within source and partition, in the order of the script.
    """

    key: bytes | None = None
    value: bytes | None = None
    timestamp_us: int
    headers: tuple[PlayHeader, ...] = ()
    partition: int = 0
    offset: int | None = None


class Heartbeat(PlayModel):
    """A heartbeat record of a source, as the first of the batch: its watermark moves, and no row is read."""

    kind: Literal["heartbeat"] = "heartbeat"
    source: str
    at_us: int


class Advance(PlayModel):
    """Processing time passes: broadcast tables whose refresh is due are read again; nothing else changes."""

    kind: Literal["advance"] = "advance"
    by_us: Annotated[int, Field(ge=0)]


class Restart(PlayModel):
    """The queries end after the last batch and start again on the same checkpoint.

    With `uncommitted` they end as if the process had been killed before it committed the last batch, which
    then runs again.
    """

    kind: Literal["restart"] = "restart"
    uncommitted: bool = False


Action = Annotated[Heartbeat | Advance | Restart, Field(discriminator="kind")]


class PlayBatch(PlayModel):
    """What happens, and then what is read in one batch.

    Attributes:
        before: in order, before the records are read.
        records: by source of the document, in the order of arrival. A source without records is silent.
        closing: off: no batch without records follows, whatever the job says.
    """

    before: tuple[Action, ...] = ()
    closing: bool = True
    records: dict[str, tuple[PlayRecord, ...]] = {}


class PlayLimits(PlayModel):
    """What a play may take.

    Attributes:
        rows: kept of each step and output in each batch; counts are always complete.
        bytes: of these rows, in JSON, by step or output and batch.
        seconds: for the whole play.
    """

    rows: Annotated[int, Field(ge=0, le=20_000)] = 1_000
    bytes: Annotated[int, Field(ge=0, le=16_000_000)] = 1_000_000
    seconds: Annotated[float, Field(gt=0, le=300)] = 30.0


class PlayJob(PlayModel):
    """The job of a play.

    Attributes:
        document: as the API takes it.
        contracts: by registered name, of the streams and tables that the document reads.
        topics: by name in the document, topics that outputs write to.
        workspace: whose registry gives schema ids.
        steps: rows of sources and steps are kept, not of outputs only.
        closing: a job whose results the watermark alone can release runs a batch without records after each
            batch, as a run does. Off, only the script says which batches there are.
        limits: of the whole play.
    """

    document: dict[str, Any]
    contracts: dict[str, StreamContract]
    topics: dict[str, str] = {}
    workspace: str = ""
    steps: bool = True
    closing: bool = True
    limits: PlayLimits = PlayLimits()


class PlayScript(PlayModel):
    """A job and what it reads."""

    job: PlayJob
    batches: Annotated[tuple[PlayBatch, ...], Field(max_length=MAX_BATCHES)]


class PlayedRow(PlayModel):
    """A row, as it would be written.

    Attributes:
        key: the identity, as the text that is the record's key.
        value: the fields, as in the record; None: a tombstone, the row of this key is gone. Fields that the
            job does not read are not among them.
        at_us: event time; None: the row has none.
    """

    key: str | None
    value: dict[str, Any] | None
    at_us: int | None = None


class PlayedRows(PlayModel):
    """The rows that a step or output gave in a batch.

    Attributes:
        rows: number of rows.
        tombstones: number of tombstones.
        first: the first of both, in order.
        truncated: some are missing in `first`.
    """

    rows: int = 0
    tombstones: int = 0
    first: tuple[PlayedRow, ...] = ()
    truncated: bool = False


class PlayedRecord(PlayModel):
    """A record that gave no row, and why."""

    partition: int
    offset: int
    reason: str


class PlayedSource(PlayModel):
    """What was read of a source in a batch.

    Attributes:
        records: all, heartbeats and skipped ones included.
        malformed: how many are malformed, by reason.
        left_out: the first malformed ones.
    """

    records: int = 0
    malformed: dict[str, int] = {}
    left_out: tuple[PlayedRecord, ...] = ()


class PlayedBatch(PlayModel):
    """What one batch gave, with the batch without records that followed.

    Attributes:
        outputs: by output.
        steps: by reference ``node`` or ``node.port``: sources and steps that outputs depend on.
        sources: by source; of static ones, which each start reads whole, what was not there at the start
            before.
        late: rows that came too late: at least one where one was, never more than there were.
        late_by_step: the same by step, where it is known which step dropped them.
        nulls: by step, rows in which an error became null.
        nulls_by_expression: by step and field, ``where`` or branch, the rows in which an error there became
            null.
        keyless: by step, rows left out because their key has a null.
        watermark_us: by query, after the batch; 0 before the first.
        restarted: the queries were started again before it.
    """

    outputs: dict[str, PlayedRows] = {}
    steps: dict[str, PlayedRows] = {}
    sources: dict[str, PlayedSource] = {}
    late: int = 0
    late_by_step: dict[str, int] = {}
    nulls: dict[str, int] = {}
    nulls_by_expression: dict[str, dict[str, int]] = {}
    keyless: dict[str, int] = {}
    watermark_us: dict[str, int] = {}
    restarted: bool = False


class PlayProblem(PlayModel):
    """Why a play did not go to its end.

    `code`: DOCUMENT_INVALID, TIMED_OUT, CANCELED, BUSY, TOO_LARGE, REFUSED, ENGINE_ERROR.
    """

    code: str
    message: str
    raw: str = ""


class PlayResult(PlayModel):
    """What a play gave.

    Attributes:
        batches: those that were played, in order.
        problem: why there are not all of them; None: there are.
        elapsed_ms: of the play.
        spans_ms: of its parts: ``plan``, ``start``, ``batches``, ``stop``.
        uses_processing_time: what depends on processing time, in sentences; empty: nothing does.
    """

    batches: tuple[PlayedBatch, ...] = ()
    problem: PlayProblem | None = None
    elapsed_ms: int = 0
    spans_ms: dict[str, int] = {}
    uses_processing_time: tuple[str, ...] = ()
