"""The relay's second loop: reports into the control tables, on a thread of its own.

States and heartbeats must be true while a backlog of results is stored, so nothing is shared with the loop that stores it:
neither the consumer nor the database connection, nor a lock.
"""

import logging
import threading
import time
from queue import Empty, SimpleQueue
from typing import Final

from confluent_kafka import KafkaException, Message
from django.db import DatabaseError, close_old_connections, connections

from jobs.messages import Report
from weir.relay import reports
from weir.relay.reports_consumer import ReportsConsumer
from weir.relay.timer import Timer
from weir.runs import report_handlers
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_ASSIGN_INTERVAL_S: Final = 1.0
_RETRY_S: Final = 0.5


class ReportsLoop:
    """Applies reports until `stop` is set. A fault of ours sets it, too: the process ends and is started again."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._consumer = ReportsConsumer()
        self._assign = Timer(_ASSIGN_INTERVAL_S)
        self._applied: SimpleQueue[list[Report]] = SimpleQueue()
        self._newest_us = 0  # when the newest report that was applied was written
        self._thread = threading.Thread(target=self._run, name="reports", daemon=True)
        self.failed = True  # until it ends in order

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the flush under way is stored."""
        self._thread.join()

    @property
    def reopened(self) -> int:
        """How often weir.reports was found to be another topic."""
        return self._consumer.reopened

    def take_applied(self) -> list[Report]:
        """Reports that were stored since the last call, in their order."""
        found: list[Report] = []
        while True:
            try:
                found += self._applied.get_nowait()
            except Empty:
                return found

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._turn()
            self.failed = False
        finally:
            self._stop.set()
            self._consumer.close()
            connections.close_all()

    def _turn(self) -> None:
        try:
            messages = self._consumer.read()
            if messages:
                self._store(messages)
            if self._assign.due():
                close_old_connections()
                self._consumer.assign()
                self._say_how_far()
        except (ServiceError, KafkaException) as error:
            _LOG.info("the broker: %s", error)
            self._stop.wait(_RETRY_S)
        except DatabaseError as error:
            _LOG.warning("the database: %s", error)
            connections.close_all()

    def _store(self, messages: list[Message]) -> None:
        """Store what was read. A database that is locked or away is waited for: meanwhile Kafka keeps what comes."""
        found = reports.read_reports(messages)
        while not self._apply(found):
            if self._stop.wait(_RETRY_S):
                return
        self._consumer.commit(messages)
        if found:
            self._newest_us = max(report.at_us for report in found)
            self._applied.put(found)

    def _apply(self, found: list[Report]) -> bool:
        try:
            reports.apply(found)
        except DatabaseError as error:
            _LOG.warning("the database did not take reports, trying again: %s", error)
            connections.close_all()
            return False
        return True

    def _say_how_far(self) -> None:
        """Reports that were written before this instant are stored: only so far can silence be judged."""
        until_us = self._consumer.end_reached_us() or self._newest_us
        if until_us:
            report_handlers.reports_read(min(until_us, time.time_ns() // 1000))
