"""From a desired run to a started Spark query."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final

from pyspark.sql import Column, Observation, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from jobs.base.problems import Problem, problem
from jobs.connections import ClusterProfile, jvm_options
from jobs.engine.columns import column, text_literal
from jobs.engine.counting import PASSED
from jobs.engine.cut_rows import CutRows
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.listener import ProgressListener, start_heard
from jobs.engine.lowering import acts_alone, is_final, lower_plan, output_records, sorts, watermark_policy
from jobs.engine.progress import source_read
from jobs.engine.rows import Rows
from jobs.engine.session import session_for
from jobs.engine.sinks.kafka import record_columns
from jobs.engine.sources.kafka import read_between, read_copy, read_topic
from jobs.messages import MAX_PASSED_BYTES, DesiredRun, SourceRead
from jobs.plan import Facts, Plan, Sink, StageName, plan_job

JITTER: Final = 0.15  # of the commit interval: boundaries of different runs must not coincide


@dataclass(frozen=True)
class PlanRefusedError(Exception):
    """The run's document does not pass the check of this engine."""

    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        return "; ".join(f"{'.'.join(p.path)}: {p.message}" for p in self.problems)


def plan_of(run: DesiredRun) -> Plan:
    """The checked plan of a run.

    Raises:
        PlanRefusedError: it has errors, or none of it can be run.
    """
    topics = {output["to"]["topic"]: run.topics[name] for name, output in run.document["outputs"].items() if name in run.topics}
    contracts = {source.stream: source.contract for source in run.sources.values()}
    plan = plan_job(run.document, contracts, Facts(topics=topics))
    if not plan.ok:
        raise PlanRefusedError(tuple(p for p in plan.problems if p.severity == "error"))
    return plan


def start_query(
    base: SparkSession,
    run: DesiredRun,
    plan: Plan,
    home: ClusterProfile,
    listener: ProgressListener,
    attempt: int = 0,
    stage: StageName | None = None,
    cuts: CutRows | None = None,
    copied: Callable[[dict[str, SourceRead]], None] | None = None,
) -> StreamingQuery:
    """Start the query of a run, or of one of its stages; it goes on by itself until it is stopped or fails.

    Args:
        base: session of the application.
        run: as desired.
        plan: of its document, or of that stage.
        home: cluster of the result topic.
        listener: hears of its batches and its end.
        attempt: how often this epoch was started before.
        stage: where the run has several; its checkpoint lies in a folder of that name. None: it has one.
        cuts: of a run that is cut; the stage that passes rows on is started before the one that reads them.
        copied: hears what was read of the tables that are copied; called by another thread.

    Raises:
        PySparkException: Spark refuses the query.
        CopyTooLargeError: a table that is copied has too many rows.
    """
    final = is_final(plan)
    (part,) = plan.stages
    session = session_for(base, run, empty_batches=acts_alone(plan), watermark=watermark_policy(plan), sorts=sorts(plan))
    raw = {name: read_topic(session, run, source, attempt) for name, source in run.sources.items() if name in plan.flowing}
    copies = {name: read_copy(session, run, source) for name, source in run.sources.items() if name in plan.copied}
    writers = WriterSchemas(home, run.workspace)
    given: Mapping[str, Rows] = {}
    if part.reads and cuts is not None:
        given = cuts.read(part.reads, read_between(session, run, _between(run), home, attempt))
    counts = {name: Observation() for name in copies}
    made = lower_plan(plan, raw, writers, copies, given, counts)
    if counts and copied is not None:
        # Spark tells what it counted after the batch that took the copies; the start does not wait for that.
        Thread(target=_tell_counts, args=(counts, copied), name=f"copies of {run.run_id}", daemon=True).start()
    records = output_records(plan, made, lambda sink, rows: _record(run, sink, rows, cuts))
    if part.passes:
        records = records.observe(PASSED, column(f"count_if(topic = {text_literal(_between(run))})", "rows"))
    writer = (
        records.writeStream.format("kafka")
        .options(**jvm_options(home))
        .options(**_producer_options(run, passes=bool(part.passes)))
        .option("checkpointLocation", run.checkpoint if stage is None else f"{run.checkpoint}/{stage}")
        .queryName(f"{run.run_id}-{run.epoch}{'' if stage is None else f'-{stage}'}")
        .outputMode("append" if final else "update")
    )
    session.sparkContext.setLocalProperty("spark.scheduler.pool", run.run_id)
    return start_heard(session, _triggered(writer, run), listener)


def _tell_counts(counts: Mapping[str, Observation], copied: Callable[[dict[str, SourceRead]], None]) -> None:
    copied({name: source_read(observation.get) for name, observation in counts.items()})


def _between(run: DesiredRun) -> str:
    if run.between is None:
        message = "Rows pass from one query of this job to the other, and the run names no topic for them."
        raise PlanRefusedError((problem("EMIT_UNSUPPORTED", ("steps",), message, "Start the job anew."),))
    return run.between.topic


def _record(run: DesiredRun, sink: Sink, rows: Rows, cuts: CutRows | None) -> list[Column]:
    if sink.cut is not None and cuts is not None:
        return [column(text_literal(_between(run)), "topic"), *cuts.record(sink, rows, run.epoch)]
    topic = run.result_topic if sink.topic is None else run.topics[sink.name]
    avro = run.avro[sink.name] if sink.format == "avro" else None
    return [column(text_literal(topic), "topic"), *record_columns(rows, run.epoch, run.partial_before_us, avro, sink.names)]


def _producer_options(run: DesiredRun, *, passes: bool) -> dict[str, str]:
    linger = "0" if run.mode == "realtime" else "5"
    greatest = {"kafka.max.request.size": str(MAX_PASSED_BYTES)} if passes else {}
    return {"includeHeaders": "true", "kafka.linger.ms": linger, **greatest}


def _triggered(writer: DataStreamWriter, run: DesiredRun) -> DataStreamWriter:
    if run.mode == "realtime":
        # PySpark 4.3's overloads leave out its own real-time argument.
        untyped: Any = writer
        real_time: DataStreamWriter = untyped.trigger(realTime=f"{jittered_ms(run)} milliseconds")
        return real_time
    return writer.trigger(processingTime=f"{run.trigger_ms} milliseconds")


def jittered_ms(run: DesiredRun) -> int:
    """The run's commit interval, shifted by up to `JITTER` downwards; the same at every start of an epoch."""
    share = zlib.crc32(f"{run.run_id}/{run.epoch}".encode()) / 2**32
    return int(run.commit_interval_ms * (1 - JITTER * share))
