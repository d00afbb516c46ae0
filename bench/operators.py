"""Throughput per operator.

Rows per CPU-second of a job of ours, and of the same job written by hand, in one Spark session.

All read the same files of records, with the settings of an engine, and write to Spark's sink that keeps
nothing: what is compared is the work of Spark's operators, decoding and encoding included, without a broker.
The job by hand is played twice: over rows that were decoded as ours are, which leaves the operator alone to
be compared, and over rows decoded by a bare `from_json`, which trusts its input.
"""

import json
import os
import statistics
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from bench.operator_jobs import DELAY, FIELDS, JOBS, SCHEMA, BenchJob
from bench.trials import Trials
from bench.usage import Strangers, cpu_below
from jobs.engine.lowering import is_final, lower_plan, output_records, sorts
from jobs.engine.rows import Rows
from jobs.engine.session import allow_sorting
from jobs.engine.sinks.kafka import record_columns
from jobs.engine.sources.kafka import read_source
from jobs.formats.contract import StreamContract
from jobs.plan import Plan, Sink, SourceBound, plan_job
from tests.support.spark_session import local_session

BEGIN_MS = 1_767_261_600_000
KEYS = 10_000
FILES = 5
SIDES = ("ours", "by_hand", "trusting")
NO_HEADERS = "cast(null AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"
VALUE = "to_json(named_struct({}))"
MEMBERS = {
    "k": f"concat('k', id % {KEYS})",
    "id": "id",
    "x": "int(id % 1000 - 500)",
    "y": "double(id % 977)",
    "price": "format_number((id % 10000) / 100, '0.00')",
    "line": "concat('The quick brown fox ', id, ' jumps over the lazy dog')",
    "tags": "array('red', concat('t', id % 7), 'blue')",
}


def measure(folder: Path, rows: int, runs: int) -> dict[str, Any]:
    """Measure every job.

    Args:
        folder: new, for records and checkpoints.
        rows: of each stream.
        runs: that count, of each; one more goes before them, because a JVM compiles what is used again.

    Returns:
        rows, runs, strangers (cores), failed, and by job: ours, by_hand and trusting (rows per CPU-second;
        null where nothing is written by hand), native.
    """
    strangers, parts = Strangers(folder), Trials()
    found: dict[str, Any] = {}
    with local_session(folder) as spark:
        for name, shift_ms in (("s", 0), ("r", 500), ("t", 0)):
            _write(spark, folder / name, KEYS if name == "t" else rows, shift_ms, name)
        for job in JOBS:
            rates = parts.run(job.name, partial(_rates, spark, folder, job, rows, runs))
            if rates is not None:
                found[job.name] = {**rates, "native": job.native}
            print(f"{job.name}: {rates}", flush=True)
    return {
        "rows": rows, "runs": runs, "strangers": strangers.cores(), "jobs": found, "failed": parts.end(),
    }  # fmt: skip


def _rates(spark: SparkSession, folder: Path, job: BenchJob, rows: int, runs: int) -> dict[str, int | None]:
    """Rows per CPU-second of each side of a job; null where nothing is written by hand."""
    read = sum(KEYS if source == "t" else rows for source in job.sources)
    sides = SIDES if job.by_hand is not None else SIDES[:1]
    used: dict[str, list[float]] = {side: [] for side in sides}
    for number in range(runs + 1):  # side by side, so that a machine that changes its speed changes all
        for side in sides:
            used[side].append(_cpu_of_side(spark, folder, job, side, number))
    rates = {side: round(read / statistics.median(seconds[1:])) for side, seconds in used.items()}
    return {side: rates.get(side) for side in SIDES}


def _write(spark: SparkSession, target: Path, rows: int, shift_ms: int, name: str) -> None:
    """Records as Kafka's source gives them, in files of consecutive offsets."""
    members = ", ".join(f"'{field}', {text}" for field, text in MEMBERS.items())
    records = spark.range(0, rows, 1, FILES).select(
        F.expr(
            "cast(to_json(named_struct('k', concat('k', id))) AS BINARY) AS key"
            if name == "t"
            else "cast(null AS BINARY) AS key"
        ),
        F.expr(f"cast({VALUE.format(members)} AS BINARY) AS value"),
        F.expr("'t' AS topic"),
        F.expr("0 AS partition"),
        F.expr("id AS offset"),
        F.expr(f"timestamp_millis({BEGIN_MS + shift_ms} + id) AS timestamp"),
        F.expr(f"{NO_HEADERS} AS headers"),
    )
    records.write.parquet(str(target))


