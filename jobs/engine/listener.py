"""Query progress as Spark's own JSON; PySpark's listener would make forty JVM calls per event."""

from collections.abc import Callable
from typing import Any

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

ProgressHandler = Callable[[str], None]


class ProgressListener:
    """Notifies the run whose session it listens to. The callbacks must not block.

    Args:
        on_progress: called with the JSON of each finished batch.
        on_end: called when the query has ended.
        on_idle: called when all available input is read and committed; None: not called.
    """

    def __init__(
        self,
        on_progress: ProgressHandler,
        on_end: Callable[[], None],
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        self._on_progress = on_progress
        self._on_end = on_end
        self._on_idle = on_idle
        self.leave: Callable[[], None] = _nothing
        """Removes the listener: Spark would keep it, and what it references, until the process ends."""

    def onQueryStarted(self, event: JavaObject) -> None:  # noqa: N802
        """Ignored: the run knows when it started its query."""

    def onQueryProgress(self, event: JavaObject) -> None:  # noqa: N802
        """A batch has ended."""
        self._on_progress(event.progress().json())

    def onQueryIdle(self, event: JavaObject) -> None:  # noqa: ARG002, N802
        """All available input is read and committed."""
        if self._on_idle is not None:
            self._on_idle()

    def onQueryTerminated(self, event: JavaObject) -> None:  # noqa: ARG002, N802
        """The query of this session has ended."""
        self._on_end()
        self.leave()

    class Java:
        """The Java interfaces that Py4J implements with this class."""

        implements = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]  # noqa: RUF012


def start_with_listener(
    session: SparkSession, writer: DataStreamWriter, listener: ProgressListener
) -> StreamingQuery:
    """Start the one query of a session; the listener is registered until the query has ended.

    Raises:
        PySparkException, Py4JError: Spark refuses the query, or its checkpoint cannot be opened.
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
    except (PySparkException, Py4JError):
        leave()
        raise


def _nothing() -> None:
    pass
