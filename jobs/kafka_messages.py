"""Messages between platform and engine over Kafka, typed (`docs/architecture.md#topics`).

Every value is JSON of one of these models. Readers ignore fields they do not know, so that either side may be
newer. Instants are whole microseconds, sizes bytes, offsets the *next* offset to read unless a name says
otherwise.
"""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from jobs.play import PlayResult, PlayScript
from jobs.run_states import DesiredState, RunState

RUNS_TOPIC: Final = "weir.runs"
REPORTS_TOPIC: Final = "weir.reports"
ASKS_TOPIC: Final = "weir.asks"  # what the platform asks engines to play
ANSWERS_TOPIC: Final = "weir.answers"  # what they answer; no other reader of theirs reads it
SCHEMAS_TOPIC: Final = "weir.schemas"  # the Avro schemas of all registries, compacted by `schema_key`
WARMUP_TOPIC: Final = "weir.warmup"  # engines read and write it while they warm up; nothing else reads it
RESULTS_PREFIX: Final = "weir.results."
EXCHANGE_PREFIX: Final = "weir.exchange."
DEAD_PREFIX: Final = "weir.dead."

MAX_ASK_BYTES: Final = 900_000  # Kafka's own limit of a record is a megabyte
MAX_ANSWER_BYTES: Final = 900_000
MAX_LOG_MESSAGE: Final = 4_000  # characters
MAX_LOG_DETAIL: Final = 8_000  # characters
MAX_EXCHANGE_ROW_BYTES: Final = 16 << 20  # a row may contain two records, or many values

HEADER_EPOCH: Final = "epoch"  # decimal text
# Decimal text: Kafka timestamp, in µs, of the newest input included in the result.
HEADER_NEWEST_INPUT: Final = "newest-input"
HEADER_PARTIAL: Final = "partial"  # "1" where the window lacks rows; absent otherwise

Positions = dict[str, dict[int, int]]  # source name → partition → next offset

RunMode = Literal["realtime", "microbatch"]
RunTask = Literal["job", "validator"]
LogLevel = Literal["info", "warning", "error"]


def result_topic(job_id: str, generation: int) -> str:
    """The topic of one generation's results."""
    return f"{RESULTS_PREFIX}{job_id}.{generation}"


def exchange_topic(job_id: str, generation: int) -> str:
    """The topic of one generation's exchange between its two queries."""
    return f"{EXCHANGE_PREFIX}{job_id}.{generation}"


def dead_letter_topic(validator_id: str) -> str:
    """The dead-letter topic of a validator, on the cluster of the validated topic.

    Users can't register or create topics with such names, so no other workspace can take the name.

    Args:
        validator_id: id of the validator's job.
    """
    return f"{DEAD_PREFIX}{validator_id}"


class Message(BaseModel):
    """Base of all: unknown fields are ignored, values do not change."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def schema_key(workspace: str, schema_id: int) -> str:
    """The key of a schema in `weir.schemas`. Ids are unique only within a workspace's registry."""
    return f"{workspace}/{schema_id}"


class WriterSchema(Message):
    """An Avro schema by which records are written; it needs no other. A tombstone: it was deleted for good.

    It is in `weir.schemas` before its id is returned to a client, so before any record that carries it.
    """

    text: str


class StartPosition(Message):
    """Where a generation begins to read a source. Only used while its checkpoint is empty.

    earliest and latest need nothing more; time needs `at_us` (Kafka timestamp); offsets needs `offsets`
    (partition → next offset).
    """

    kind: Literal["earliest", "latest", "time", "offsets"]
    at_us: int | None = None
    offsets: dict[int, int] = {}


class BoundSource(Message):
    """A source of the document, bound to the topic it reads.

    `topic_id` is Kafka's UUID: another id is another topic.
    """

    stream: str
    cluster: ClusterProfile
    topic: str
    topic_id: str
    partitions: int
    contract: StreamContract
    start: StartPosition


class AvroTarget(Message):
    """How rows of an output are written in Avro: the schema's text, and its id in the registry,
    which stands in each frame.
    """

    text: str
    schema_id: int


class ExchangeTopic(Message):
    """The exchange topic between two queries of a run, on the home cluster, with one partition.

    `topic_id` is Kafka's UUID.
    """

    topic: str
    topic_id: str


