"""Takes what the JVM logs about the queries of runs (`jvm/src/weir/logs/QueryLog.java`).

Only what a query's own thread or its tasks wrote is taken, and only of queries of runs that this engine has.
On an external master, what executors write stays in their logs.
"""

import json
import logging
import re
import threading
from collections.abc import Callable
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from jobs.engine.log_context import RunEpoch
from jobs.engine.run_logs import RunLogs
from jobs.kafka_messages import DesiredRun, LogLevel

_QUERY_PROPERTY: Final = "mdc.weir.query"
"""Local property with the query's name, which tasks put into the logging context of their thread."""

# Quiet in the engine's log, because a stopped query ends loudly; a run's own log says what it failed of.
QUIET: Final = (
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
    "org.apache.spark.sql.execution.streaming.runtime.AsyncProgressTrackingMicroBatchExecution",
)
_WAIT_MS: Final = 60_000  # the JVM answers as soon as there is something
_NAME: Final = re.compile(r"(.+)-(\d+)(?:-(?:append|update))?")
_LEVELS: Final[dict[str, LogLevel]] = {"WARN": "warning", "ERROR": "error", "FATAL": "error"}

log = logging.getLogger(__name__)


class SparkLog:
    """Adds what the JVM logs about runs to their logs, in a thread that waits inside the JVM.

    Args:
        session: of the application.
        logs: of the runs.
        has: tells whether this engine executes, or executed, an epoch, and is not just stopping it: a stopped
            query ends loudly.
    """

    def __init__(self, session: SparkSession, logs: RunLogs, has: Callable[[RunEpoch], bool]) -> None:
        self._jvm: Any = session.sparkContext._jvm
        self._logs = logs
        self._has = has
        self._thread = threading.Thread(target=self._take_on, name="spark log", daemon=True)

    def start(self) -> None:
        """Begin. The thread ends with the JVM."""
        names = self._jvm.java.util.ArrayList()
        for name in QUIET:
            names.add(name)
        self._jvm.weir.logs.QueryLog.install(names)
        self._thread.start()

    def _take_on(self) -> None:
        try:
            while True:
                self.take(self._jvm.weir.logs.QueryLog.take(_WAIT_MS))
        except (Py4JError, OSError) as error:  # the JVM ends
            log.info("the JVM's log is not followed any more: %s", error)

    def take(self, text: str) -> None:
        """Add the events of the JVM's JSON."""
        for event in json.loads(text):
            run = epoch_of(event["query"])
            if run is None or not self._has(run):
                continue
            if "dropped" in event:
                self._logs.left_out(run, event["dropped"])
                continue
            self._logs.add(
                run,
                _LEVELS.get(event["level"], "warning"),
                "spark",
                event["logger"],
                event["message"],
                event["trace"],
                event["at"] * 1_000,
            )


def query_name(run: DesiredRun) -> str:
    """The name of a run's query, or what the names of its queries begin with; `epoch_of` reads it."""
    return f"{run.run_id}-{run.epoch}"


def name_tasks(session: SparkSession, run: DesiredRun) -> None:
    """The queries that this thread starts share a pool, and their tasks' lines say whose they are."""
    session.sparkContext.setLocalProperty("spark.scheduler.pool", run.run_id)
    session.sparkContext.setLocalProperty(_QUERY_PROPERTY, query_name(run))


def epoch_of(query: str) -> RunEpoch | None:
    """The run and epoch that a query's name says (`query_name`); None: it is no query of a run."""
    found = _NAME.fullmatch(query)
    return RunEpoch(found[1], int(found[2])) if found else None
