"""Starts a Spark query of a desired run."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from jobs.base.problems import Problem, problem
from jobs.connections import ClusterProfile, jvm_options
from jobs.engine.aggregate_layouts import StateLayoutError
from jobs.engine.batch_sizes import grow_batches
from jobs.engine.checkpoints import find_checkpoint, keep_layout, open_checkpoint
from jobs.engine.columns import column
from jobs.engine.commit_interval import commit_interval_ms
from jobs.engine.exchange_rows import ExchangeCodec
from jobs.engine.fetch_wait import fetch_wait_ms, has_own_engine, producer_options
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.listener import ProgressListener, start_with_listener
from jobs.engine.log_context import about_run
from jobs.engine.lowering import acts_alone, is_final, lower_plan, output_records, sorts, watermark_policy
from jobs.engine.observation import Metrics, observed
from jobs.engine.observed_metrics import EXCHANGED
from jobs.engine.owed_batch import NothingWaits, plan_owed_batch
from jobs.engine.partial_windows import PartialWindows
from jobs.engine.pending_layouts import keep_later
from jobs.engine.read_counts import counted_read
from jobs.engine.rows import Rows
from jobs.engine.session import session_for
from jobs.engine.sinks.kafka import record_columns
from jobs.engine.sources.kafka import read_exchange, read_static, read_topic
from jobs.engine.spark_log import name_tasks, query_name
from jobs.engine.state_snapshots import commits_between, take_snapshots
from jobs.engine.step_counts import StepCounts
from jobs.expressions.texts_sql import string_sql
from jobs.kafka_messages import MAX_EXCHANGE_ROW_BYTES, DesiredRun, SourceRead
from jobs.operators.field_digests import digest
from jobs.plan import Plan, PlanningContext, QueryName, Sink, plan_job

_BATCH_BYTES: Final = 128 * 1024  # of results on their way to one partition

log = logging.getLogger(__name__)

StaticReadHandler = Callable[[dict[str, SourceRead]], None]
"""Called with what was read of the static inputs, by source."""


@dataclass(frozen=True)
class PlanRefusedError(Exception):
    """The run's document has errors according to this engine's check."""

    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        return "; ".join(f"{'.'.join(p.path)}: {p.message}" for p in self.problems)


def plan_of(run: DesiredRun, home: ClusterProfile | None = None) -> Plan:
    """The checked plan of a run.

    Args:
        run: as desired.
        home: the engine's home cluster; None: which sources are there is told by their names.

    Raises:
        PlanRefusedError: the document has errors.
    """
    topics = {
        output["to"]["topic"]: run.topics[name]
        for name, output in run.document["outputs"].items()
        if name in run.topics
    }
    contracts = {source.stream: source.contract for source in run.sources.values()}
    context = PlanningContext(topics=topics, home_topics=None if home is None else _home_topics(run, home))
    plan = plan_job(run.document, contracts, context)
    if not plan.ok:
        raise PlanRefusedError(tuple(p for p in plan.problems if p.severity == "error"))
    return plan


def _home_topics(run: DesiredRun, home: ClusterProfile) -> dict[str, str]:
    return {
        source.stream: source.topic
        for source in run.sources.values()
        if source.cluster.cluster_id == home.cluster_id
    }


@dataclass(frozen=True)
class PreparedQuery:
    """A query of a run that has read nothing yet.

    Attributes:
        session: its own.
        plan: of the query.
        records: what it writes.
        writer: of the records, without a checkpoint.
        folder: where its generation keeps its checkpoint.
        run: as desired, with the windows that lack rows according to the checkpoint.
        again: prepares it anew.
        drains: it is to read what is in the topics now, then end.
    """

    session: SparkSession
    plan: Plan
    records: DataFrame
    writer: DataStreamWriter
    folder: str
    run: DesiredRun
    again: Callable[[], "PreparedQuery"]
    drains: bool = False


def start_query(
    base: SparkSession,
    run: DesiredRun,
    plan: Plan,
    home: ClusterProfile,
    listener: ProgressListener,
    attempt: int = 0,
    query: QueryName | None = None,
    codec: ExchangeCodec | None = None,
    on_static_read: StaticReadHandler | None = None,
    *,
    drains: bool = False,
    runs: int = 1,
    nothing_waits: NothingWaits | None = None,
) -> StreamingQuery:
    """Start a query of a run (`prepare_query`, `start_prepared`).

    Raises:
        PySparkException, PlanRefusedError, LoweringError, BroadcastTooLargeError, StateLayoutError: as these
            do.
    """
    prepared = prepare_query(
        base, run, plan, home, attempt, query, codec, on_static_read, drains=drains, runs=runs
    )
    return start_prepared(prepared, listener, runs=runs, nothing_waits=nothing_waits)


def start_prepared(
    prepared: PreparedQuery,
    listener: ProgressListener,
    *,
    runs: int = 1,
    nothing_waits: NothingWaits | None = None,
) -> StreamingQuery:
    """Start a prepared query, once; it runs until it is stopped or fails.

    Args:
        prepared: by `prepare_query`.
        listener: notified of its batches and its end.
        runs: number of runs of the host's engines.
        nothing_waits: as of `plan_owed_batch`; None: no such batch is planned.

    Raises:
        PySparkException: Spark refuses the query.
        KafkaException, ClusterRefusedError, DecryptionError: of `nothing_waits`.
        StateLayoutError: the stored state can't be adapted to the query.
        PlanRefusedError, LoweringError, BroadcastTooLargeError: it is prepared anew for adapted state, and
            that fails (`prepare_query`).
    """
    run = prepared.run
    made_from = digest([_document(run), prepared.plan.fingerprint, prepared.session.version])
    checkpoint = open_checkpoint(prepared.records, prepared.plan, prepared.folder, made_from)
    if PartialWindows(run.partial_before_us, checkpoint.partial_before_us).before_us != run.partial_before_us:
        prepared = prepared.again()
    name_tasks(prepared.session, prepared.run)
    in_batches_of_its_own = not prepared.drains and run.mode != "realtime"
    if nothing_waits is not None and in_batches_of_its_own and acts_alone(prepared.plan):
        plan_owed_batch(prepared.session, checkpoint.folder, nothing_waits)
    writer = prepared.writer.option("checkpointLocation", checkpoint.folder)
    interval_ms = None if prepared.drains else _interval_ms(prepared.run, runs)
    take_snapshots(prepared.session, commits_between(interval_ms))
    if prepared.drains:
        grow_batches(prepared.session, prepared.plan.fanout)
    triggered = _triggered(writer, prepared.run, interval_ms)
    query = start_with_listener(prepared.session, triggered, listener)
    if checkpoint.is_pending:
        keep_later(query, about_run(run, partial(_keep_layout, prepared, made_from)))
    return query


def _keep_layout(prepared: PreparedQuery, made_from: str) -> None:
    try:
        keep_layout(prepared.records, prepared.plan, prepared.folder, made_from)
    except (StateLayoutError, PySparkException, Py4JError, OSError) as error:
        # The run goes on, and the next start tries again. Until then its measures can't be changed.
        log.warning("the layout of the state is not kept", exc_info=error)


def _document(run: DesiredRun) -> list[Any]:
    """The document and the contracts, as JSON values."""
    contracts = {name: source.contract.model_dump(mode="json") for name, source in run.sources.items()}
    return [run.document, contracts]


def prepare_query(
    base: SparkSession,
    run: DesiredRun,
    plan: Plan,
    home: ClusterProfile,
    attempt: int = 0,
    query: QueryName | None = None,
    codec: ExchangeCodec | None = None,
    on_static_read: StaticReadHandler | None = None,
    *,
    drains: bool = False,
    runs: int = 1,
) -> PreparedQuery:
    """Lower a query of a run. Its state and its streams are not read yet; static inputs are, and of its
    checkpoint which windows lack rows.

    Args:
        base: session of the application.
        run: as desired.
        plan: of its document, or the part of it that this query computes.
        home: cluster of the result topic.
        attempt: how often this epoch was started before.
        query: name of the query; its checkpoint is in a folder of that name. None: the run has only one.
        codec: of a run with an exchange, whose upstream query is started first; None: no exchange.
        on_static_read: called in another thread, with what was read of the static inputs.
        drains: read what is in the topics now, then end.
        runs: number of runs of the host's engines.

    Raises:
        PySparkException: Spark refuses the query.
        PlanRefusedError: the plan needs an exchange topic, and the run has none.
        LoweringError: an operator without lowering.
        BroadcastTooLargeError: a broadcast table has too many rows.
        StateLayoutError: a newer Weir wrote the checkpoint.
    """
    again = partial(
        prepare_query, base, run, plan, home, attempt, query, codec, on_static_read, drains=drains, runs=runs
    )
    shares = not has_own_engine(run)
    (part,) = plan.queries
    folder = run.checkpoint if query is None else f"{run.checkpoint}/{query}"
    lacking = PartialWindows(run.partial_before_us, find_checkpoint(base, folder).partial_before_us)
    run = run.model_copy(update={"partial_before_us": lacking.before_us})
    session = session_for(
        base, run, empty_batches=acts_alone(plan), watermark=watermark_policy(plan), sorts=sorts(plan)
    )
    exchanged: Mapping[str, Rows] = {}
    if part.exchange_in and codec is not None:
        exchanged = codec.decode(
            part.exchange_in, read_exchange(session, run, _exchange_topic(run), home, attempt)
        )
    taps = StepCounts(plan)
    made = _lowered(
        session,
        run,
        plan,
        WriterSchemas(home, run.workspace),
        exchanged,
        attempt,
        on_static_read,
        taps,
        shares=shares,
    )
    records = output_records(plan, made, lambda sink, rows: _record(run, sink, rows, codec, lacking), taps)
    if part.exchange_out:
        own = f"count_if(topic = {string_sql(_exchange_topic(run))})"
        records = observed(records, [Metrics(EXCHANGED, {"rows": own})])
    writer = (
        records.writeStream.format("kafka")
        .options(**jvm_options(home))
        .options(**_producer_options(run, fetch_wait_ms(runs) if shares else 0))
        .queryName(query_name(run) if query is None else f"{query_name(run)}-{query}")
        .outputMode("append" if is_final(plan) else "update")
    )
    return PreparedQuery(session, plan, records, writer, folder, run, again, drains)


def _lowered(
    session: SparkSession,
    run: DesiredRun,
    plan: Plan,
    writers: WriterSchemas,
    exchanged: Mapping[str, Rows],
    attempt: int,
    on_static_read: StaticReadHandler | None,
    taps: StepCounts,
    *,
    shares: bool,
) -> dict[str, Rows]:
    """The rows that `lower_plan` gives for the run's topics. Static inputs are read now."""
    raw = {
        name: read_topic(session, run, source, attempt, shares=shares)
        for name, source in run.sources.items()
        if name in plan.streaming
    }
    static = {
        name: read_static(session, run, source) for name, source in run.sources.items() if name in plan.static
    }
    counts = {name: Observation() for name in static}
    made = lower_plan(plan, raw, writers, static, exchanged, counts, taps)
    if counts and on_static_read is not None:
        # A thread waits for Spark's counts, so that the start doesn't have to.
        Thread(
            target=_report_counts,
            args=(counts, on_static_read),
            name=f"static inputs of {run.run_id}",
            daemon=True,
        ).start()
    return made


