"""A document on Spark, batch by batch and fast.

Long-running queries, all sources in one memory stream, no broker.

Decoding, lowering and result records are the engine's own. Spark adds no empty batches: a script says which
there are. A script with restarts reads a file per batch, since what lies in memory does not outlive its
query.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming import StreamingQuery

from jobs.base.instants import instant_of
from jobs.engine.checkpoints import find_checkpoint, keep_layout, open_checkpoint
from jobs.engine.exchange_rows import ExchangeCodec, watermark_record
from jobs.engine.late_row_factor import late_steps_shared
from jobs.engine.lowering import is_final, lower_plan, output_records, sorts, watermark_policy
from jobs.engine.observation import separated
from jobs.engine.progress import expression_nulls, malformed
from jobs.engine.rows import Rows
from jobs.engine.run_progress import owned_nodes
from jobs.engine.session import allow_sorting
from jobs.engine.sinks.kafka import record_columns
from jobs.engine.state_steps import state_steps
from jobs.engine.step_counts import StepCounts
from jobs.engine.step_progress import StepProgress
from jobs.formats.contract import StreamContract
from jobs.formats.heartbeats import HEADER
from jobs.kafka_messages import HEADER_PARTIAL
from jobs.plan import Plan, Query, Sink, plan_job
from tests.oracle.records import HEARTBEAT, PARTITION, TOMBSTONE, fields_of
from tests.support.memory_stream import MemoryStream, written_rows
from tests.support.record_texts import key_text, value_text

RECORDS = "source STRING, at_us LONG, key STRING, value STRING, heartbeat STRING, partition INT, offset LONG"
HEADERS = f"""
    if(heartbeat IS NULL, cast(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>),
        array(named_struct('key', '{HEADER}', 'value', cast(heartbeat AS BINARY))))
