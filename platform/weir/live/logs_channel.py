"""The channel logs/<job>: lines of a job's runs, as its engines send them.

Every web process reads `weir.reports` anyway, so a watched log costs what is sent, and one that nobody
watches costs the memory of its newest lines.
"""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, Final

from jobs.kafka_messages import LogReport
from weir.live import frames
from weir.live.connection import Connection
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunRegistry
from weir.run_logs.services.queries import report_json

FLUSH_INTERVAL_S: Final = 0.25
MAX_WAITING: Final = 300  # lines for one client
MAX_WAITING_SIZE: Final = 512 * 1024  # characters, likewise
# Lines that the relay may not have stored when a client reads the page that it continues.
RECENT_S: Final = 60.0
MAX_RECENT: Final = 1_000  # lines
MAX_RECENT_SIZE: Final = 2 * 1024 * 1024  # characters

Line = dict[str, Any]


class LogSubscription:
    """One client's subscription; the oldest of its lines are dropped, and counted, when it does not read."""

    def __init__(self, connection: Connection, id: int, job_id: str, workspace_id: int) -> None:
        self.id = id
        self.job_id = job_id
        self.workspace_id = workspace_id
        self.closed = False
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[str, Line]] = deque()  # run, line
        self._size = 0
        self._dropped = 0
        self._sent_at = 0.0

    @property
    def size(self) -> int:
        """Characters that wait to be sent."""
        return self._size

    def last_cursor(self) -> str | None:
        """A log has no cursor: lines have names, by which a client tells which it has."""
        return None

    def add(self, run_id: str, lines: list[Line]) -> None:
        """Queue lines."""
        self._waiting.extend((run_id, line) for line in lines)
        self._size += sum(map(_size, lines))
        while len(self._waiting) > MAX_WAITING or self._size > MAX_WAITING_SIZE:
            _, oldest = self._waiting.popleft()
            self._size -= _size(oldest)
            self._dropped += 1
        self._connection.mark(self)

    def due(self) -> float | None:
        """When the next frame may be sent: at most four a second."""
        return self._sent_at + FLUSH_INTERVAL_S if self._waiting else None

    def take(self) -> Iterator[str]:
        """One frame per run with the waiting lines, until the subscription ends."""
        by_run: defaultdict[str, list[Line]] = defaultdict(list)
        for run_id, line in self._waiting:
            by_run[run_id].append(line)
        dropped, self._dropped = self._dropped, 0
        self._waiting.clear()
        self._size = 0
        self._sent_at = self._loop.time()
        for run_id, lines in by_run.items():
            if self.closed:
                return
            yield frames.frame("log", id=self.id, run=run_id, lines=lines, dropped=dropped)
            dropped = 0

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._waiting.clear()
        self._size = 0


class LogsChannel:
    """Subscriptions to logs, and the newest lines of all runs.

    Args:
        registry: knows which job a run is of.
    """

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._watching: defaultdict[str, set[LogSubscription]] = defaultdict(set)
        self._recent: deque[tuple[float, str, list[Line]]] = deque()  # when it came, run, lines
        self._lines = self._size = 0  # of the recent ones

    def subscribe(self, subscription: LogSubscription, job: JobInfo) -> None:
        """Serve a subscription: first the newest lines of the job's runs, then each as it comes."""
        if job.run is not None:
            self._registry.learn(job.run)
        self._watching[subscription.job_id].add(subscription)
        self._forget(time.monotonic())
        for _, run_id, lines in self._recent:
            if self._job_of(run_id) == subscription.job_id:
                subscription.add(run_id, lines)

    def apply(self, report: LogReport) -> None:
        """Take in an engine's report."""
        lines = report_json(report)
        now = time.monotonic()
        self._recent.append((now, report.run_id, lines))
        self._lines += len(lines)
        self._size += sum(map(_size, lines))
        self._forget(now)
        watching = self._watching.get(self._job_of(report.run_id) or "", set())
        for subscription in watching:
            if not subscription.closed:
                subscription.add(report.run_id, lines)

    def tick(self) -> None:
        """Drop ended subscriptions and old lines."""
        self._forget(time.monotonic())
        for job_id, watching in list(self._watching.items()):
            watching -= {subscription for subscription in watching if subscription.closed}
            if not watching:
                del self._watching[job_id]

    def _job_of(self, run_id: str) -> str | None:
        known = self._registry.runs.get(run_id)
        return known.job_id if known is not None else None

    def _forget(self, now: float) -> None:
        while self._recent and (
            self._recent[0][0] < now - RECENT_S or self._lines > MAX_RECENT or self._size > MAX_RECENT_SIZE
        ):
            _, _, lines = self._recent.popleft()
            self._lines -= len(lines)
            self._size -= sum(map(_size, lines))


def _size(line: Line) -> int:
    return len(line["message"]) + len(line["detail"]) + 200
