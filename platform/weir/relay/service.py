"""The relay: one loop stores results twice a second, the other (`reports_loop`) stores reports as they come."""

import logging
import threading
import time
from typing import Final

from confluent_kafka import KafkaException
from django.db import DatabaseError, close_old_connections, connections

from weir.relay.history import HistoryKeeper
from weir.relay.intake import Intake
from weir.relay.pruning import prune
from weir.relay.reports_loop import ReportsLoop
from weir.relay.sources import ResultSource, current_sources
from weir.relay.timer import Timer
from weir.results import services as results
from weir.results.services import StaleOffsetsError
from weir.runs import report_handlers
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
FLUSH_S: Final = 0.5
FOLLOW_S: Final = 1.0
POINT_S: Final = 2.0
PRUNE_S: Final = 30.0
_RETRY_S: Final = 0.5


class Relay:
    """Reads until `stop` is set. Nothing that a broker or database does ends it; it tries again and says so in the log."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._reports = ReportsLoop(stop)
        self._intake = Intake()
        self._history = HistoryKeeper()
        self._wanted: dict[str, ResultSource] = {}
        self._reopened = 0
        self._follow, self._point, self._prune = Timer(FOLLOW_S), Timer(POINT_S), Timer(PRUNE_S)

    def run(self) -> None:
        """The loop.

        Raises:
            RuntimeError: reports are no longer read; the log says why.
        """
        self._reports.start()
        try:
            while not self._stop.is_set():
                self._read_until(time.monotonic() + FLUSH_S)
                self._until_stored()
                self._ticks()
        finally:
            self._stop.set()
            self._reports.join()
            self._intake.close()
        if self._reports.failed:
            raise RuntimeError("reports are no longer read")

    def _read_until(self, deadline: float) -> None:
        while not self._stop.is_set() and (left := deadline - time.monotonic()) > 0:
            self._intake.read(left)

    def _until_stored(self) -> None:
        """Store what was read. A database that is locked or away is waited for: meanwhile Kafka keeps what comes."""
        while not self._store():
            if self._stop.wait(_RETRY_S):
                return

    def _store(self) -> bool:
        try:
            self._store_results()
        except DatabaseError as error:
            _LOG.warning("the database did not take a flush, trying again: %s", error)
            connections.close_all()
            return False
        return True

    def _store_results(self) -> None:
        moved = [fold for fold in self._intake.folds.values() if fold.moved]
        if not moved:
            return
        try:
            results.store([fold.flush() for fold in moved])
        except StaleOffsetsError as error:
            _LOG.warning("%s; reading again from where it stands", error)
            for fold in moved:
                self._intake.drop(fold.source.topic)
            return
        for fold in moved:
            fold.stored()

    def _ticks(self) -> None:
        try:
            if self._follow.due():
                self._follow_runs()
            self._history.take(self._reports.take_applied())  # after its runs are known: a report of any other is not for it
            if self._point.due():
                self._store_history()
            if self._prune.due():
                prune(self._wanted, _now_us())
        except (ServiceError, KafkaException) as error:
            _LOG.info("the broker: %s", error)
        except DatabaseError as error:
            _LOG.warning("the database: %s", error)
            connections.close_all()

    def _follow_runs(self) -> None:
        close_old_connections()
        self._wanted = current_sources()
        self._history.learn_runs()
        if self._reports.reopened != self._reopened:
            self._reopened = self._reports.reopened
            self._intake.reopen()
        self._intake.assign_results(self._wanted)

    def _store_history(self) -> None:
        now_us = _now_us()
        flows = [(fold.source, fold.take_flow()) for fold in self._intake.folds.values()]
        self._history.learn_ends(now_us)
        self._history.store(now_us, {source.job_id: flow for source, flow in flows})
        for source, flow in flows:
            if flow.newest_input_us:
                report_handlers.record_freshness(f"{source.job_id}.{source.generation}", max(0, (now_us - flow.newest_input_us) // 1000))


def _now_us() -> int:
    return time.time_ns() // 1000
