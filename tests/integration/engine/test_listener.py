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

pytestmark = pytest.mark.integration


def test_a_listener_is_let_go_when_its_query_has_ended(spark: SparkSession, tmp_path: Path) -> None:
    held = _held(spark)
    for number in range(3):
        session, ended = spark.newSession(), threading.Event()
        frame = session.readStream.format("rate").load()
        writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / str(number)))
        query = start_with_listener(session, writer, ProgressListener(lambda _: None, ended.set))
        query.stop()
        assert ended.wait(30)
    wait_until(lambda: _held(spark) <= held, 60, "the JVM lets go of the listener")


def test_a_listener_of_a_query_that_spark_refuses_is_let_go(spark: SparkSession) -> None:
    held = _held(spark)
    session = spark.newSession()
    frame = session.readStream.format("rate").load()
    with pytest.raises(PySparkException):
        start_with_listener(
            session,
            frame.writeStream.format("noop").outputMode("complete"),
            ProgressListener(lambda _: None, lambda: None),
        )
    wait_until(lambda: _held(spark) <= held, 60, "the JVM lets go of the listener")


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
