"""A query of a play: its session, what it reads, and its batches."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.columns import column
from jobs.engine.exchange_rows import ExchangeCodec
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.lowering import is_final, lower_plan, output_records, sorts, watermark_policy
from jobs.engine.observation import observed
from jobs.engine.play.copies import Copies
from jobs.engine.play.feed import EXCHANGED, Feed, Record, Records, static_records
from jobs.engine.play.readings import Reading, reading_of
from jobs.engine.play.taps import OUTPUT, PlayTaps, event_time, output_metrics
from jobs.engine.rows import Rows
from jobs.engine.session import allow_sorting, detach_query
from jobs.engine.sinks.kafka import record_columns
from jobs.expressions.texts_sql import string_sql
from jobs.plan import Plan, Sink
from jobs.plan.model import SOURCE
from jobs.play import PlayedSource, PlayJob

_CONFIGURATION: Final = {
    "spark.sql.shuffle.partitions": "1",
    # The script says which batches there are.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.pollingDelay": "1",
    "spark.sql.streaming.noDataProgressEventInterval": "1d",
    # Each holds the rows of a batch; of 1 Spark keeps none.
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.ui.explainMode": "simple",
    # Plans as texts for pages that are not there; one that fails is a job's, too.
    "spark.sql.debug.maxToStringFields": "0",
    # Spark checks itself after each rule.
    "spark.sql.lightweightPlanChangeValidation": "false",
    # How Spark computes, never what: expressions and operators as they stand instead of Java classes that are
    # compiled for each plan, which takes most of the time of a query over few rows.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


class PlayQuery:
    """One query of the document.

    Args:
        base: session of the application; the query gets one of its own.
        job: what is played.
        plan: of the whole document.
        part: the part of it that this query computes.
        codec: of the exchange between the queries.
        checkpoint: a new folder.
        writers: finds schemas whose ids the contracts do not name; None: they are not looked up.
        group: job group of all that Spark computes for the play.
        held: returns the records of a static source, which are read at each start.
    """

    def __init__(
        self,
        base: SparkSession,
        job: PlayJob,
        plan: Plan,
        part: Plan,
        codec: ExchangeCodec,
        checkpoint: Path,
        writers: WriterSchemas | None,
        group: str,
        held: Callable[[str], list[Record]],
    ) -> None:
        self.part = part
        (self.query,) = part.queries
        self.checkpoint = checkpoint
        self._progress = checkpoint.with_name(f"{checkpoint.name}.progress.json")
        self.number = -1
        self.taps = PlayTaps(plan, job)
        self._limits = job.limits
        self._codec, self._writers, self._group, self._held = codec, writers, group, held
        self._session = _session(base, part)
        self._feed = Feed(self._session)
        self._running: StreamingQuery | None = None
        self._copies = Copies(())
        self._lock = threading.Lock()
        self._ended = False

    def start(self) -> None:
        """Start the query on its checkpoint."""
        records = self._records()
        metrics = [
            output_metrics(_output(sink), self._limits, exchange=sink.exchange is not None)
            for sink in self.part.sinks
        ]
        records = observed(records, metrics)
        self._session.sparkContext.setJobGroup(self._group, "play", interruptOnCancel=True)
        writer = (
            records.writeStream.format("noop")
            .outputMode("append" if is_final(self.part) else "update")
            .option("checkpointLocation", str(self.checkpoint))
        )
        with self._lock:
            if not self._ended:
                self._running = writer.start()

    def add(self, records: Records) -> None:
        """The records of the next batch, by source."""
        self._feed.add(records)

    def batch(self) -> Reading:
        """Run one batch with what was added.

        Raises:
            PySparkException: it failed, or the query was stopped meanwhile.
        """
        running = self._running
        if running is None:
            raise PySparkException("the query is not running")
        running.processAllAvailable()
        jvm: Any = self._session.sparkContext._jvm
        if not jvm.weir.play.BatchProgress.write(running._jsq, str(self._progress)):
            raise PySparkException("the query was stopped before its first batch ended")
        reading = reading_of(self._progress.read_bytes(), self.part)
        self.number = reading.number
        return reading

    def copied(self) -> dict[str, PlayedSource]:
        """What its broadcast tables held when it was started, by source."""
        return self._copies.counts()

    def stop(self) -> None:
        """Stop the query; `start` goes on on the same checkpoint."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.stop()
            detach_query(running)

    def end(self) -> None:
        """Stop the query for good, from any thread."""
        self._ended = True
        self.stop()

    def forget_commit(self) -> None:
        """As if the process had died before it committed the last batch."""
        commit = self.checkpoint / "commits" / str(self.number)
        commit.unlink(missing_ok=True)
        commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)

    def _records(self) -> DataFrame:
        sources = [node.name for node in self.part.live_nodes if node.op == SOURCE]
        raw = {name: self._feed.raw(name) for name in sources if name in self.part.streaming}
        held = {name: self._held(name) for name in sources if name in self.part.static}
        static = {name: static_records(self._session, name, records) for name, records in held.items()}
        self._copies = Copies(name for name, records in held.items() if records)
        exchanged: Mapping[str, Rows] = {}
        if self.query.exchange_in:
            exchanged = self._codec.decode(self.query.exchange_in, self._feed.raw(EXCHANGED))
        observations = self._copies.observations
        made = lower_plan(self.part, raw, self._writers, static, exchanged, observations, self.taps)
        self._copies.begin()
        return output_records(self.part, made, self._written, self.taps)

    def _written(self, sink: Sink, rows: Rows) -> list[Column]:
        """The columns of a record, headers included: what nothing reads would be left out of the state."""
        key, value, headers = (
            self._codec.encode(sink, rows, 1)
            if sink.exchange is not None
            else record_columns(rows, 1, None, names=sink.names)
        )
        return [
            column(string_sql(_output(sink)), "output"),
            key.cast("string").alias("key"),
            value.cast("string").alias("value"),
            headers,
            event_time(rows),
        ]


def exchange_output(query: PlayQuery) -> list[str]:
    """Names under which the rows that a query hands to the other one are observed."""
    return [f"{OUTPUT}{_output(sink)}" for sink in query.query.exchange_out]


def _output(sink: Sink) -> str:
    return sink.name if sink.exchange is None else f"exchange {sink.exchange}"  # no output has a blank


def _session(base: SparkSession, part: Plan) -> SparkSession:
    session = base.newSession()
    for name, value in _CONFIGURATION.items():
        session.conf.set(name, value)
    session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", watermark_policy(part))
    if sorts(part):
        allow_sorting(session)
    return session
