"""One client: the frames that wait for it, and the task that sends them."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, Protocol

from weir.live import frames, metrics

_LOG: Final = logging.getLogger(__name__)

SOFT_CAP: Final = 1024 * 1024  # characters that may wait while the client does not read
HARD_CAP: Final = (
    16 * 1024 * 1024
)  # characters that may ever wait: a little more than all recent changes of a topic
STALL_TIMEOUT_S: Final = 2.0  # a send that takes longer means that the client does not read
SEND_TIMEOUT_S: Final = 30.0  # a send that takes longer ends the connection, however little waits
CLOSE_TIMEOUT_S: Final = 5.0  # for the last frame and the close frame

OVERLOADED: Final = 1013


class Subscription(Protocol):
    """A subscription of a connection."""

    id: int
    workspace_id: int

    @property
    def size(self) -> int:
        """Characters that wait to be sent."""

    def due(self) -> float | None:
        """The loop time at which the next frame may be sent; None while nothing waits, or until the
        subscription is marked again.
        """

    def take(self) -> Iterator[str]:
        """Frames to send now, in order. Each is taken when it can be sent; the iterator may end early."""

    def last_cursor(self) -> str | None:
        """The client's position after all frames that were sent, if the channel has cursors."""

    def close(self) -> None:
        """End the subscription; nothing more is sent."""


