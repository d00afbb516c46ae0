"""Progress as Spark gives it, without PySpark's detour over forty calls into the JVM per event."""

from collections.abc import Callable
from typing import Any

from py4j.java_gateway import JavaObject
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

Heard = Callable[[str], None]


class ProgressListener:
    """Tells the run whose session it listens to; what it calls must not block.

    Args:
        heard: gets the JSON of each finished batch.
        ended: the query ended.
        idle: there is nothing to read that was not read.
    """

    def __init__(self, heard: Heard, ended: Callable[[], None], idle: Callable[[], None] | None = None) -> None:
        self._heard = heard
        self._ended = ended
        self._idle = idle
        self.leave: Callable[[], None] = _nothing
        """Hear no more of a session that was joined: Spark would keep the listener, and what it calls, as long as itself."""

    def onQueryStarted(self, event: JavaObject) -> None:  # noqa: N802
        """Not of interest: the run knows when it started its query."""

    def onQueryProgress(self, event: JavaObject) -> None:  # noqa: N802
        """A batch ended."""
        self._heard(event.progress().json())

    def onQueryIdle(self, event: JavaObject) -> None:  # noqa: ARG002, N802
        """Everything there was is read and committed."""
        if self._idle is not None:
            self._idle()

    def onQueryTerminated(self, event: JavaObject) -> None:  # noqa: ARG002, N802
        """The query of this session ended."""
        self._ended()
        self.leave()

    class Java:
        """What Py4J needs to know."""

        implements = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]  # noqa: RUF012


def start_heard(session: SparkSession, writer: DataStreamWriter, listener: ProgressListener) -> StreamingQuery:
    """Start the one query of a session; the listener hears of it until it has ended.

    Raises:
        PySparkException: Spark refuses the query.
    """
    gateway: Any = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]  # PySpark gives it no types
    wrapper = gateway.jvm.org.apache.spark.sql.streaming.PythonStreamingQueryListenerWrapper(listener)
    java_session: Any = session._jsparkSession
    queries = java_session.streams()
    queries.addListener(wrapper)

    def leave() -> None:
        listener.leave = _nothing
        queries.removeListener(wrapper)

    listener.leave = leave
    try:
        return writer.start()
    except PySparkException:
        leave()
        raise


def _nothing() -> None:
    pass
