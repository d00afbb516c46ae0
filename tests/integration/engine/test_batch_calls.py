"""A query that calls Python with its batches: as Spark's own does, and an engine that starts them for months
keeps nothing of them.
"""

import gc
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.batch_calls import call_with_batches
from jobs.engine.listener import ProgressListener, start_with_listener
from tests.support.processes import wait_until

pytestmark = pytest.mark.integration


def started(
    spark: SparkSession, checkpoint: Path, function: Callable[[DataFrame, int], None]
) -> tuple[StreamingQuery, threading.Event]:
    """A query with a batch as often as it can, and what is set when it has ended."""
    session, ended = spark.newSession(), threading.Event()
    rows = session.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
    writer = rows.writeStream.option("checkpointLocation", str(checkpoint))
    calls = call_with_batches(session, writer, function)
    return start_with_listener(session, calls, ProgressListener(lambda _: None, ended.set)), ended


def test_starting_queries_costs_no_thread_no_connection_and_no_object(
    spark: SparkSession, tmp_path: Path
) -> None:
    def play(number: int) -> None:
        batch = threading.Event()
        query, ended = started(spark, tmp_path / str(number), lambda _rows, _number: batch.set())
        assert batch.wait(60)
        query.stop()
        assert ended.wait(30)

    def held() -> tuple[int, int, int]:
        gc.collect()
        gateway: Any = spark.sparkContext._gateway
        gateway.jvm.java.lang.System.gc()
        files = sum(1 for _ in Path("/proc/self/fd").iterdir())
        return threading.active_count(), files, len(gateway.gateway_property.pool)

    play(0)  # the first call connects
    before = held()
    for number in range(1, 4):
        play(number)
    wait_until(
        lambda: all(now <= then for now, then in zip(held(), before, strict=True)), 60, "nothing is kept"
    )


def test_each_batch_has_its_number_its_rows_and_the_properties_of_its_query(
    spark: SparkSession, tmp_path: Path
) -> None:
    seen: list[tuple[int, int, str | None]] = []

    def function(rows: DataFrame, number: int) -> None:
        group = rows.sparkSession.sparkContext.getLocalProperty("spark.jobGroup.id")
        seen.append((number, rows.count(), group))

    query, _ = started(spark, tmp_path / "checkpoint", function)
    wait_until(lambda: len(seen) >= 3, 60, "three batches are seen")
    query.stop()
    assert seen[:3] == [(number, 10, query.runId) for number in range(3)]


def test_what_the_function_raises_fails_the_query(spark: SparkSession, tmp_path: Path) -> None:
    def function(_rows: DataFrame, number: int) -> None:
        raise ValueError(f"batch {number} is not wanted")

    query, ended = started(spark, tmp_path / "checkpoint", function)
    assert ended.wait(60)
    assert "batch 0 is not wanted" in str(query.exception())


def test_a_query_that_is_stopped_in_a_batch_ends_with_it_and_disturbs_no_other(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What the function asks of Spark after the stop is refused; the thread serves the next query as new."""
    begun, goes_on, left = threading.Event(), threading.Event(), threading.Event()
    refused: list[str] = []

    def function(rows: DataFrame, _number: int) -> None:
        begun.set()
        assert goes_on.wait(60)
        try:
            while not left.wait(0.05):
                rows.count()
        except Exception as error:
            refused.append(str(error))
            raise
        finally:
            left.set()

    query, ended = started(spark, tmp_path / "stopped", function)
    assert begun.wait(60)
    stop = threading.Thread(target=query.stop)
    stop.start()
    wait_until(lambda: not query.isActive, 60, "the stop is sent")
    assert stop.is_alive()
    goes_on.set()
    stop.join(60)
    left.set()  # whatever has come
    assert not stop.is_alive()
    assert ended.wait(30)
    assert refused
    assert query.exception() is None

    counts: list[int] = []
    following, _ = started(spark, tmp_path / "following", lambda rows, _number: counts.append(rows.count()))
    wait_until(lambda: len(counts) >= 2, 60, "the next query's batches are seen")
    following.stop()
    assert following.exception() is None
