"""The live hub of a web process: shared consumers, the run registry, and the channels
that serve subscriptions.
"""

import asyncio
import logging
import weakref
from collections.abc import Coroutine
from typing import Any, Final

from confluent_kafka import KafkaException
from django.db import DatabaseError

from weir.clusters.services.clients import consumer, home_profile
from weir.lag.services.tracker import LagTracker
from weir.live import metrics
from weir.live.alerts_channel import AlertsChannel
from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.control_topics import ControlTopics
from weir.live.groups_channel import GroupsChannel
from weir.live.lag_channel import LagChannel
from weir.live.logs_channel import LogsChannel
from weir.live.results_channel import ResultsChannel
from weir.live.rights_monitor import RightsMonitor
from weir.live.run_registry import RunRegistry
from weir.live.runs_channel import RunsChannel
from weir.live.shared_consumer import SharedConsumer
from weir.live.tail_channel import TailChannel
from weir.runs.services.viewing import NOTED_EVERY_S, note_viewed
from weir.workspaces.errors import ServiceError
from weir.workspaces.services.turns import Turns

_LOG: Final = logging.getLogger(__name__)
TICK_INTERVAL_S: Final = 1.0
# Subscriptions of one person that are admitted at a time: they use the pool's threads and the event loop,
# which all clients share.
ADMISSIONS_PER_PERSON: Final = 2
LAG_WORKERS: Final = 4  # clusters that are asked for the ends of topics at a time

# A broker answers a waiting fetch as soon as a record arrives; the wait only delays topics that
# are assigned meanwhile.
RESULTS_WAIT_MS: Final = 50
CONTROL_WAIT_MS: Final = 500


class Hub:
    """Serves one event loop; created with the first connection."""

    def __init__(self) -> None:
        profile = home_profile()
        self.pool = BlockingPool()
        # Tails have threads and a loop of their own, and lag has threads: a cluster that does not answer
        # keeps only them waiting.
        self.tail_pool = BlockingPool()
        self._lag_pool = BlockingPool(LAG_WORKERS)
        self.admissions = Turns(ADMISSIONS_PER_PERSON)
        self.connections: set[Connection] = set()
        self.tracker = LagTracker()
        self.registry = RunRegistry(self._run_changed)
        self._results_consumer = SharedConsumer(
            lambda: consumer(
                profile,
                enable_partition_eof=False,
                fetch_wait_max_ms=RESULTS_WAIT_MS,
                queued_max_messages_kbytes=16_384,
            ),
            "live-results",
        )
        self.logs = LogsChannel(self.registry)
        self._control_topics = ControlTopics(
            self._make_control_consumer, self.pool, self.registry, self.tracker, self.logs
        )
        self.results = ResultsChannel(self._results_consumer, self.pool, self.registry)
        self.runs = RunsChannel(self.pool, self.registry)
        self.alerts = AlertsChannel(self.pool)
        self.lag = LagChannel(self._lag_pool, self.registry, self.tracker)
        self.groups = GroupsChannel(self.pool)
        self.tails = TailChannel(self.tail_pool)
        self.rights = RightsMonitor()
        self._tasks = [asyncio.get_running_loop().create_task(work) for work in (self._run(), self._tail())]

    def _make_control_consumer(self) -> SharedConsumer:
        return SharedConsumer(
            lambda: consumer(
                home_profile(),
                enable_partition_eof=False,
                fetch_wait_max_ms=CONTROL_WAIT_MS,
                queued_max_messages_kbytes=4_096,
            ),
            "live-control",
            self.registry.on_read,
        )

    def _run_changed(self, job_id: str) -> None:
        self.results.run_changed(job_id)
        self.runs.run_changed(job_id)

    async def _run(self) -> None:
        iteration = 0
        while True:
            await self._step(self._control_topics.tick())
            await self._step(self._check_connections())
            await self._step(self.results.tick())
            await self._step(self.lag.tick())
            await self._step(self._tick_logs())
            await self._step(self.groups.tick())
            if iteration % 2 == 0:
                await self._step(self.runs.tick())
                await self._step(self.alerts.tick())
            if iteration % int(NOTED_EVERY_S / TICK_INTERVAL_S) == 0:
                await self._step(self.pool.run(note_viewed, self.results.followed_jobs))
            metrics.CONNECTIONS.set(len(self.connections))
            metrics.SUBSCRIPTIONS.set(sum(len(each.subscriptions) for each in self.connections))
            iteration += 1
            await asyncio.sleep(TICK_INTERVAL_S)

    async def _tail(self) -> None:
        while True:
            await self._step(self.tails.tick())
            await asyncio.sleep(TICK_INTERVAL_S)

    async def _check_connections(self) -> None:
        for connection in list(self.connections):
            try:
                connection.check()
            except Exception:  # noqa: BLE001 - a defect in one connection is none of the others
                _LOG.exception("live hub: a connection")

    async def _tick_logs(self) -> None:
        self.logs.tick()

    async def _step(self, work: Coroutine[Any, Any, None]) -> None:
        """Housekeeping of one part. An error must not stop that of the others: it is logged, and
        retried with the next tick.
        """
        try:
            await work
        except (ServiceError, KafkaException, DatabaseError) as error:
            _LOG.info("live hub: %s", error)
        except Exception:  # noqa: BLE001 - the hub survives a defect in one part; the traceback is in the log
            _LOG.exception("live hub")

    async def close(self) -> None:
        """Stop everything; the next connection creates a new hub."""
        for task in self._tasks:
            task.cancel()
        self.rights.close()
        self.lag.close()
        for connection in list(self.connections):
            connection.release()
        await self.tails.close()
        await self._results_consumer.close()
        await self._control_topics.close()
        self.pool.close()
        self.tail_pool.close()
        self._lag_pool.close()
        _HUBS.pop(asyncio.get_running_loop(), None)


_HUBS: Final[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]] = weakref.WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _HUBS.get(loop)
    if found is None:
        found = _HUBS[loop] = Hub()
    return found
