"""The relay's fourth loop, in its own thread: makes coarser points of history from finer ones, and deletes
those that are older than they are kept.

It may run in several relays at once: each makes the same points.
"""

import logging
import threading
import time
from typing import Final

from django.db import DatabaseError, close_old_connections, connections

from weir.consumer_groups.services.history import GROUP_POINTS
from weir.lag.services.history import JOB_POINTS
from weir.lag.services.history_tables import HistoryTable, downsample, purge_expired

_LOG: Final = logging.getLogger(__name__)
INTERVAL_S: Final = 10.0
TABLES: Final[tuple[HistoryTable, ...]] = (JOB_POINTS, GROUP_POINTS)


class DownsamplingLoop:
    """Runs until `stop` is set; it logs errors of the database and tries again."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def run(self) -> None:
        """Downsample every ten seconds until `stop` is set."""
        try:
            while not self._stop.wait(INTERVAL_S):
                self._tick()
        finally:
            connections.close_all()

    def _tick(self) -> None:
        now_us = time.time_ns() // 1000
        try:
            close_old_connections()
            for table in TABLES:
                downsample(table, now_us)
                while not purge_expired(table, now_us) and not self._stop.is_set():
                    pass
        except DatabaseError as error:
            _LOG.warning("history: the database: %s", error)
            connections.close_all()
        except Exception:  # noqa: BLE001
            # the next tick tries again: without this loop, charts of more than an hour stand still
            _LOG.exception("history")
            connections.close_all()