class DesiredRun(Message):
    """A run as it should be; the value of `weir.runs` under its run id. A tombstone means: no such run."""

    run_id: str
    job_id: str
    job_name: str
    workspace: str
    engine_id: str
    epoch: int
    revision: int
    generation: int
    state: DesiredState
    task: RunTask = "job"  # validator: validates each record of the only source (`jobs.engine.validator`)
    document: dict[str, Any]
    sources: dict[str, BoundSource]
    mode: RunMode
    checkpoint: str  # URL or path of this generation's folder
    shuffle_partitions: int
    result_topic: str  # of a validator: its dead-letter topic, on the cluster of its source
    result_topic_id: str = ""  # Kafka's UUID of it; a validator writes to no other topic of that name
    exchange: ExchangeTopic | None = None  # where one query of the job hands rows to the other
    topics: dict[str, str] = {}  # by output, topic of the home cluster; without the live result
    avro: dict[str, AvroTarget] = {}  # by output, of those that are written in Avro
    commit_interval_ms: int = 30_000  # real-time mode: how often positions are committed
    catch_up_from: int = 50_000  # real-time mode: from so many waiting records it may change to micro-batches
    trigger_ms: int = 1_000  # micro-batch mode
    max_rows_per_batch: int | None = None  # micro-batch mode: limit of records per source and batch
    partial_before_us: int | None = None  # event time: windows that start before it lack rows
    replay_until: Positions = {}  # a restart is `replaying` until these input positions are passed
    committed: Positions = {}  # input positions that were reported as committed when this was published
    mirror_group: str | None = None  # consumer group that mirrors committed positions
    recovering: bool = False  # ran before an interruption, so it does not wait for processor time again
    precedence: int = 0  # of runs that start at the same time, the lower comes first
    published_us: int | None = None  # when this record was written
    # Of a run that is to stop because another engine executes its next epoch: its batch may end first, and
    # that engine may prepare the epoch, but starts it only when it is desired there.
    successor_id: str | None = None


class Failure(Message):
    """Why a run or engine failed.

    `code` is fixed, `message` plain words with what to do, `raw` the original text.

    Codes: TOPIC_NOT_FOUND, TOPIC_RECREATED, DATA_LOST, BROKER_UNREACHABLE, SUPERSEDED, STATE_INCOMPATIBLE,
    STATE_DAMAGED,
    OUT_OF_SLOTS, OUT_OF_MEMORY, EXECUTOR_LOST, PLAN_INVALID, AUTHENTICATION_FAILED, BROADCAST_TOO_LARGE,
    TOPIC_FOREIGN, CLUSTER_REFUSED, ENGINE_ERROR. Of a queued run, which has not failed: AT_CAPACITY,
    STARTS_IN_TURN, NO_ENGINE_ROOM.
    """

    code: str
    message: str
    raw: str = ""
    permanent: bool = False  # True: a restart cannot help


class RunReport(Message):
    """A report about one run: its time, the run's epoch and the engine's incarnation."""

    at_us: int
    engine_id: str
    incarnation: str
    run_id: str
    epoch: int


StartPhase = Literal[
    "placed",  # the platform has written the desired run, with its engine
    "engine_ready",  # the engine's Spark session is open; of a warm engine long before
    "received",  # the engine has read the desired run
    "planned",  # the document is planned
    "queries_started",  # handed to Spark
    "caught_up",  # passed the positions that were reached before a restart, and drained what waited
]
"""What an engine knows of the start of an epoch, in order."""


class RunStateReport(RunReport):
    """A run's observed state changed (also repeated in every heartbeat).

    `phases_us`: when the epoch reached each `StartPhase`; those not reached are left out.
    """

    type: Literal["run_state"] = "run_state"
    revision: int
    state: RunState
    failure: Failure | None = None
    phases_us: dict[str, int] = {}


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
    rows_per_second: float | None = None
    batch_began_us: int | None = None
    draining: bool = False
    catching_up: CatchingUp | None = None


class ValidatedRange(Message):
    """Counts of one batch of a validator in one partition. `first` and `last` are offsets, both inclusive.

    Every record in between is counted once: `valid`, `malformed` by reason, or `skipped` (heartbeats,
    deletions in change events).
    """

    partition: int
    first: int
    last: int
    valid: int = 0
    skipped: int = 0
    malformed: dict[str, int] = {}


class ValidationReport(RunReport):
    """Counts of a validator's batch, published after its dead letters and before the batch is committed.

    A repeated batch has the same ranges and counts: readers store each range once.
    """

    type: Literal["validation"] = "validation"
    batch: int
    topic_id: str
    ranges: tuple[ValidatedRange, ...]


class LogLine(Message):
    """A line about a run, in an engine's log.

    Attributes:
        number: counts the lines of the engine's incarnation, from 1; with that it names the line.
        at_us: when it was written.
        level: of it.
        origin: what wrote it: the engine's own code, or Spark in its JVM.
        logger: who wrote it there.
        message: at most `MAX_LOG_MESSAGE` characters.
        detail: the error with its stack; empty: there is none. At most `MAX_LOG_DETAIL` characters.
    """

    number: int
    at_us: int
    level: LogLevel
    origin: Literal["engine", "spark"]
    logger: str
    message: str
    detail: str = ""


