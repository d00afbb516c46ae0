"""The query of a validator: it decodes every record once, with the code that jobs use, counts it, and writes
malformed ones as dead letters.

A batch first writes its dead letters, then publishes its counts as a `ValidationReport` and waits for the
broker's confirmation; only then does Spark commit it. So each malformed record that is counted has its dead
letter, and a batch that a crash interrupted is repeated with the same offset ranges. Dead letters are written
at least once (Spark's Kafka sink has no transactions): readers keep one per source coordinates. Counts are
exact, because readers store each range once. No dead letter is lost while Kafka keeps the record.
"""

import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.cluster_identity import ClusterRefusedError
from jobs.connections import ClusterProfile, jvm_options
from jobs.engine.batch_calls import call_with_batches
from jobs.engine.columns import column
from jobs.engine.formats.decode_columns import SKIPPED
from jobs.engine.formats.decoding import RAW, decoded
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.key_file import decryptor
from jobs.engine.listener import ProgressListener, start_with_listener
from jobs.engine.log_context import about
from jobs.engine.observation import Metrics, observed
from jobs.engine.observed_metrics import READ
from jobs.engine.read_counts import read_counts
from jobs.engine.session import session_for
from jobs.engine.sources.kafka import read_topic
from jobs.engine.spark_log import name_tasks, query_name
from jobs.engine.topic_checks import check_dead_letter_topic
from jobs.expressions.texts_sql import string_sql
from jobs.formats import dead_letters as dead_letters
from jobs.kafka_messages import BoundSource, DesiredRun, ValidatedRange

CountsHandler = Callable[[int, tuple[ValidatedRange, ...]], None]

VALID: Final = "VALID"
# A dead letter with its key and headers.
_REQUEST_BYTES: Final = dead_letters.MAX_VALUE_BYTES + 2 * 1024 * 1024
MAX_ERROR_CHARS: Final = 1_500
_NO_HEADERS: Final = "cast(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"


log = logging.getLogger(__name__)


class BatchFailedError(Exception):
    """A batch could not be validated. The message is that of the cause, truncated."""


def start_validator(
    base: SparkSession,
    run: DesiredRun,
    home: ClusterProfile,
    listener: ProgressListener,
    on_counts: CountsHandler,
    admins: KafkaAdmins,
    attempt: int = 0,
) -> StreamingQuery:
    """Start the query of a validator. It runs until it is stopped or fails.

    Args:
        base: session of the application.
        run: as desired; it has one source.
        home: the home cluster, which has writers' schemas.
        listener: receives the query's progress and its end.
        on_counts: called with a batch's number and counts after its dead letters were written; returns once
            the broker has confirmed the report.
        admins: Kafka clients, to check the id of the dead-letter topic before writing to it.
        attempt: how often this epoch was started before.

    Raises:
        PySparkException: Spark refuses the query.
    """
    ((name, source),) = run.sources.items()
    session = session_for(base, run, empty_batches=False)
    classified = classify(
        read_topic(session, run, source, attempt), name, source, WriterSchemas(home, run.workspace)
    )
    name_tasks(session, run)
    batches = ValidatorBatchWriter(run, source, on_counts, admins)
    writer = (
        call_with_batches(session, classified.writeStream, batches)
        .option("checkpointLocation", run.checkpoint)
        .queryName(query_name(run))
        .trigger(processingTime=f"{run.trigger_ms} milliseconds")
    )
    return start_with_listener(session, writer, listener)


def classify(
    raw: DataFrame, name: str, source: BoundSource, writers: WriterSchemas | None = None
) -> DataFrame:
    """Classify every record of a topic as valid, skipped or malformed.

    Args:
        raw: columns of the Kafka source, headers included.
        name: of the source, for the observed metrics.
        source: topic and contract.
        writers: as for `jobs.engine.formats.decoding.decoded`.

    Returns:
        `_partition`, `_offset`, `_timestamp`; `_class`: `VALID`, `SKIPPED` or the reason why the record is
        malformed; `RAW`, null unless malformed.
    """
    contract = source.contract
    records = decoded(raw, contract, contract.schema_of_rows.names, writers, with_raw=True)
    counted = observed(records, [Metrics(f"{READ}{name}", read_counts(contract))])
    return counted.select(
        "_partition",
        "_offset",
        "_timestamp",
        column(
            f"CASE WHEN _reason IS NOT NULL THEN _reason WHEN _heartbeat THEN '{SKIPPED}' ELSE '{VALID}' END",
            "_class",
        ),
        column(f"if(_reason IS NULL OR _reason = '{SKIPPED}', NULL, {RAW})", RAW),
    )


