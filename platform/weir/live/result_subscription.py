"""One client's subscription to a job's results: what waits, when it is due, what was sent."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from weir.live import frames, metrics
from weir.live.changes import Change, PendingChanges
from weir.live.connection import Connection
from weir.live.result_topic import FollowedResult

EVERY_CAP: Final = 256 * 1024  # characters that wait one by one at interval 0; beyond it changes are folded
HELD_CAP: Final = 8 * 1024 * 1024  # characters that wait while rows are held back; beyond it a snapshot is cheaper
_STATUS_S: Final = 2.0  # how often what moves all the time is worth a frame
_MOVING: Final = {"last_heard_us": None, "closed_until_us": None}


class ResultSubscription:
    """Follows the job's current generation. `reopen` is called with a gap's reason when a snapshot is needed."""

    def __init__(self, connection: Connection, id: int, job_id: str, workspace_id: int, interval_ms: int, limit: int) -> None:
        self.id = id
        self.job_id = job_id
        self.workspace_id = workspace_id
        self.limit = limit
        self.live = False
        self.closed = False
        self.waits_for_start = False
        self.slack_us: int | None = None  # of the generation that is followed; None: not known yet
        self.watched: FollowedResult | None = None
        self.on_reopen: Callable[[ResultSubscription, str], None] | None = None
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._interval_s = interval_ms / 1000
        self._slots = PendingChanges(every=interval_ms == 0, cap=EVERY_CAP)
        self._sent_at = 0.0
        self._cursor: str | None = None
        self._overflowed = False
        self._status: str | None = None
        self._told: dict[str, Any] = {}
        self._told_at = 0.0
        self._turn = 0

    @property
    def size(self) -> int:
        """Characters that wait."""
        return self._slots.size + len(self._status or "")

    def last_cursor(self) -> str | None:
        """Where the client stands after all that was sent."""
        return self._cursor

    def begin_opening(self) -> int:
        """A new attempt to serve the subscription; an older one that is still under way ends by itself."""
        self._turn += 1
        return self._turn

    def is_opening(self, turn: int) -> bool:
        """True while that attempt is the newest and the subscription is wanted."""
        return not self.closed and self._turn == turn

    def attach(self, watched: FollowedResult) -> None:
        """From now on the topic's changes wait here; nothing is sent before `go_live`."""
        self.detach()
        self.watched = watched
        watched.readers.add(self)
        watched.left_at = None

    def detach(self) -> None:
        """Leave the topic."""
        if self.watched is not None:
            self.watched.readers.discard(self)
            if not self.watched.readers:
                self.watched.left_at = self._loop.time()
            self.watched = None
        self.live = False
        self._slots.clear()
        self._overflowed = False

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._status = None
        self.detach()

    def go_live(self, cursor: str | None) -> None:
        """The client has its snapshot, or the changes since its cursor: what waits may go out."""
        self._cursor = cursor or self._cursor
        self.live = True
        self.let_go()

    def add(self, changes: list[Change]) -> None:
        """Let these changes wait for the client."""
        if self._overflowed:
            return
        self._slots.add(changes)
        held = not self.live or (self.watched is not None and self.watched.held)
        if held and self._slots.size > HELD_CAP:
            self._slots.clear()
            self._overflowed = True
        elif not held:
            self._connection.mark(self)
            self._connection.check()

    def let_go(self) -> None:
        """Nothing holds the rows back any more, unless the run is replaying."""
        if not self.live or self.watched is None or self.watched.held:
            return
        if self._overflowed:
            self.begin_again("overflow")
        elif len(self._slots):
            self._connection.mark(self)

    def begin_again(self, reason: str) -> None:
        """Tell a gap and send a new snapshot."""
        if self.closed or self.on_reopen is None:
            return
        self.detach()
        self.begin_opening()  # what an older attempt still wants to send is void from here on
        metrics.GAPS.labels(reason=reason).inc()
        self.on_reopen(self, reason)

    def tell_status(self, status: dict[str, Any]) -> None:
        """Send the run's state if it changed, and now and then what moves all the time."""
        moved = any(status[name] != self._told.get(name) for name in _MOVING)
        changed = {**status, **_MOVING} != {**self._told, **_MOVING}
        if not changed and not (moved and self._loop.time() - self._told_at >= _STATUS_S):
            return
        self._told, self._told_at = dict(status), self._loop.time()
        self._status = frames.frame("status", id=self.id, **status)
        self._connection.mark(self)

    def due(self) -> float | None:
        """When something may be sent; None while nothing waits."""
        if self._status is not None:
            return 0.0
        if not self.live or not len(self._slots) or (self.watched is not None and self.watched.held):
            return None
        return self._sent_at + self._interval_s

    def take(self) -> Iterator[str]:
        """The frames to send now: the state first, then the changes."""
        if self._status is not None:
            status, self._status = self._status, None
            yield status
        watched = self.watched
        if watched is None or not self.live or watched.held or not len(self._slots) or self._sent_at + self._interval_s > self._loop.time():
            return
        self._sent_at = self._loop.time()
        cursor = watched.cursor
        rows, conflated = self._slots.take()
        metrics.CONFLATED.inc(conflated)
        for text in frames.deltas(self.id, rows, cursor, time.time_ns() // 1000, conflated):
            if self.watched is not watched or not self.live:
                return
            yield text
        self._cursor = cursor
