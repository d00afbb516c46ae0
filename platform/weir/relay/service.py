"""The relay: one loop stores results twice a second and evaluates alerts, another (`reports_loop`) stores
reports as they arrive, a third watches consumer groups (`weir.consumer_groups.services.watcher`), a fourth
downsamples history (`downsampling_loop`), and a fifth deletes results that have expired (`purge_loop`).
"""

import logging
import threading
import time
from typing import Final

from confluent_kafka import KafkaException
from django.db import DatabaseError, close_old_connections, connections

from weir.alerts.services.evaluator import Evaluator
from weir.alerts.task_queue import ask_for_delivery
from weir.consumer_groups.services.watcher import Watcher
from weir.relay.consumer import RelayConsumer
from weir.relay.downsampling_loop import DownsamplingLoop
from weir.relay.freshness import Freshness
from weir.relay.health import HealthRecorder
from weir.relay.history import HistoryRecorder
from weir.relay.purge_loop import PurgeLoop
from weir.relay.reports_loop import ReportsLoop
from weir.relay.result_topics import followed_topics
from weir.relay.timer import Timer
from weir.results.services.store import StaleOffsetsError, store
from weir.runs.services import run_measures
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
FLUSH_INTERVAL_S: Final = 0.5
FOLLOW_INTERVAL_S: Final = 1.0
LOSS_INTERVAL_S: Final = 10.0  # between two looks whether the database has lost rows
HISTORY_INTERVAL_S: Final = 2.0
HEALTH_INTERVAL_S: Final = 3.0  # as often as consumer groups are looked at
_RETRY_INTERVAL_S: Final = 0.5


class Relay:
    """Reads until `stop` is set. It logs errors of broker and database and retries."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._reports = ReportsLoop(stop)
        self._groups = threading.Thread(target=Watcher(stop).run, name="consumer-groups", daemon=True)
        self._downsampling = threading.Thread(
            target=DownsamplingLoop(stop).run, name="downsampling", daemon=True
        )
        self._purging = threading.Thread(target=PurgeLoop(stop).run, name="purging", daemon=True)
        self._consumer = RelayConsumer()
        self._history = HistoryRecorder()
        self._health = HealthRecorder(self._history.tracker)
        self._freshness = Freshness()
        self._alerts = Evaluator(ask_for_delivery)
        self._reopened = 0
        self._follow_timer = Timer(FOLLOW_INTERVAL_S)
        self._loss_timer = Timer(LOSS_INTERVAL_S)
        self._history_timer = Timer(HISTORY_INTERVAL_S)
        self._health_timer = Timer(HEALTH_INTERVAL_S)

    def run(self) -> None:
        """Run until `stop` is set.

        Raises:
            RuntimeError: reports are no longer read; see the log.
        """
        self._reports.start()
        self._groups.start()
        self._downsampling.start()
        self._purging.start()
        try:
            while not self._stop.is_set():
                self._read_until(time.monotonic() + FLUSH_INTERVAL_S)
                self._store_with_retries()
                self._run_timers()
        finally:
            self._stop.set()
            self._reports.join()
            self._count_the_rest()
            self._consumer.close()
            self._alerts.close()
            self._groups.join()
            self._downsampling.join()
            self._purging.join()  # last: a look for expired rows may take minutes, and this process be killed
        if self._reports.failed:
            raise RuntimeError("reports are no longer read")

    def _count_the_rest(self) -> None:
        """Store what the last reports count: they are read, and the next relay begins behind them."""
        try:
            self._history.apply(self._reports.applied.take())
            self._history.store(_now_us(), {}, {})
        except (ServiceError, DatabaseError) as error:
            _LOG.warning("the last reports aren't counted: %s", error)

    def _read_until(self, deadline: float) -> None:
        while not self._stop.is_set() and (left := deadline - time.monotonic()) > 0:
            self._consumer.read(left)
            if self._consumer.slice_read:
                return

    def _store_with_retries(self) -> None:
        """Store results. If the database is locked or down, wait for it; Kafka keeps new
        records meanwhile.
        """
        while not self._store():
            self._run_timers()  # what is shown of jobs must not grow old meanwhile
            if self._stop.wait(_RETRY_INTERVAL_S):
                return

    def _store(self) -> bool:
        try:
            self._store_results()
        except DatabaseError as error:
            _LOG.warning("results could not be stored, retrying: %s", error)
            connections.close_all()
            return False
        return True

    def _store_results(self) -> None:
        moved = [buffer for buffer in self._consumer.buffers.values() if buffer.moved]
        read = {buffer.source.topic: buffer.unstored for buffer in moved}
        if not moved:
            self._consumer.begin_interval(read)
            return
        flushes = [buffer.flush() for buffer in moved]
        try:
            store(flushes)
        except StaleOffsetsError as error:
            _LOG.warning("%s; reading again from its stored offset", error)
            for buffer in moved:
                self._consumer.drop(buffer.source.topic)
            return
        for buffer in moved:
            buffer.mark_stored()
        self._consumer.begin_interval(read)
        self._alerts.rows(flushes, _now_us())

    def _run_timers(self) -> None:
        try:
            if self._follow_timer.due():
                self._follow_runs()
            self._history.apply(
                self._reports.applied.take()
            )  # after its runs are followed, as it ignores reports of others
            if self._history_timer.due():
                self._store_history()
            if self._health_timer.due():
                self._health.store(_now_us())
        except (ServiceError, KafkaException) as error:
            _LOG.info("the broker: %s", error)
        except DatabaseError as error:
            _LOG.warning("the database: %s", error)
            connections.close_all()

    def _follow_runs(self) -> None:
        close_old_connections()
        if self._loss_timer.due():
            self._consumer.drop_lost()
        followed = followed_topics()
        self._history.follow_runs()
        if self._reports.reopened != self._reopened:
            self._reopened = self._reports.reopened
            self._consumer.reopen()
        try:
            self._consumer.assign_results(followed)
        finally:  # that the broker does not answer is what some alerts are about
            generations = frozenset((source.job_id, source.generation) for source in followed.values())
            self._alerts.follow(generations, _now_us())

    def _store_history(self) -> None:
        now_us = _now_us()
        taken = [(buffer.source, buffer.take_stats()) for buffer in self._consumer.buffers.values()]
        self._history.refresh_end_offsets(now_us)
        for source, stats in taken:
            if stats.foreign or stats.fenced:
                _LOG.warning(
                    "%s: %s records that are no results and %s of an engine that was replaced are left out",
                    source.topic,
                    stats.foreign,
                    stats.fenced,
                )
        newest = [(source, stats.newest_input_us) for source, stats in taken]
        for run_id, milliseconds in self._freshness.due(now_us, newest):
            run_measures.record_freshness(run_id, milliseconds)
        of_results = {source.job_id: stats for source, stats in taken}
        self._history.store(now_us, of_results, self._freshness.ages_ms(now_us))
        self._alerts.tick()


def _now_us() -> int:
    return time.time_ns() // 1000
