"""One client's subscription to a job's results: pending changes, when they are due, and what was sent."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from weir.live import frames, metrics
from weir.live.changes import Change, PendingChanges
from weir.live.connection import HARD_CAP, SOFT_CAP, Connection
from weir.live.result_topic import FollowedResult

EVERY_CAP: Final = 256 * 1024  # characters that may wait at interval 0 before changes are conflated
BUFFER_CAP: Final = (
    8 * 1024 * 1024
)  # characters that may be buffered while the run replays; beyond it a snapshot is cheaper
_STATUS_INTERVAL_S: Final = 2.0  # how often fields that change all the time are sent
_FREQUENT: Final = {"last_seen_us": None, "closed_until_us": None}


class ResultSubscription:
    """Follows the job's current generation. `on_reopen` is called with the reason of a gap when
    a new snapshot is needed. `shared`: it is a link's, which shows rows and not why a run failed.
    """

    def __init__(
        self,
        connection: Connection,
        id: int,
        job_id: str,
        workspace_id: int,
        interval_ms: int,
        limit: int,
        *,
        shared: bool = False,
    ) -> None:
        self.id = id
        self.job_id = job_id
        self.workspace_id = workspace_id
        self.limit = limit
        self.shared = shared
        self.live = False
        self.closed = False
        self.waits_for_start = False
        self.slack_us: int | None = None  # of the followed generation; None: not known yet
        self.followed: FollowedResult | None = None
        self.on_reopen: Callable[[ResultSubscription, str], None] | None = None
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._interval_s = interval_ms / 1000
        self._pending = PendingChanges(every=interval_ms == 0, cap=EVERY_CAP)
        # By partition, the offset up to which the client has everything though the topic is not read so far.
        self._floor: dict[int, int] = {}
        self._sent_at = 0.0
        self._cursor: str | None = None
        self._overflowed = False
        self._status: str | None = None
        self._sent_status: dict[str, Any] = {}
        self._status_sent_at = 0.0
        self._attempt = 0

    @property
    def size(self) -> int:
        """Characters that wait to be sent."""
        return self._pending.size + len(self._status or "")

    def last_cursor(self) -> str | None:
        """The client's position after all frames that were sent; None between a gap and its snapshot."""
        return self._cursor

    def begin_opening(self) -> int:
        """Start a new attempt to serve the subscription; an older one that is still
        running ends by itself.
        """
        self._attempt += 1
        return self._attempt

    def is_opening(self, attempt: int) -> bool:
        """True while this attempt is the newest and the subscription is open."""
        return not self.closed and self._attempt == attempt

    def attach(self, followed: FollowedResult, offsets: dict[int, int]) -> None:
        """Queue the topic's changes from now on; they are sent after `go_live`.

        Args:
            followed: the topic.
            offsets: by partition, up to where the client has, or is about to get, all changes. The relay may
                have stored rows that were not read here yet.
        """
        self.detach()
        self.followed = followed
        ends = followed.recent.ends
        self._floor = {part: offset for part, offset in offsets.items() if offset > ends.get(part, 0)}
        followed.readers.add(self)
        followed.left_at = None

    def detach(self) -> None:
        """Leave the topic. The cursor is of rows that the client drops, or has not been sent all of."""
        if self.followed is not None:
            self.followed.readers.discard(self)
            if not self.followed.readers:
                self.followed.left_at = self._loop.time()
            self.followed = None
        self.live = False
        self._pending.clear()
        self._floor = {}
        self._cursor = None
        self._overflowed = False

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._status = None
        self.detach()

    def go_live(self, cursor: str | None) -> None:
        """Send changes from now on: the client has its snapshot, or the changes since its cursor."""
        self._cursor = cursor or self._cursor
        self.live = True
        self.flush()

    def add(self, changes: list[Change]) -> None:
        """Queue changes for the client."""
        if self._overflowed:
            return
        self._pending.add(self._above_floor(changes) if self._floor else changes)
        if not self.live or self._is_held:
            self._limit_held()
        elif len(self._pending):
            self._connection.mark(self)
            # At a client that takes what it is sent little waits; to look would be a tenth of a delivery.
            if self._connection.is_sending or self._pending.size > SOFT_CAP:
                self._connection.check()

    def add_held(self, changes: list[Change]) -> None:
        """Queue changes that are older than those that wait, while the run replays."""
        if not self._overflowed:
            self._pending.add_before(changes)
            self._limit_held()

    @property
    def _is_held(self) -> bool:
        return self.followed is not None and self.followed.buffering

    def _limit_held(self) -> None:
        """Drop what waits where it is much: for this subscription, or for all of a client that reads well."""
        if self._pending.size > BUFFER_CAP or self._connection.waiting > HARD_CAP // 2:
            self._pending.clear()
            self._overflowed = True

    def _above_floor(self, changes: list[Change]) -> list[Change]:
        """The changes that the client does not have. Those of a partition come in the order of its log."""
        kept = [change for change in changes if change.offset >= self._floor.get(change.partition, 0)]
        for change in kept:
            self._floor.pop(change.partition, None)
        return kept

    def flush(self) -> None:
        """Send the buffered rows, unless the run is replaying."""
        if not self.live or self.followed is None or self._is_held:
            return
        if self._overflowed:
            self.restart("overflow")
        elif len(self._pending):
            self._connection.mark(self)

    def restart(self, reason: str) -> None:
        """Send a gap and a new snapshot."""
        if self.closed or self.on_reopen is None:
            return
        self.detach()
        self.begin_opening()  # an older attempt sends nothing from here on
        metrics.GAPS.labels(reason=reason).inc()
        self.on_reopen(self, reason)

    def send_status(self, status: dict[str, Any]) -> None:
        """Send the run's state if it changed; fields that change all the time at most every 2 s."""
        if self.closed:
            return
        ticked = any(status[name] != self._sent_status.get(name) for name in _FREQUENT)
        changed = {**status, **_FREQUENT} != {**self._sent_status, **_FREQUENT}
        if not changed and not (ticked and self._loop.time() - self._status_sent_at >= _STATUS_INTERVAL_S):
            return
        self._sent_status, self._status_sent_at = dict(status), self._loop.time()
        self._status = frames.frame("status", id=self.id, **status)
        self._connection.mark(self)

    def due(self) -> float | None:
        """When the next frame may be sent; None while nothing waits."""
        if self._status is not None:
            return 0.0
        if not self.live or not len(self._pending) or self._is_held:
            return None
        return self._sent_at + self._interval_s

    def take_status(self) -> str | None:
        """The frame of a state that the client does not know yet; the caller sends it."""
        status, self._status = self._status, None
        return status

    def take(self) -> Iterator[str]:
        """The frames to send now: the state first, then the changes."""
        if (status := self.take_status()) is not None:
            yield status
        followed = self.followed
        if (
            followed is None
            or not self.live
            or followed.buffering
            or not len(self._pending)
            or self._sent_at + self._interval_s > self._loop.time()
        ):
            return
        self._sent_at = self._loop.time()
        attempt = self._attempt
        cursor = followed.cursor_above(self._floor) if self._floor else followed.cursor
        rows, conflated = self._pending.take()
        metrics.CONFLATED.inc(conflated)
        for text in frames.deltas(self.id, rows, cursor, time.time_ns() // 1000, conflated):
            if not self.live or not self.is_opening(attempt):
                return
            yield text
        if self.live and self.is_opening(attempt):  # no gap while the last part was sent
            self._cursor = cursor
