"""The live hub of a web process: feeds, what is known of runs, and the rooms that serve subscriptions."""

import asyncio
import logging
import weakref
from collections.abc import Coroutine
from typing import Any, Final

from confluent_kafka import KafkaException
from django.db import DatabaseError

from weir.clusters.clients import consumer, home_profile
from weir.lag.tracking import LagTracker
from weir.live import metrics
from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.control_topics import ControlTopics
from weir.live.lag_channel import LagChannel
from weir.live.results_channel import ResultsChannel
from weir.live.rights_monitor import RightsMonitor
from weir.live.run_registry import RunRegistry
from weir.live.runs_channel import RunsChannel
from weir.live.shared_consumer import SharedConsumer
from weir.live.tail_channel import TailChannel
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
TICK_S: Final = 1.0

# A broker answers a waiting fetch the moment something arrives; the wait only delays topics that are added meanwhile.
RESULTS_WAIT_MS: Final = 50
CONTROL_WAIT_MS: Final = 500


class Hub:
    """Belongs to one event loop; made with the first connection."""

    def __init__(self) -> None:
        profile = home_profile()
        self.threads = BlockingPool()
        self.connections: set[Connection] = set()
        self.tracker = LagTracker()
        self.board = RunRegistry(self._run_changed)
        self._results_feed = SharedConsumer(
            lambda: consumer(profile, enable_partition_eof=False, fetch_wait_max_ms=RESULTS_WAIT_MS, queued_max_messages_kbytes=16_384),
            "live-results",
        )
        self._control = ControlTopics(self._control_feed, self.threads, self.board, self.tracker)
        self.results = ResultsChannel(self._results_feed, self.threads, self.board)
        self.runs = RunsChannel(self.threads, self.board)
        self.lag = LagChannel(self.threads, self.board, self.tracker)
        self.tails = TailChannel(self.threads)
        self.rights = RightsMonitor()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def _control_feed(self) -> SharedConsumer:
        return SharedConsumer(
            lambda: consumer(
                home_profile(), enable_partition_eof=False, fetch_wait_max_ms=CONTROL_WAIT_MS, queued_max_messages_kbytes=4_096
            ),
            "live-control",
            self.board.on_read,
        )

    def _run_changed(self, job_id: str) -> None:
        self.results.run_changed(job_id)
        self.runs.run_changed(job_id)

    async def _run(self) -> None:
        turn = 0
        while True:
            await self._step(self._control.tick())
            for connection in list(self.connections):
                connection.check()
            await self._step(self.results.tick())
            await self._step(self.lag.tick())
            await self._step(self.tails.tick())
            if turn % 2 == 0:
                await self._step(self.runs.tick())
            metrics.CONNECTIONS.set(len(self.connections))
            turn += 1
            await asyncio.sleep(TICK_S)

    async def _step(self, work: Coroutine[Any, Any, None]) -> None:
        """One part's housekeeping. A fault in it must not stop that of the others: it is logged, and tried again next time."""
        try:
            await work
        except (ServiceError, KafkaException, DatabaseError) as error:
            _LOG.info("live hub: %s", error)
        except Exception:  # noqa: BLE001 - the hub outlives a defect in one part; the trace is in the log
            _LOG.exception("live hub")

    async def close(self) -> None:
        """Stop everything; the next connection makes a new hub."""
        self._task.cancel()
        self.rights.close()
        for connection in list(self.connections):
            connection.release()
        await self.tails.close()
        await self._results_feed.close()
        await self._control.close()
        self.threads.close()
        _HUBS.pop(asyncio.get_running_loop(), None)


_HUBS: Final[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]] = weakref.WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _HUBS.get(loop)
    if found is None:
        found = _HUBS[loop] = Hub()
    return found
