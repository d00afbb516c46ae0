"""What Spark says of a query while it runs (`jvm/src/weir/queries`).

PySpark's own listener would make forty JVM calls per event, and keep a thread for each query that ever
started.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from jobs.engine.session import detach_query, detach_session

log = logging.getLogger(__name__)

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
        """Removes the listener and its session: Spark would keep them, and what they reference, until the
        process ends.
        """

    def batchEnded(self, progress: str) -> None:  # noqa: N802 - Java's name, as the others'
        """A batch has ended, of which Spark says this, as JSON."""
        self._on_progress(progress)

    def idle(self) -> None:
        """All available input is read and committed."""
        if self._on_idle is not None:
            self._on_idle()

    def ended(self) -> None:
        """The query of this session has ended."""
        self._on_end()
        self.leave()

    class Java:
        """The Java interfaces that Py4J implements with this class."""

        implements = ["weir.queries.QueryEvents"]  # noqa: RUF012


def start_with_listener(
    session: SparkSession, writer: DataStreamWriter, listener: ProgressListener
) -> StreamingQuery:
    """Start the one query of a session; session and listener are known to Spark until the query has ended.

    Raises:
        PySparkException, Py4JError: Spark refuses the query, or its checkpoint cannot be opened.
    """
    gateway: Any = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]  # PySpark gives it no types
    forwarder = gateway.jvm.weir.queries.EventForwarder(listener)
    java_session: Any = session._jsparkSession
    queries = java_session.streams()
    queries.addListener(forwarder)
    started: Future[StreamingQuery] = Future()

    def remove() -> None:
        listener.leave = _nothing
        queries.removeListener(forwarder)

    def leave() -> None:
        remove()
        # In a thread: this one is needed for the events of other queries, and the query may have ended before
        # Spark returned it.
        threading.Thread(target=_detach, args=(started,), name="detach a session", daemon=True).start()

    listener.leave = leave
    try:
        query = writer.start()
    except (PySparkException, Py4JError):
        remove()
        detach_session(java_session)
        raise
    started.set_result(query)
    return query


def _detach(started: Future[StreamingQuery]) -> None:
    try:
        detach_query(started.result())
    except (Py4JError, OSError):
        log.warning("a session could not be detached; the engine may be ending", exc_info=True)


def _nothing() -> None:
    pass
