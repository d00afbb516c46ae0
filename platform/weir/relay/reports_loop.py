"""The relay's second loop, in its own thread: stores reports in the control tables.

States and heartbeats must be current even while a backlog of results is stored. So this loop shares nothing
with the one for results: no consumer, no database connection, no lock.
"""

import logging
import threading
import time
from typing import Final

from confluent_kafka import KafkaException, Message
from django.db import DatabaseError, close_old_connections, connections

from jobs.kafka_messages import Report
from weir.relay import reports
from weir.relay.applied_reports import AppliedReports
from weir.relay.reports_reader import ReportsReader
from weir.relay.timer import Timer
from weir.runs.services import report_handlers
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_ASSIGN_INTERVAL_S: Final = 1.0
_RETRY_INTERVAL_S: Final = 0.5


class ReportsLoop:
    """Stores reports until `stop` is set. An unexpected error sets it, too: the
    process ends and is restarted.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._consumer = ReportsReader()
        self._assign = Timer(_ASSIGN_INTERVAL_S)
        self.applied = AppliedReports()
        self._newest_input_us = 0  # time of the newest stored report
        self._thread = threading.Thread(target=self._run, name="reports", daemon=True)
        self.failed = True  # until it ends without an error

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the current flush is stored."""
        self._thread.join()

    @property
    def reopened(self) -> int:
        """How often weir.reports was recreated."""
        return self._consumer.reopened

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._iterate()
            self.failed = False
        finally:
            self._stop.set()
            self._consumer.close()
            connections.close_all()

    def _iterate(self) -> None:
        try:
            messages = self._consumer.read()
            if messages:
                self._store(messages)
            if self._assign.due():
                close_old_connections()
                self._consumer.assign()
                self._record_progress()
        except (ServiceError, KafkaException) as error:
            _LOG.info("the broker: %s", error)
            self._stop.wait(_RETRY_INTERVAL_S)
        except DatabaseError as error:
            _LOG.warning("the database: %s", error)
            connections.close_all()

    def _store(self, messages: list[Message]) -> None:
        """Store reports. If the database is locked or down, wait for it; Kafka keeps new
        records meanwhile.
        """
        found = reports.read_reports(messages)
        while not self._apply(found):
            if self._stop.wait(_RETRY_INTERVAL_S):
                return
        self._consumer.commit(messages)
        if found:
            self._newest_input_us = max(report.at_us for report in found)
            self.applied.put(found)

    def _apply(self, found: list[Report]) -> bool:
        try:
            reports.apply(found)
        except reports.AWAY as error:
            _LOG.warning("reports could not be stored, retrying: %s", error)
            connections.close_all()
            return False
        return True

    def _record_progress(self) -> None:
        """Record the time up to which reports are stored. Missing heartbeats only count before it."""
        until_us = self._consumer.end_reached_us() or self._newest_input_us
        if until_us:
            report_handlers.reports_read(min(until_us, time.time_ns() // 1000))