class ValidatorBatchWriter:
    """Writes the dead letters and reports the counts of each batch."""

    def __init__(
        self, run: DesiredRun, source: BoundSource, on_counts: CountsHandler, admins: KafkaAdmins
    ) -> None:
        self._run = run
        self._source = source
        self._on_counts = on_counts
        self._admins = admins

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Write the dead letters, then report the counts.

        The batch is cached, so that records are decoded once.
        """
        with about(self._run):
            self._process_whole(batch, number)

    def _process_whole(self, batch: DataFrame, number: int) -> None:
        try:
            self._process(batch.persist(), number)
        except (PySparkException, Py4JError, KafkaException, ClusterRefusedError) as error:
            # Truncated, because Spark matches the whole Python traceback with a regex that would overflow its
            # stack.
            raise BatchFailedError(str(error)[:MAX_ERROR_CHARS]) from None
        finally:
            self._unpersist(batch)

    def _process(self, batch: DataFrame, number: int) -> None:
        grouped = batch.groupBy("_partition", "_class")
        rows = grouped.agg(
            column("count(1)", "records"), column("min(_offset)", "first"), column("max(_offset)", "last")
        ).collect()
        found = ranges_of(
            (row["_partition"], row["_class"], row["records"], row["first"], row["last"]) for row in rows
        )
        if any(part.malformed for part in found):
            self._write(batch.where(column(f"{RAW} IS NOT NULL")))
        if found:
            self._on_counts(number, found)

    def _unpersist(self, batch: DataFrame) -> None:
        try:
            batch.unpersist()
        except (PySparkException, Py4JError) as error:  # happens while the query is being stopped
            log.info("a batch could not be unpersisted: %s", str(error)[:MAX_ERROR_CHARS])

    def _write(self, malformed: DataFrame) -> None:
        lost = check_dead_letter_topic(self._run, self._source.cluster, self._admins)
        if lost is not None:
            raise BatchFailedError(lost.message)
        (
            malformed.select(*_dead_letter_columns(self._source))
            .write.format("kafka")
            .options(**jvm_options(self._source.cluster, decryptor()))
            .option("kafka.max.request.size", str(_REQUEST_BYTES))
            .option("kafka.buffer.memory", str(2 * _REQUEST_BYTES))
            .option("topic", self._run.result_topic)
            .save()
        )


def ranges_of(groups: Iterable[tuple[int, str, int, int, int]]) -> tuple[ValidatedRange, ...]:
    """Counts by partition, from groups of (partition, classification, records, first offset, last offset)."""
    found: dict[int, dict[str, Any]] = {}
    for partition, classification, records, first, last in groups:
        part = found.setdefault(
            partition, {"partition": partition, "first": first, "last": last, "malformed": {}}
        )
        part["first"], part["last"] = min(part["first"], first), max(part["last"], last)
        if classification in (VALID, SKIPPED):
            part["valid" if classification == VALID else "skipped"] = records
        else:
            part["malformed"][classification] = records
    return tuple(ValidatedRange(**found[partition]) for partition in sorted(found))


def _dead_letter_columns(source: BoundSource) -> list[Column]:
    """Columns key, value and headers of a dead letter (`jobs.formats.dead_letters`)."""
    length = f"octet_length({RAW}.value)"
    coordinates = {
        dead_letters.TOPIC: string_sql(source.topic),
        dead_letters.TOPIC_ID: string_sql(source.topic_id),
        dead_letters.PARTITION: "cast(_partition AS STRING)",
        dead_letters.OFFSET: "cast(_offset AS STRING)",
        dead_letters.TIMESTAMP: "cast(unix_millis(_timestamp) AS STRING)",
        dead_letters.REJECTED_BY: string_sql(dead_letters.REJECTED_BY_DECODING),
        dead_letters.REASON: "_class",
    }
    own = (
        f"filter(coalesce({RAW}.headers, {_NO_HEADERS}), h -> NOT startswith(h.key, "
        f"{string_sql(dead_letters.PREFIX)}))"
    )
    headers = (_header_sql(name, f"cast({text} AS BINARY)") for name, text in coordinates.items())
    always = f"array({', '.join(headers)})"
    key = f"if({RAW}.key IS NULL, {_NO_HEADERS}, array({_header_sql(dead_letters.KEY, f'{RAW}.key')}))"
    cut = f"array({_header_sql(dead_letters.TRUNCATED, f'cast(cast({length} AS STRING) AS BINARY)')})"
    long = f"coalesce({length}, 0) > {dead_letters.MAX_VALUE_BYTES}"
    opening = string_sql(f'["{source.topic}",')  # a topic's name has no character that JSON escapes
    coordinates_key = f"concat({opening}, _partition, ',', _offset, ']')"
    return [
        column(f"cast({coordinates_key} AS BINARY)", "key"),
        column(
            f"if({long}, substring({RAW}.value, 1, {dead_letters.TRUNCATED_BYTES}), {RAW}.value)", "value"
        ),
        column(f"concat({own}, {always}, {key}, if({long}, {cut}, {_NO_HEADERS}))", "headers"),
    ]


def _header_sql(name: str, value: str) -> str:
    return f"named_struct('key', {string_sql(name)}, 'value', {value})"