"""

# How Spark computes, never what: expressions and operators as they stand instead of Java classes that are
# compiled for each plan, which takes most of the time of a query over ten rows; and plans told briefly to
# listeners that nobody reads.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

Contents = dict[str, dict[str, dict[str, Any]]]
Record = tuple[int, dict[str, Any] | tuple[bytes | None, bytes | None]]
"""Kafka timestamp in µs; and a row's values (a table's may be a tombstone), or key and value as sent."""


class SparkDocument:
    """Feeds one document batch by batch, and keeps the content of each output.

    Args:
        spark: a session; the query gets one of its own.
        folder: new; for input and checkpoint.
        document: the job document.
        contracts: by registered name, as JSON values.
        restarts: the script stops or kills the queries; each batch then takes longer.
        compiled: as an engine does, Spark compiles Java classes for each plan. Otherwise it interprets: half
            the processor time.
        partitions: of state.
    """

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        document: Mapping[str, Any],
        contracts: Mapping[str, Any],
        *,
        restarts: bool = False,
        compiled: bool = True,
        partitions: int = 1,
    ) -> None:
        self._spark = spark
        self._partitions = partitions
        self._restarts = restarts
        self._compiled = compiled
        self._contracts = _validated(contracts)
        self._plan = plan_job(document, self._contracts)
        assert self._plan.ok, self._plan.problems
        self._offsets: Counter[tuple[str, int]] = Counter()  # by source and partition
        self._registered = _registered(document, self._contracts)
        self._folder = folder
        (folder / "in").mkdir(parents=True)
        (
            folder / "downstream"
        ).mkdir()  # the same with the rows of the exchange, for the query that reads them
        self._number = 0
        self._codec = ExchangeCodec(self._plan)
        self._exchanged: list[str] = []  # values of records that the upstream query has written in this batch
        self._lines: list[dict[str, Any]] = []  # of this batch
        self._queries = [self._query(spark, query) for query in self._plan.queries]
        self.contents: Contents = {name: {} for name in document["outputs"]}
        self.partial: set[tuple[str, str]] = set()
        """Output and identity of the rows that are marked as lacking rows."""
        self.progress: list[Any] = []

    @property
    def late(self) -> int:
        """Late rows, as the engine counts them."""
        found = [query.late for query in self._queries]
        return max(found) if late_steps_shared(self._plan) else sum(found)

    @property
    def errors(self) -> dict[str, int]:
        """By step, rows in which an error became null, as the engine counts them.

        Steps without errors are omitted.
        """
        return self._counted(lambda query: query.errors)

    @property
    def malformed(self) -> dict[str, int]:
        """By source the records, by step the keyless rows, that were left out, as the engine counts them."""
        return self._counted(lambda query: query.malformed)

    @property
    def given(self) -> dict[str, int]:
        """By reference, the rows that sources and steps gave, as the engine counts them."""
        return self._counted(lambda query: query.given)

    def _counted(self, of: Callable[["_SparkQuery"], Counter[str]]) -> dict[str, int]:
        nodes = owned_nodes(self._plan)
        by_query = zip(self._plan.queries, self._queries, strict=True)
        return {
            name: count
            for query, played in by_query
            for name, count in of(played).items()
            if count and name.partition(".")[0] in nodes[query.name]
        }

    def batch(self, records: Mapping[str, Sequence[Record]]) -> Contents:
        """Run one batch with these records; returns the contents after it.

        A downstream query runs directly after.
        """
        self._lines = [
            line
            for source, rows in records.items()
            for record in rows
            for line in (*self._left_out(source, record[0]), self._line(source, *record))
        ]
        if self._restarts or self._plan.static:
            _write(self._folder / "in", self._number, self._lines)
        for query in self._queries:
            if not query.exchange_in:
                query.add(self._lines)
        self._number += 1
        for query in self._queries:
            progress = query.batch(self._number - 1)
            self.progress.append(progress)
            if query.exchange_out:
                self._hand_over(progress)
        return {name: dict(content) for name, content in self.contents.items()}

    def kill(self) -> None:
        """As if the process had died after the last batch's rows were written and before it was committed.

        The next batch starts a new query, which first repeats that one.
        """
        self.stop()
        for query in self._queries:
            commit = (
                Path(find_checkpoint(self._spark, str(query.checkpoint)).folder)
                / "commits"
                / str(self._number - 1)
            )
            commit.unlink(missing_ok=True)
            commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)

    def stop(self) -> None:
        """End the queries; `batch` starts them again."""
        for query in self._queries:
            query.stop()

    def become(self, document: Mapping[str, Any], contracts: Mapping[str, Any] | None = None) -> None:
        """End the queries; `batch` starts another document's, over the same sources and checkpoints.

        Args:
            document: which may be the same.
            contracts: those of its sources from now on; None: as they were.
        """
        self.stop()
        if contracts is not None:
            self._contracts = _validated(contracts)
            self._registered = _registered(document, self._contracts)
        self._plan = plan_job(document, self._contracts)
        assert self._plan.ok, self._plan.problems
        checkpoints = [query.checkpoint for query in self._queries]
        self._queries = [self._query(self._spark, query) for query in self._plan.queries]
        for query, checkpoint in zip(self._queries, checkpoints, strict=True):
            query.checkpoint = checkpoint
        self.contents = {name: self.contents.get(name, {}) for name in document["outputs"]}

    def _query(self, spark: SparkSession, query: Query) -> "_SparkQuery":
        session = spark.newSession()
        conf = session.conf
        conf.set("spark.sql.shuffle.partitions", str(self._partitions))
        conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
        conf.set("spark.sql.streaming.multipleWatermarkPolicy", watermark_policy(self._plan.for_query(query)))
        conf.set("spark.sql.streaming.pollingDelay", "1")
        conf.set(
            "spark.sql.streaming.noDataProgressEventInterval", "1d"
        )  # a query that waits for the other says nothing
        part = self._plan.for_query(query)
        conf.set("spark.sql.ui.explainMode", "simple")
        for name, value in ({} if self._compiled else INTERPRETED).items():
            conf.set(name, value)
        if sorts(part):
            allow_sorting(session)
        memory = None if self._restarts else MemoryStream(session, RECORDS)

        def lowered(partial_before_us: int | None) -> DataFrame:
            folder = self._folder / ("downstream" if query.exchange_in else "in")
            read = (
                memory.frame() if memory is not None else session.readStream.schema(RECORDS).json(str(folder))
            )
            return self._lowered(session, part, query, read, partial_before_us)

        return _SparkQuery(
            session, part, lowered, self._folder / "checkpoint" / query.name, self._take, memory
        )

    def _take(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            output, key, value = row["output"], row["key"], row["value"]
            if output is None:
                self._exchanged.append(value)
                continue
            self.contents[output].pop(key, None)
            if value is not None:
                self.contents[output][key] = json.loads(value)
                if any(header["key"] == HEADER_PARTIAL for header in row["headers"]):
                    self.partial.add((output, key))
                else:
                    self.partial.discard((output, key))

    def _left_out(self, source: str, at_us: int) -> list[dict[str, Any]]:
        """Change events of a table that leave no row, before some of the others. In a stream their offsets
        would be others' identities.
        """
        contract, at = self._registered[source], self._offsets[source, 0]
        if contract.format != "debezium" or contract.kind != "table" or at % 3:
            return []
        event = json.dumps({"op": "t" if at % 2 else "m", "before": None, "after": None})
        return [self._line(source, at_us, (None, event.encode()))]

    def _line(
        self, source: str, at_us: int, values: dict[str, Any] | tuple[bytes | None, bytes | None]
    ) -> dict[str, Any]:
        contract = self._registered[source]
        partition = 0 if isinstance(values, tuple) else values.get(PARTITION, 0)
        row: dict[str, Any] = {
            "source": source,
            "at_us": at_us,
            "partition": partition,
            "offset": self._offsets[source, partition],
        }
        self._offsets[source, partition] += 1
        if isinstance(values, tuple):
            sent = {"key": values[0], "value": values[1]}
            return row | {name: text.decode() for name, text in sent.items() if text is not None}
        sent = {
            "key": key_text(contract.key, values),
            "value": value_text(values),
            "heartbeat": values.get(HEARTBEAT),
        }
        if contract.format == "debezium":
            sent["value"] = _change(None if TOMBSTONE in values else fields_of(values), row["offset"])
        return row | {name: text for name, text in sent.items() if text is not None}

    def _hand_over(self, progress: Any) -> None:
        """Exchanged rows, a watermark record and sources' records as one batch of the downstream query."""
        watermark = instant_of(datetime.fromisoformat(progress["eventTime"]["watermark"]))
        values = [*self._exchanged, watermark_record(watermark).decode()]
        self._exchanged.clear()
        lines = [*self._lines, *({"value": value} for value in values)]
        if self._restarts:
            _write(self._folder / "downstream", self._number - 1, lines)
        for query in self._queries:
            if query.exchange_in:
                query.add(lines)

    def _lowered(
        self,
        session: SparkSession,
        plan: Plan,
        query: Query,
        read: DataFrame,
        partial_before_us: int | None,
    ) -> DataFrame:
        raw = {node.name: _raw(read, node.name) for node in plan.live_nodes if node.op == "source"}
        loaded = [name for name in self._registered if name in plan.static]
        held = session.read.schema(RECORDS).json(str(self._folder / "in")) if loaded else read
        static = {name: _raw(held, name) for name in loaded}
        exchanged = self._codec.decode(query.exchange_in, read.where("source IS NULL"))
        taps = StepCounts(plan)
        made = lower_plan(plan, raw, static=static, given=exchanged, taps=taps)
        return output_records(plan, made, partial(self._shown, partial_before_us), taps)

    def _shown(self, partial_before_us: int | None, sink: Sink, rows: Rows) -> list[Column]:
        """The columns of a record, headers included: what nothing reads would be left out of the state."""
        is_exchanged = sink.exchange is not None
        key, value, headers = (
            self._codec.encode(sink, rows, 1)
            if is_exchanged
            else record_columns(rows, 1, partial_before_us, names=sink.names)
        )
        name = F.lit(None if is_exchanged else sink.name).cast("string")
        return [
            name.alias("output"),
            key.cast("string").alias("key"),
            value.cast("string").alias("value"),
            headers,
        ]


