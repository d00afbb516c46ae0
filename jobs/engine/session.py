"""Spark sessions: the application's, and one for each start of a run, since some settings differ by run."""

from typing import Any, Final

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from jobs.engine.jvm_names import keep_names
from jobs.kafka_messages import DesiredRun

_CHECKS: Final = "spark.sql.streaming.unsupportedOperationCheck"


def open_session(builder: SparkSession.Builder | None = None) -> SparkSession:
    """The application's session.

    Args:
        builder: with the static configuration; None: `launch` set it before the JVM started.
    """
    session = (builder or SparkSession.builder).getOrCreate()
    _keep_dispatcher(session)
    keep_names(session.sparkContext._jvm)
    _trim_hadoop_configuration(session)
    return session


def _keep_dispatcher(session: SparkSession) -> None:
    """Keep the thread that hands out events of queries. Spark ends it with the last session that has queries
    and makes another one for the next, and Py4J keeps a connection for each thread that ever called Python.
    """
    java_session: Any = session._jsparkSession
    java_session.streams()


def _trim_hadoop_configuration(session: SparkSession) -> None:
    """Take defaults of services that no engine has out of Hadoop's configuration, which Spark broadcasts for
    each operator with state in each batch (`docs/spark.md#what-a-batch-broadcasts`).
    """
    jvm: Any = session.sparkContext._jvm
    context: Any = session.sparkContext._jsc
    jvm.weir.fs.LeanConfiguration.trim(context.hadoopConfiguration())


def detach_query(query: StreamingQuery) -> None:
    """Take both sessions of a query, its own and the copy that Spark made, out of Spark's bus of events.

    Not to be called by a listener.

    Args:
        query: ended; nobody waits for its events any more.
    """
    jvm_query: Any = query._jsq
    execution = jvm_query.streamingQuery()
    for session in (execution.sparkSession(), execution.sparkSessionForStream()):
        detach_session(session)


def detach_session(java_session: JavaObject) -> None:
    """Take a session out of Spark's bus of events. What listens there for it would stay, with all that it
    holds, until the process ends, and be given each event of the application.

    Not to be called by a listener.

    Args:
        java_session: of queries of which none runs; nobody waits for their events any more.
    """
    session: Any = java_session
    queries = session.streams()
    bus = queries.getClass().getDeclaredField("listenerBus")
    bus.setAccessible(True)
    session.sparkContext().listenerBus().removeListener(bus.get(queries))


def is_alive(session: SparkSession) -> bool:
    """True while the JVM runs."""
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
        run: its number of state partitions is fixed for the life of a checkpoint.
        empty_batches: run batches without rows when the watermark has moved.
        watermark: the policy, min or max; fixed for the life of a checkpoint.
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

    Spark can do that, but its check of streaming plans refuses every sort and can only be disabled as a
    whole. `jobs.plan` has already refused everything else that the check would.
    """
    session.conf.set(_CHECKS, "false")


def sorts_batches(session: SparkSession) -> bool:
    """Whether steps may sort the rows of a micro-batch (`allow_sorting`)."""
    return session.conf.get(_CHECKS) == "false"
