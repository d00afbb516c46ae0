"""Observed metrics and watermarks in generated code (`jvm/src/weir/stages`), beside Spark's operators."""

import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession

from jobs.engine.columns import column
from jobs.engine.observation import Metrics
from jobs.engine.read_counts import read_counts
from tests.support.plan_helpers import contract

pytestmark = pytest.mark.integration

GENERATED = "spark.sql.codegen.wholeStage"
SCHEMA = (
    "i INT, l LONG, s SHORT, y BYTE, b BOOLEAN, f FLOAT, d DOUBLE, t STRING, x BINARY, m DECIMAL(30, 4), "
    "at TIMESTAMP, day DATE, many ARRAY<STRING>, one STRUCT<a: INT, b: STRING>"
)
NAMES = [
    part.split()[0] for part in SCHEMA.replace("(30, 4)", "").replace("a: INT, b: STRING", "").split(", ")
]
READ = read_counts(contract({"x": "int"}, delay="10s"))
METRICS: dict[str, dict[str, str]] = {
    # of which is known what a row changes
    "rows": {"n": "count(1)"},
    "some": {"n": "count(t)", "pairs": "count(i, t)", "large": "count_if(i > 500)", "none": "count_if(null)"},
    "read": READ,
    "read and rows": {**READ, "n": "count(1)", "odd": "count_if(i % 2 = 1)"},
    # that get each row
    "of a lambda": {"n": "count(if(exists(many, one -> one = 'a3'), 1, null))", "m": "count(1)"},
    "of every type": {f"max_{name}": f"max({name})" for name in NAMES},
    "of kept values": {
        "texts": "collect_list(t)",
        "structs": "collect_list(one)",
        "bytes": "collect_list(x)",
    },
    "of a sum": {"n": "count(1)", "more": "sum(l) + count(1)"},
}


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """One in which code that does not compile is an error; Spark would go on without it."""
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.fallback", "false")
    return own


def rows(session: SparkSession, count: int, partitions: int) -> DataFrame:
    """Rows of every type, some null, in reused memory, as a shuffle leaves them; and what `READ` is over."""
    draw = random.Random(7)
    made = session.range(0, count, 1, 1).selectExpr(
        "id AS l",
        "if(id % 7 = 0, null, cast((id * 7919) % 1000 AS INT)) AS i",
        "cast(id % 100 AS SHORT) AS s",
        "cast(id % 50 AS BYTE) AS y",
        "if(id % 11 = 0, null, id % 2 = 0) AS b",
        "cast(id AS FLOAT) / 3 AS f",
        "if(id % 5 = 0, null, id / 7d) AS d",
        f"if(id % 3 = 0, null, concat('t', (id * {draw.randrange(1, 999, 2)}) % 512)) AS t",
        "cast(concat('x', id) AS BINARY) AS x",
        "if(id % 4 = 0, null, cast(id AS DECIMAL(30, 4)) / 8) AS m",
        "timestamp_micros(id * 1000003) AS at",
        "date_add(DATE'2026-01-01', cast(id % 400 AS INT)) AS day",
        "if(id % 13 = 0, null, array(concat('a', id), null)) AS many",
        "if(id % 17 = 0, null, named_struct('a', cast(id AS INT), 'b', concat('b', id))) AS one",
        "CASE WHEN id % 9 = 0 THEN 'NOT_JSON' WHEN id % 10 = 0 THEN 'SKIPPED' END AS _reason",
        "cast(id % 3 AS INT) AS _partition",
        "id AS _offset",
        "id % 8 = 0 AS _heartbeat",
        "if(id % 9 = 0 OR id % 10 = 0, null, timestamp_micros(id * 1000)) AS _time",
    )
    return made.repartition(partitions, "_partition")


def counted(frame: DataFrame, metrics: dict[str, str], *, generated: bool) -> dict[str, Any]:
    """The metrics, values of lists in order; fails where they were not counted as was asked for."""
    frame.sparkSession.conf.set(GENERATED, str(generated))
    observation = Observation("observed")
    observed = frame.observe(observation, *Metrics("observed", metrics).made()).where(column("l >= 0"))
    plan = observed._jdf.queryExecution().executedPlan().toString()  # type: ignore[operator]
    assert (") CompiledMetrics" in plan) is generated, plan
    observed.collect()
    found = observation.get
    return {
        name: sorted(value, key=str) if isinstance(value, list) else value for name, value in found.items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("count", [0, 1, 1_000])
@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("metrics", METRICS)
def test_metrics_are_those_of_sparks_operator(
    session: SparkSession, metrics: str, partitions: int, count: int
) -> None:
    frame = rows(session, count, partitions)
    ours = counted(frame, METRICS[metrics], generated=True)
    assert ours == counted(frame, METRICS[metrics], generated=False)


def test_rows_of_one_observation_are_those_that_passed_what_is_before_it(session: SparkSession) -> None:
    first, second = Observation("first"), Observation("second")
    frame = rows(session, 1_000, 2).observe(first, column("count(1)", "n"))
    frame.where(column("l < 100")).observe(second, column("count(1)", "n")).collect()
    assert (first.get["n"], second.get["n"]) == (1_000, 100)


def streamed(session: SparkSession, folder: Path, *, generated: bool) -> tuple[str, dict[str, Any]]:
    """The plan of the last batch of a stream that is counted, filtered and counted, and its progress."""
    session.conf.set(GENERATED, str(generated))
    source = str(folder / "in")
    raw = session.readStream.schema(session.read.parquet(source).schema).parquet(source)
    read = raw.observe("read", *Metrics("read", READ).made()).where(column("_reason IS NULL"))
    timed = read.withWatermark("_time", "10 seconds").observe("rows", column("count(1)", "n"))
    query = (
        timed.where(column("NOT _heartbeat"))
        .writeStream.format("noop")
        .option("checkpointLocation", str(folder / f"checkpoint-{generated}"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    last = query._jsq.streamingQuery().lastExecution()  # type: ignore[attr-defined]
    progress: Any = query.lastProgress
    found = {name: value.asDict() for name, value in progress["observedMetrics"].items()}
    return last.executedPlan().toString(), {"metrics": found, "times": progress["eventTime"]}


def test_a_batch_has_one_stage_from_the_source_to_the_sink(session: SparkSession, tmp_path: Path) -> None:
    rows(session, 1_000, 1).write.parquet(str(tmp_path / "in"))
    plan, ours = streamed(session, tmp_path, generated=True)
    stages = {line.split("*(")[1].split(")")[0] for line in plan.splitlines() if "*(" in line}
    assert stages == {"1"}, plan
    for operator in ("CompiledMetrics read", "CompiledWatermark", "CompiledMetrics rows"):
        assert f"*(1) {operator}" in plan, plan
    plan, sparks = streamed(session, tmp_path, generated=False)
    assert "*(" not in plan, plan
    assert ours == sparks