class LogReport(RunReport):
    """Lines that an engine wrote about a run, soon after each other. Lines about nothing, or about more than
    one run, are never in it.
    """

    type: Literal["log"] = "log"
    lines: tuple[LogLine, ...]


class RunHeartbeat(Message):
    """A run inside a heartbeat: the epoch and revision that the engine applied, and the state it sees."""

    epoch: int
    revision: int
    state: RunState
    failure: Failure | None = None


class ProcessHandle(Message):
    """Enough to know a local process again after any restart of ours."""

    host: str
    pid: int
    started_ticks: int
    boot_id: str


class HeartbeatReport(Message):
    """Sent by a running engine every 2 s. `ready` turns true when its session is warm."""

    type: Literal["heartbeat"] = "heartbeat"
    at_us: int
    engine_id: str
    incarnation: str
    ready: bool
    handle: ProcessHandle
    runs: dict[str, RunHeartbeat]
    slots: int
    slots_used: int
    memory_bytes: int
    cpu_cores: float | None = (
        None  # processor time per second of the engine, over the last 20 s; None: unknown
    )
    host_cpu_cores: float | None = None  # the same of everything on its host
    host_cores: int = 0  # 0: unknown
    versions: dict[str, str] = {}  # spark, java, python, zone rules
    stopping: bool = False


Report = Annotated[
    RunStateReport
    | ProgressReport
    | PositionsReport
    | CopyReport
    | HeartbeatReport
    | ValidationReport
    | LogReport,
    Field(discriminator="type"),
]
REPORT: Final[TypeAdapter[Report]] = TypeAdapter(Report)


class PlayAsk(Message):
    """The platform asks an engine to play a script, in `ASKS_TOPIC` under the ask's id.

    Attributes:
        owner: whose ask this is: an engine plays the newest ask of an owner only, and breaks off an older
            one.
        expires_us: nobody waits any more then, so it is not begun.
    """

    type: Literal["play"] = "play"
    ask_id: str
    engine_id: str
    owner: str
    expires_us: int
    script: PlayScript


class PlayFolderAsk(Message):
    """The platform asks an engine of its own host to play the scripts of a folder
    (`jobs.job_tests.play_folder`), in `ASKS_TOPIC`. Results are written there; nothing is answered.

    Attributes:
        owner: whose ask this is, as of a `PlayAsk`.
        expires_us: nobody waits any more then.
        run_id: of the run of tests, which names the folder.
    """

    type: Literal["play_folder"] = "play_folder"
    engine_id: str
    owner: str
    expires_us: int
    run_id: Annotated[str, Field(pattern="^[a-z0-9]{1,20}$")]


class CancelAsk(Message):
    """Nobody waits for the asks of this owner any more."""

    type: Literal["cancel"] = "cancel"
    engine_id: str
    owner: str


Ask = Annotated[PlayAsk | PlayFolderAsk | CancelAsk, Field(discriminator="type")]
ASK: Final[TypeAdapter[Ask]] = TypeAdapter(Ask)


class Answer(Message):
    """An engine's answer to an ask, in `ANSWERS_TOPIC` under the ask's id.

    Attributes:
        runs: that the engine executed meanwhile.
        shortened: rows were left out so that the answer has at most `MAX_ANSWER_BYTES`.
    """

    ask_id: str
    engine_id: str
    at_us: int
    runs: int
    result: PlayResult
    shortened: bool = False


def quiet_file(data_dir: Path, engine_id: str) -> Path:
    """The file by which a stopping engine signals on its host that it no longer needs other processes.

    The engine creates the file when it begins, removes it before it serves, and creates it again once its
    queries have ended and its last report was sent.
    """
    return data_dir / "engines" / f"{engine_id}.quiet"


class EngineSettings(Message):
    """What an engine is started with; written to a 0600 file whose path is its only argument."""

    engine_id: str
    incarnation: str
    kind: Literal["shared", "dedicated", "isolation"]
    standby: bool = False  # at its start; it may serve later
    home: ClusterProfile
    home_listeners: str = ""  # host:port[,host:port…] at which others reach the home cluster
    master: str  # "local" or an address such as spark://host:7077
    master_secret_file: str = ""  # mode 0600; the secret of a standalone master and its applications
    slots: int  # task slots of a local master
    driver_memory_mb: int
    jars_dir: str
    data_dir: str  # logs, class-data archive, temporary files
    encryption_key_file: str | None = None
    private_clusters: bool = True  # brokers of workspaces' clusters may have loopback and private addresses