def _validated(contracts: Mapping[str, Any]) -> dict[str, StreamContract]:
    return {name: StreamContract.model_validate(written) for name, written in contracts.items()}


def _registered(
    document: Mapping[str, Any], contracts: Mapping[str, StreamContract]
) -> dict[str, StreamContract]:
    """The contract of each source."""
    return {name: contracts[ref.get("stream") or ref["table"]] for name, ref in document["sources"].items()}


class _SparkQuery:
    """One query of the document."""

    def __init__(
        self,
        session: SparkSession,
        plan: Plan,
        lowered: Callable[[int | None], DataFrame],
        checkpoint: Path,
        take: Callable[[Iterable[Mapping[str, Any]]], None],
        memory: MemoryStream | None,
    ) -> None:
        self.checkpoint = checkpoint
        self.exchange_in = bool(plan.queries[0].exchange_in)
        self.exchange_out = bool(plan.queries[0].exchange_out)
        self.late = 0
        self.errors: Counter[str] = Counter()
        self.malformed: Counter[str] = Counter()
        self.given: Counter[str] = Counter()
        self._steps = StepProgress(plan)
        self._document = json.dumps(plan.document.as_json() if plan.document is not None else None)
        self._session = session
        self._plan = plan
        self._lowered = lowered
        self._take = take
        self._memory = memory
        self._query: StreamingQuery | None = None
        self._view = f"played_{id(self)}"

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows of the next batch, where it reads them from memory."""
        if self._memory is not None:
            self._memory.add(rows)

    def batch(self, number: int) -> Any:
        """Read one batch; returns Spark's progress.

        Starts with the first records, which a broadcast table holds.
        """
        if self._query is None:
            self._query = self._start()
        self._query.processAllAvailable()
        if self._last != number:  # Spark had listed the folder before the file was there
            self._query.processAllAvailable()
        progress = self._query.lastProgress
        assert progress is not None
        assert self._last == number, (
            f"a script's batch is one batch of Spark's: {self._last} instead of {number}"
        )
        observed = separated(json.loads(progress.json))
        self.late += self._steps.late(progress["stateOperators"], observed)
        kept, wanted = self._steps.states(progress["stateOperators"], observed), state_steps(self._plan)
        assert kept.keys() == {step for _, step in wanted if step is not None}, (
            f"{wanted} is not {[state['operatorName'] for state in progress['stateOperators']]}"
        )
        for reference, rows in self._steps.given(observed, progress["sink"]["numOutputRows"]).items():
            self.given[reference] += rows
        self.errors.update(expression_nulls(observed))
        self.malformed.update(malformed(observed))
        if self._memory is not None:
            self._take(written_rows(self._query, number))
        return progress

    @property
    def _last(self) -> int | None:
        progress = self._query.lastProgress if self._query is not None else None
        return progress["batchId"] if progress is not None else None

    def stop(self) -> None:
        if self._query is not None:
            self._query.stop()
            self._query = None
        if self._memory is not None:
            self._session.sql(f"DROP VIEW IF EXISTS {self._view}")

    def _start(self) -> StreamingQuery:
        base = str(self.checkpoint)
        found = find_checkpoint(self._session, base)
        records = self._lowered(found.partial_before_us)
        opened = open_checkpoint(records, self._plan, base, self._document)
        if opened.partial_before_us != found.partial_before_us:
            records = self._lowered(opened.partial_before_us)
        writer = records.writeStream.outputMode("append" if is_final(self._plan) else "update")
        if self._memory is None:  # Spark refuses to resume into its memory sink
            writer = writer.foreachBatch(
                lambda frame, batch: self._take(row.asDict() for row in frame.collect())
            )
        else:
            writer = writer.format("memory").queryName(self._view)
        query = writer.option("checkpointLocation", opened.folder).start()
        if opened.is_pending and self._memory is None:  # only such a query is started again
            keep_layout(records, self._plan, base, self._document)
        return query


def _change(after: dict[str, Any] | None, number: int) -> str | None:
    """The value of a change event, as connectors write them by turns: plain or beside its schema; a deletion
    as an event, or as the tombstone after it.
    """
    if after is None and number % 2:
        return None
    event = {"op": "d" if after is None else "cur"[number % 3], "before": None, "after": after}
    return json.dumps({"schema": {}, "payload": event} if number % 4 < 2 else event)


def _raw(frame: DataFrame, source: str) -> DataFrame:
    """Kafka's own columns of the records of one source."""
    return frame.where(F.expr(f"source = '{source}'")).select(
        F.expr("cast(key AS BINARY) AS key"),
        F.expr("cast(value AS BINARY) AS value"),
        F.expr("'t' AS topic"),
        F.expr("partition"),
        F.expr("offset"),
        F.expr("timestamp_micros(at_us) AS timestamp"),
        F.expr(f"{HEADERS} AS headers"),
    )


def _write(folder: Path, number: int, lines: Iterable[Mapping[str, Any]]) -> None:
    """The file of a batch. A blank line is a file without rows: Spark runs a batch that reads nothing."""
    hidden = folder / f".{number:04}.json"
    hidden.write_text("\n".join(map(json.dumps, lines)) + "\n")
    hidden.rename(folder / f"{number:04}.json")