def _report_counts(counts: Mapping[str, Observation], on_static_read: StaticReadHandler) -> None:
    on_static_read({name: counted_read(observation.get).read for name, observation in counts.items()})


def _exchange_topic(run: DesiredRun) -> str:
    if run.exchange is None:
        message = "This job needs an exchange between its queries, and the run has no topic for it."
        raise PlanRefusedError((problem("EMIT_UNSUPPORTED", ("steps",), message, "Start a new generation."),))
    return run.exchange.topic


def _record(
    run: DesiredRun,
    sink: Sink,
    rows: Rows,
    codec: ExchangeCodec | None,
    lacking: PartialWindows,
) -> list[Column]:
    if sink.exchange is not None and codec is not None:
        return [column(string_sql(_exchange_topic(run)), "topic"), *codec.encode(sink, rows, run.epoch)]
    topic = run.result_topic if sink.topic is None else run.topics[sink.name]
    avro = run.avro[sink.name] if sink.format == "avro" else None
    return [
        column(string_sql(topic), "topic"),
        *record_columns(rows, run.epoch, lacking.of(rows.relation), avro, sink.names),
    ]


def _producer_options(run: DesiredRun, wait_ms: int) -> dict[str, str]:
    # A task of a micro-batch flushes at its end, so that nothing waits for others in vain.
    requests = (
        producer_options(wait_ms)
        if run.mode == "realtime"
        else {"kafka.linger.ms": "20", "kafka.batch.size": str(_BATCH_BYTES)}
    )
    # How large a row may be is said by its topic.
    return {"includeHeaders": "true", "kafka.max.request.size": str(MAX_EXCHANGE_ROW_BYTES), **requests}


def _interval_ms(run: DesiredRun, runs: int) -> int:
    """The time between two commits."""
    return commit_interval_ms(run, runs) if run.mode == "realtime" else run.trigger_ms


def _triggered(writer: DataStreamWriter, run: DesiredRun, interval_ms: int | None) -> DataStreamWriter:
    """The writer with its trigger; without an interval it reads what is there now, and ends."""
    if interval_ms is None:
        return writer.trigger(availableNow=True)
    if run.mode == "realtime":
        # The overloads in PySpark 4.3 lack its own argument for real-time mode.
        untyped: Any = writer
        real_time: DataStreamWriter = untyped.trigger(realTime=f"{interval_ms} milliseconds")
        return real_time
    return writer.trigger(processingTime=f"{interval_ms} milliseconds")