def from_files(session: SparkSession, folder: Path, name: str) -> DataFrame:
    path = str(folder / name)
    return (
        session.readStream.schema(session.read.parquet(path).schema)
        .option("maxFilesPerTrigger", 1)
        .parquet(path)
    )


def _cpu_of_side(spark: SparkSession, folder: Path, job: BenchJob, side: str, number: int) -> float:
    session, plan = spark.newSession(), _plan(job)
    raw = {source: from_files(session, folder, source) for source in job.sources}
    static = {source: session.read.parquet(str(folder / source)) for source in job.static}
    if side == "ours":
        if sorts(plan):
            allow_sorting(session)
        frame, mode = (
            output_records(plan, lower_plan(plan, raw, static=static), _shown),
            "append" if is_final(plan) else "update",
        )
    else:
        decode = _trusted if side == "trusting" else partial(_decoded, plan)
        assert job.by_hand is not None
        frame, mode = (
            _written(job.by_hand({name: decode(name, read) for name, read in {**raw, **static}.items()})),
            job.mode,
        )
    return cpu_of(frame, mode, folder / f"{side}-{JOBS.index(job)}-{number}")


def _decoded(plan: Plan, source: str, raw: DataFrame) -> DataFrame:
    """Rows as our own operators get them."""
    node = plan.node(source)
    assert isinstance(node.bound, SourceBound)
    frame = read_source(source, raw, node.bound, node.output).frame
    return frame.withColumnsRenamed({"_partition": "partition", "_offset": "offset"}).drop(
        "_timestamp", "_source"
    )


def _trusted(source: str, raw: DataFrame) -> DataFrame:  # noqa: ARG001 - the other way to decode asks for it
    read = raw.select(
        F.from_json(F.col("value").cast("string"), SCHEMA).alias("v"),
        F.col("timestamp").alias("_time"),
        "partition",
        "offset",
    )
    rows = read.select("v.*", "_time", "partition", "offset")
    return rows.withWatermark("_time", DELAY) if raw.isStreaming else rows


def _written(result: DataFrame) -> DataFrame:
    fields = [name for name in result.columns if name not in ("_time", "partition", "offset")]
    value = F.to_json(F.struct(*fields), {"ignoreNullFields": "false"})
    return result.select(F.to_json(F.struct(fields[0])).alias("key"), value.alias("value"))


def _plan(job: BenchJob) -> Plan:
    fields = [{"name": name, "type": type_} for name, type_ in FIELDS.items()]
    stream, table = (
        StreamContract.model_validate({"fields": fields}),
        StreamContract.model_validate({"fields": fields, "kind": "table", "key": ["k"]}),
    )
    document = {
        "format": 1,
        "name": "bench",
        "sources": {
            name: {"table" if name == "t" else "stream": name} for name in (*job.sources, *job.static)
        },
        "steps": job.steps,
        "outputs": {"out": {"input": [*job.sources[:1], *job.steps][-1], "to": "result"}},
    }
    plan = plan_job(
        json.dumps(document), {name: table if name == "t" else stream for name in (*job.sources, *job.static)}
    )
    if not plan.ok:
        raise ValueError(f"{job.name}: {plan.problems}")
    return plan


def _shown(sink: Sink, rows: Rows) -> list[Column]:  # noqa: ARG001
    key, value, _ = record_columns(rows, 1, None)
    return [key.alias("key"), value.alias("value")]


def cpu_of(frame: DataFrame, mode: str, checkpoint: Path) -> float:
    """CPU seconds of this process and all below it, from the start of the query to the end of the input."""
    before = cpu_below(os.getpid())
    query = (
        frame.writeStream.outputMode(mode)
        .format("noop")
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return cpu_below(os.getpid()) - before
