"""A Kafka topic as rows: read, decode, count what is malformed, set the watermark, leave heartbeats out.

See `docs/semantics/records-and-formats.md` and `docs/semantics/watermarks-and-lateness.md`.
"""

import json
from typing import Final

from pyspark.sql import DataFrame, Observation, SparkSession

from jobs.connections import ClusterProfile, jvm_options
from jobs.engine.columns import column, quoted
from jobs.engine.fetch_wait import consumer_options
from jobs.engine.formats.decoding import decoded
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.key_file import decryptor
from jobs.engine.observation import Metrics, observed
from jobs.engine.observed_metrics import READ, block_filter_pushdown
from jobs.engine.read_counts import read_counts
from jobs.engine.rows import DELETED, TIME, Rows
from jobs.engine.subscriptions import subscription
from jobs.engine.taps import Taps
from jobs.expressions.texts_sql import string_sql
from jobs.kafka_messages import BoundSource, DesiredRun, StartPosition
from jobs.operators.relation import Relation
from jobs.plan import SourceBound

SYSTEM: Final = ("_time", "_timestamp", "_source", "_partition", "_offset")

_BATCHES: Final = {"kafka.fetch.max.wait.ms": "100"}
_EARLIEST: Final = -2
# What was aborted is no record; what is open comes once it is committed. The platform reads so, too.
_COMMITTED: Final = {"kafka.isolation.level": "read_committed"}


def consumer_prefix(run: DesiredRun, attempt: int, cluster_id: str) -> str:
    """The prefix of the names of one attempt's consumers of a cluster:
    their metrics are found by it, since these do not name a cluster.
    """
    return f"weir-{run.run_id}-{run.epoch}-{attempt}-{cluster_id}"


def read_topic(
    session: SparkSession,
    run: DesiredRun,
    source: BoundSource,
    attempt: int,
    *,
    shares: bool = False,
) -> DataFrame:
    """The raw records of a bound source: Kafka's own columns.

    A batch of a job takes all that waits of a table, however much it is, so that rows which wait with it find
    it (`docs/semantics/table-join.md#in-real-time-mode`).

    Args:
        session: of the query.
        run: as desired.
        source: of the run.
        attempt: how often this epoch was started before.
        shares: in real-time mode records may be gathered (`jobs.engine.fetch_wait`).
    """
    options = {
        **jvm_options(source.cluster, decryptor()),
        **_COMMITTED,
        "subscribe": subscription(run, source),
        "includeHeaders": "true",
        "groupIdPrefix": consumer_prefix(run, attempt, source.cluster.cluster_id),
        **_requests(run, shares=shares),
        "failOnDataLoss": "true",
        **start_options(source.topic, source.partitions, source.start),
    }
    whole = source.contract.kind == "table" and run.task == "job"
    if run.mode == "microbatch" and run.max_rows_per_batch is not None and not whole:
        options["maxOffsetsPerTrigger"] = str(run.max_rows_per_batch)
    return session.readStream.format("kafka").options(**options).load()


def _requests(run: DesiredRun, *, shares: bool) -> dict[str, str]:
    return consumer_options(shares=shares) if run.mode == "realtime" else _BATCHES


def read_exchange(
    session: SparkSession, run: DesiredRun, topic: str, home: ClusterProfile, attempt: int
) -> DataFrame:
    """The raw records of a run's exchange topic: Kafka's own columns."""
    options = {
        **jvm_options(home),
        "subscribe": topic,
        "groupIdPrefix": f"weir-{run.run_id}-{run.epoch}-{attempt}-exchange",
        **_BATCHES,  # a run of two queries is never in real-time mode
        "failOnDataLoss": "true",
        "startingOffsets": "earliest",
    }
    return session.readStream.format("kafka").options(**options).load()


def read_static(session: SparkSession, run: DesiredRun, source: BoundSource) -> DataFrame:
    """All records that a bound source holds now, as a batch: Kafka's own columns."""
    options = {
        **jvm_options(source.cluster, decryptor()),
        **_COMMITTED,
        "subscribe": source.topic,
        "includeHeaders": "true",
        "groupIdPrefix": f"weir-{run.run_id}-{run.epoch}-copy",
        "startingOffsets": "earliest",
        "endingOffsets": "latest",
        "failOnDataLoss": "true",
    }
    return session.read.format("kafka").options(**options).load()


def start_options(topic: str, partitions: int, start: StartPosition) -> dict[str, str]:
    """Options that set the start position of an empty checkpoint;
    partitions missing in `offsets` start at the earliest record.
    """
    match start.kind:
        case "time":
            return {
                "startingTimestamp": str((start.at_us or 0) // 1000),
                "startingOffsetsByTimestampStrategy": "latest",
            }
        case "offsets":
            offsets = {
                str(p): start.offsets.get(p, _EARLIEST)
                for p in range(max([partitions, *(p + 1 for p in start.offsets)]))
            }
            return {"startingOffsets": json.dumps({topic: offsets})}
        case kind:
            return {"startingOffsets": kind}


def read_source(
    name: str,
    raw: DataFrame,
    bound: SourceBound,
    output: Relation,
    writers: WriterSchemas | None = None,
    observation: Observation | None = None,
    taps: Taps | None = None,
) -> Rows:
    """Well-formed rows of a source with their system columns, under its watermark.

    Malformed records are counted and gone before the watermark; heartbeats move it and are gone after it. A
    table without a delay has no watermark; its deletions are rows too. Of a stream counts are in the progress
    of each batch; of a batch they are in `observation`.
    """
    contract = bound.contract
    records = decoded(raw, contract, bound.used_fields, writers)
    counts = Metrics(f"{READ}{name}", read_counts(contract))
    if observation is not None:
        counted = records.observe(observation, *counts.made())
    else:
        counted = observed(records, [counts] if taps is None else [*taps.decoded(name), counts])
    formed = counted.where(column("_reason IS NULL")).drop("_reason")
    watermarked = (
        formed
        if contract.delay is None
        else formed.withWatermark(TIME, f"{contract.delay_duration.us} microseconds")
    )
    # The watermark must see every well-formed row.
    rows = block_filter_pushdown(name, watermarked).where(column("NOT _heartbeat"))
    fields = [column(quoted(field.name)) for field in output.schema]
    system = [
        column(TIME),
        column("_timestamp"),
        column(string_sql(name), "_source"),
        column("_partition"),
        column("_offset"),
    ]
    if contract.kind == "table":
        keys = [column(quoted(key), f"_id{i}") for i, key in enumerate(contract.key)]
        return Rows(
            rows.select(*fields, *system, column(DELETED), *keys),
            output,
            (*SYSTEM, DELETED, *(f"_id{i}" for i in range(len(keys)))),
        )
    return Rows(rows.select(*fields, *system), output, SYSTEM)