class Connection:
    """Queues frames for one client and limits how many characters wait.

    Args:
        send: sends one text frame; waits while the client does not read.
        close: closes the socket with a code.
        abort: ends the transport without waiting, or None where there is none (tests).
        person: whose connection it is, for limits (`Standing.person`).
        of_link: whether `person` stands for everybody who has a link.
    """

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
        abort: Callable[[], None] | None,
        person: str,
        *,
        of_link: bool = False,
    ) -> None:
        self.person: Final = person
        self.of_link: Final = of_link
        self._send_text = send
        self._close_socket = close
        self._abort = abort
        self._loop = asyncio.get_running_loop()
        self.subscriptions: dict[int, Subscription] = {}
        self.closed = False
        self._outbox: deque[str] = deque()
        self._outbox_size = 0
        self._dirty: dict[int, Subscription] = {}
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._lock = asyncio.Lock()
        self._sending_since: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending: asyncio.Task[None] | None = None
        self.spawn(self._write())

    def spawn(self, work: Any) -> None:
        """Run a coroutine as long as the connection lives, at most."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if (
            not task.cancelled()
            and (error := task.exception()) is not None
            and not isinstance(error, OSError)
        ):
            _LOG.error("a live connection's task failed", exc_info=error)

    @property
    def is_sending(self) -> bool:
        """Whether a frame is being sent, which the client may not take."""
        return self._sending_since is not None

    @property
    def waiting(self) -> int:
        """Characters that wait, over all subscriptions."""
        return self._outbox_size + sum(subscription.size for subscription in self.subscriptions.values())

    def post(self, text: str) -> None:
        """Queue a frame; queued frames go out in order, before changes."""
        if self.closed:
            return
        self._outbox.append(text)
        self._outbox_size += len(text)
        self._wake.set()

    def mark(self, subscription: Subscription) -> None:
        """Note that a subscription has something to send; one that has ended, whose id may be another's by
        now, has not.
        """
        if not self.closed and self.subscriptions.get(subscription.id) is subscription:
            self._dirty[subscription.id] = subscription
            self._wake.set()

    async def deliver(
        self,
        text: str,
        is_current: Callable[[], bool] | None = None,
        before: Callable[[], str | None] | None = None,
    ) -> None:
        """Send a frame and wait until the client has taken it: for long snapshots, which must
        not be queued as a whole.

        Args:
            text: the frame. Frames that were posted before are sent first.
            is_current: called just before sending; the frame is dropped when it returns False.
            before: returns a frame that must not come after this one, or None; called just before sending.
        """
        async with self._lock:
            await self._send_posted()
            if before is not None and (earlier := before()) is not None:
                await self._send(earlier)
            if is_current is None or is_current():
                await self._send(text)

    async def _send_posted(self) -> None:
        while self._outbox:
            text = self._outbox.popleft()
            self._outbox_size -= len(text)
            await self._send(text)

    async def _send(self, text: str) -> None:
        self._sending_since = self._loop.time()
        try:
            await self._send_text(text)
        finally:
            self._sending_since = None
        metrics.FRAMES.inc()
        metrics.SENT.inc(len(text))
        # The server's `send` does not suspend while the socket takes what it is given: all that waits for one
        # client would be sent before anybody else has the loop.
        await asyncio.sleep(0)

    def check(self) -> bool:
        """Close the connection when too much waits; False when it was closed. Costs
        little: the hub calls it often.
        """
        if self.closed:
            return False
        stalled_s = self._loop.time() - self._sending_since if self._sending_since is not None else 0.0
        waiting = self.waiting
        if (
            waiting > HARD_CAP
            or (waiting > SOFT_CAP and stalled_s > STALL_TIMEOUT_S)
            or stalled_s > SEND_TIMEOUT_S
        ):
            self.end(
                OVERLOADED,
                "OVERLOADED",
                "The client reads too slowly. Reconnect and resume with these cursors.",
            )
            return False
        return True

    def end(self, close_code: int, code: str, message: str) -> None:
        """Send the reason, with a cursor per subscription, and close. A client that does not take even that
        is disconnected after 5 s.
        """
        if self.closed:
            return
        cursors = {
            str(subscription.id): subscription.last_cursor() for subscription in self.subscriptions.values()
        }
        last = frames.error(
            code, message, cursors={name: cursor for name, cursor in cursors.items() if cursor}
        )
        self.release()
        metrics.CLOSES.labels(code=str(close_code)).inc()
        self._ending = self._loop.create_task(self._send_last(last, close_code))

    async def _send_last(self, last: str, close_code: int) -> None:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._send_text(last)
                await self._close_socket(close_code)
        except (TimeoutError, OSError, RuntimeError) as error:
            _LOG.info("a client took no close frame: %r", error)
            if self._abort is not None:
                self._abort()

    def drop(self, subscription: Subscription, code: str, message: str) -> None:
        """End a subscription and send the reason; the others go on. One that has ended already stays so."""
        if self.closed or self.subscriptions.get(subscription.id) is not subscription:
            return
        del self.subscriptions[subscription.id]
        subscription.close()
        self.post(frames.error(code, message, subscription.id))

    def release(self) -> None:
        """Cancel tasks, close subscriptions and drop waiting frames."""
        self.closed = True
        for task in list(self._tasks):
            task.cancel()
        if self._timer is not None:
            self._timer.cancel()
        for subscription in list(self.subscriptions.values()):
            subscription.close()
        self.subscriptions.clear()
        self._dirty.clear()
        self._outbox.clear()
        self._outbox_size = 0

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while await self._write_some():
                pass

    async def _write_some(self) -> bool:
        """Send what is due; False when nothing more is due now."""
        async with self._lock:
            await self._send_posted()
        soonest: float | None = None
        for subscription in list(self._dirty.values()):
            due = subscription.due()
            if due is None:
                self._dirty.pop(subscription.id, None)
            elif due <= self._loop.time():
                await self._flush(subscription)
                return True
            else:
                soonest = due if soonest is None else min(soonest, due)
        self._sleep_until(soonest)
        return False

    async def _flush(self, subscription: Subscription) -> None:
        # To the end of the queue: with many busy subscriptions each gets its turn.
        self._dirty.pop(subscription.id, None)
        self._dirty[subscription.id] = subscription
        parts = subscription.take()
        while True:
            async with self._lock:
                await self._send_posted()
                # The next part is taken only now: a gap may have made it obsolete while others were sent.
                text = next(parts, None)
                if text is None:
                    return
                await self._send(text)

    def _sleep_until(self, moment: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if moment is not None:
            self._timer = self._loop.call_at(moment, self._wake.set)
