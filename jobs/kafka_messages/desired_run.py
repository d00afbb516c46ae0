"""Runs as they should be, in `weir.runs`."""

from typing import Any, Literal

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from jobs.kafka_messages.message import Message
from jobs.run_states import DesiredState

Positions = dict[str, dict[int, int]]  # source name → partition → next offset

RunMode = Literal["realtime", "microbatch"]
RunTask = Literal["job", "validator"]


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
    host: str = ""  # the queue of the host that has this engine; empty: an older version wrote this record
    epoch: int
    revision: int
    generation: int
    state: DesiredState  # for the engine: also stopped while this epoch waits for the end of the one before
    desired: DesiredState | None = None  # for people; None: an older version wrote this record, as `state`
    task: RunTask = "job"  # validator: validates each record of the only source (`jobs.engine.validator`)
    document: dict[str, Any]
    sources: dict[str, BoundSource]
    mode: RunMode
    slots: int = 1  # task slots that it holds in this mode, by its plan
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
