"""What an engine holds of a query ends with it: engines live for months, and start queries all the time."""

import gc
import threading
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.engine.listener import ProgressListener, start_with_listener
from tests.support.processes import wait_until
from tests.support.spark_listeners import attached_sessions

pytestmark = pytest.mark.integration


def test_a_listener_is_let_go_when_its_query_has_ended(spark: SparkSession, tmp_path: Path) -> None:
    held, attached = _held(spark), attached_sessions(spark)
    for number in range(3):
        session, ended = spark.newSession(), threading.Event()
        frame = session.readStream.format("rate").load()
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / str(number)))
        query = start_with_listener(session, writer, ProgressListener(lambda _: None, ended.set))
        query.stop()
        assert ended.wait(30)
    wait_until(lambda: _held(spark) <= held, 60, "the JVM lets go of the listener")
    wait_until(lambda: attached_sessions(spark) <= attached, 60, "the JVM lets go of the sessions")


def test_starting_queries_costs_no_thread_and_no_connection(spark: SparkSession, tmp_path: Path) -> None:
    """Spark reports a query's start in the query's thread; Py4J keeps a connection for each such thread."""

    def play(number: int) -> None:
        session, batch, ended = spark.newSession(), threading.Event(), threading.Event()
        frame = session.readStream.format("rate").load()
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / str(number)))
        query = start_with_listener(session, writer, ProgressListener(lambda _: batch.set(), ended.set))
        assert batch.wait(60)
        query.stop()
        assert ended.wait(30)

    def held() -> tuple[int, int]:
        gc.collect()
        return threading.active_count(), sum(1 for _ in Path("/proc/self/fd").iterdir())

    play(0)  # the dispatcher of events connects once
    threads, files = held()
    for number in range(1, 4):
        play(number)
    wait_until(lambda: held()[0] <= threads and held()[1] <= files, 60, "threads and connections are gone")


def test_a_query_that_fails_at_once_lets_its_sessions_go(spark: SparkSession, tmp_path: Path) -> None:
    attached = attached_sessions(spark)
    session, ended = spark.newSession(), threading.Event()
    frame = session.readStream.format("rate").load().selectExpr("raise_error('at once') as never")
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    start_with_listener(session, writer, ProgressListener(lambda _: None, ended.set))
    assert ended.wait(60)
    wait_until(lambda: attached_sessions(spark) <= attached, 60, "the JVM lets go of the sessions")


def test_a_listener_of_a_query_that_spark_refuses_is_let_go(spark: SparkSession) -> None:
    held, attached = _held(spark), attached_sessions(spark)
    session = spark.newSession()
    frame = session.readStream.format("rate").load()
    with pytest.raises(PySparkException):
        start_with_listener(
            session,
            frame.writeStream.format("noop").outputMode("complete"),
            ProgressListener(lambda _: None, lambda: None),
        )
    wait_until(lambda: _held(spark) <= held, 60, "the JVM lets go of the listener")
    assert attached_sessions(spark) <= attached


def test_a_listener_of_a_query_whose_checkpoint_cannot_be_opened_is_let_go(spark: SparkSession) -> None:
    held = _held(spark)
    session = spark.newSession()
    writer = session.readStream.format("rate").load().writeStream.format("noop")
    with pytest.raises(Py4JError):
        start_with_listener(
            session,
            writer.option("checkpointLocation", "nowhere://folder"),
            ProgressListener(lambda _: None, lambda: None),
        )
    wait_until(lambda: _held(spark) <= held, 60, "the JVM lets go of the listener")


def _held(spark: SparkSession) -> int:
    """Number of Python's objects that the JVM holds after a garbage collection."""
    gc.collect()
    gateway: Any = spark.sparkContext._gateway
    gateway.jvm.java.lang.System.gc()
    gateway.jvm.java.lang.System.runFinalization()
    return len(gateway.gateway_property.pool)
