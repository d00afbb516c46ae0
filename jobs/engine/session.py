"""Spark sessions: one application, and a session of its own for each run,
since some settings differ by run.
"""

from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from jobs.kafka_messages import DesiredRun

_CHECKS: Final = "spark.sql.streaming.unsupportedOperationCheck"


_CLASSES: Final = (
    "PythonUtils",
    "PythonSQLUtils",
    "functions",
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.types.Metadata",
    "org.apache.spark.sql.classic.SparkSession",
    "org.apache.spark.sql.classic.SparkSession$",
)


def open_session() -> SparkSession:
    """The application's session; everything static was set by `launch` before the JVM started."""
    session = SparkSession.builder.getOrCreate()
    keep_classes(session)
    return session


def keep_classes(session: SparkSession) -> None:
    """Look up the JVM's classes that PySpark asks for at every column once and for all: the gateway keeps
    none, and tries each name in each package that it imports, for which the JVM looks through every jar."""
    jvm: Any = session.sparkContext._jvm
    for name in _CLASSES:
        vars(jvm)[name] = getattr(jvm, name)


def is_alive(session: SparkSession) -> bool:
    """True while the JVM runs; the error of a call to a dead one depends on when it died."""
    jvm: Any = session.sparkContext._jvm
    try:
        jvm.java.lang.System.nanoTime()
    except (Py4JError, OSError):
        return False
    return True


def session_for(
    base: SparkSession, run: DesiredRun, *, empty_batches: bool, watermark: str = "min", sorts: bool = False
) -> SparkSession:
    """A session for one start of one run.

    Args:
        base: of the application.
        run: gives the number of state partitions, which a checkpoint keeps for ever.
        empty_batches: batches without a row are worth running when the watermark has moved.
        watermark: min or max of the sources' watermarks; a checkpoint keeps it for ever.
        sorts: a step sorts the rows of each micro-batch.
    """
    session = base.newSession()
    session.conf.set("spark.sql.shuffle.partitions", str(run.shuffle_partitions))
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "true" if empty_batches else "false")
    session.conf.set("spark.sql.streaming.multipleWatermarkPolicy", watermark)
    if sorts and run.mode == "microbatch":
        allow_sorting(session)
    return session


def allow_sorting(session: SparkSession) -> None:
    """Let steps sort the rows of a micro-batch.

    Spark can, but its check of streaming plans means sorting a whole stream and has no finer switch than all
    or nothing. What else it would refuse, `jobs.plan` has refused before.
    """
    session.conf.set(_CHECKS, "false")


def sorts_batches(session: SparkSession) -> bool:
    """Whether `allow_sorting` was called."""
    return session.conf.get(_CHECKS) == "false"
