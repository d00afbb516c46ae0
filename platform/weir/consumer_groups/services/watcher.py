"""Watches the consumer groups of every registered cluster of which this process has the lease."""

import logging
import os
import secrets
import socket
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from django.db import DatabaseError, close_old_connections, connections

from jobs.connections import ClusterProfile
from weir.clusters.models import HOME
from weir.clusters.services.clusters import profiles_of_all
from weir.consumer_groups.services import history, lease
from weir.consumer_groups.services.cluster_pass import ClusterPass
from weir.consumer_groups.services.group_rows import forget_clusters

_LOG: Final = logging.getLogger(__name__)
TICK_S: Final = 0.5
_CLUSTERS_INTERVAL_S: Final = 5.0
_HISTORY_INTERVAL_S: Final = 10.0
_PURGE_INTERVAL_S: Final = 60.0
_WORKERS: Final = 4


class Watcher:
    """Runs until `stop` is set. Clusters are read on threads of their own, so that one that does not answer
    delays no other and no lease; the home cluster has one to itself, however many others don't answer.

    Args:
        stop: ends it.
        holder: names this process; None: host, process and a random part.
    """

    def __init__(self, stop: threading.Event, holder: str | None = None) -> None:
        self.holder = holder or f"{socket.gethostname()[:60]}.{os.getpid()}.{secrets.token_hex(4)}"
        self._stop = stop
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="consumer-groups")
        self._home_pool = ThreadPoolExecutor(1, thread_name_prefix="consumer-groups-home")
        self._profiles: dict[str, ClusterProfile] = {}
        self._passes: dict[str, ClusterPass] = {}
        self._running: dict[str, Future[None]] = {}
        self._held: frozenset[str] = frozenset()
        self._due: dict[str, float] = {}

    def run(self) -> None:
        """Watch until `stop` is set, then give up the leases."""
        try:
            while not self._stop.is_set():
                self._tick_safely()
                self._stop.wait(TICK_S)
        finally:
            self._end()

    def _tick_safely(self) -> None:
        try:
            self.tick()
        except DatabaseError as error:
            _LOG.warning("consumer groups: the database: %s", error)
            connections.close_all()
        except Exception:  # noqa: BLE001
            # the relay's other work goes on; the traceback is in the log, and the next tick tries again
            _LOG.exception("consumer groups")

    def tick(self) -> None:
        """Renew leases, begin passes that are due, keep history."""
        close_old_connections()
        if self._is_due("clusters", _CLUSTERS_INTERVAL_S):
            self._profiles = profiles_of_all()
        if self._is_due("lease", lease.RENEW_INTERVAL_S):
            self._held = lease.renew(self.holder, self._profiles.keys())
        self._drop_others()
        for cluster_id in self._held & self._profiles.keys():
            self._begin(cluster_id)
        now_us = time.time_ns() // 1000
        if self._held and self._is_due("history", _HISTORY_INTERVAL_S):
            history.add_points(self._held, now_us)
        if self._held and self._is_due("purge", _PURGE_INTERVAL_S):
            forget_clusters()

    def _is_due(self, what: str, interval_s: float) -> bool:
        now = time.monotonic()
        if now < self._due.get(what, 0.0):
            return False
        self._due[what] = now + interval_s
        return True

    def _begin(self, cluster_id: str) -> None:
        running = self._running.get(cluster_id)
        if running is not None and not running.done():
            return
        known = self._passes.get(cluster_id)
        if known is None or known.profile != self._profiles[cluster_id]:
            if known is not None:
                known.close()
            known = self._passes[cluster_id] = ClusterPass(self._profiles[cluster_id], self.holder)
        if time.monotonic() >= known.next_s:
            pool = self._home_pool if cluster_id == HOME else self._pool
            self._running[cluster_id] = pool.submit(known.run)

    def _drop_others(self) -> None:
        """Forget clusters of which another process has the lease, once their last pass is over."""
        for cluster_id in self._passes.keys() - self._held:
            running = self._running.get(cluster_id)
            if running is None or running.done():
                self._passes.pop(cluster_id).close()
                self._running.pop(cluster_id, None)

    def _end(self) -> None:
        for pool in (self._pool, self._home_pool):
            pool.shutdown(wait=True, cancel_futures=True)
        for known in self._passes.values():
            known.close()
        try:
            lease.release(self.holder)
        except DatabaseError as error:
            _LOG.warning("consumer groups: the database: %s", error)
        connections.close_all()
