"""The channel results/<job>: followed result topics, and how a subscription gets a snapshot or
resumes, then live changes.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from confluent_kafka import KafkaException
from django.db import DatabaseError

from jobs.run_states import NEVER_STARTED, STOPPED
from weir.clusters.services.clients import home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topic
from weir.live import frames, metrics
from weir.live.blocking_pool import BlockingPool
from weir.live.catch_up import TooFarError, read_range
from weir.live.connection import Connection
from weir.live.lookups import find_job
from weir.live.result_subscription import ResultSubscription
from weir.live.result_topic import FollowedResult, furthest
from weir.live.resume import ResumeDecision, decide_resume
from weir.live.run_registry import RunRegistry, RunStatus
from weir.live.shared_consumer import SharedConsumer
from weir.results.services.fencing import Fence
from weir.results.services.queries import read_position, read_snapshot
from weir.workspaces.errors import ServiceError
from weir.workspaces.services.turns import Turns

_LOG: Final = logging.getLogger(__name__)
LINGER_S: Final = (
    30.0  # how long a topic is followed after its last reader: a page reload finds its recent changes
)
RETRY_S: Final = 1.0
MAX_RETRY_S: Final = 15.0
# Snapshots and catch-up reads of one person at a time, until the client has taken them: they take memory and
# processor time that all clients share.
OPENINGS_PER_PERSON: Final = 2
OPENINGS_PER_LINK: Final = 16  # of all who have it; each of them has those of a person


class TopicLostError(Exception):
    """The topic could not be read on, or the job's next generation began, while a reader was being attached;
    the next attempt follows the topic of the newest generation from scratch.
    """


_EXPECTED: Final = (ServiceError, KafkaException, DatabaseError, TooFarError, TopicLostError)


class ResultsChannel:
    """All result topics that this process follows, and their readers."""

    def __init__(self, consumer: SharedConsumer, pool: BlockingPool, registry: RunRegistry) -> None:
        self._consumer = consumer
        self._pool = pool
        self._registry = registry
        self._topics: dict[str, FollowedResult] = {}
        self._openings = Turns(OPENINGS_PER_PERSON)
        self._openings_of_link = Turns(OPENINGS_PER_LINK)
        self._turns_at: Final = Turns(1)  # a topic
        self._readers: defaultdict[str, dict[ResultSubscription, Connection]] = defaultdict(dict)

    def subscribe(self, connection: Connection, subscription: ResultSubscription, cursor: str | None) -> None:
        """Serve a subscription; the caller has checked that its job is visible to the client."""
        subscription.on_reopen = self._reopen
        self._readers[subscription.job_id][subscription] = connection
        connection.spawn(self._open(connection, subscription, cursor))

    def _reopen(self, subscription: ResultSubscription, reason: str) -> None:
        connection = self._readers[subscription.job_id].get(subscription)
        if connection is not None and not connection.closed:
            connection.post(frames.frame("gap", id=subscription.id, reason=reason))
            connection.spawn(self._open(connection, subscription, None))

    def run_changed(self, job_id: str) -> None:
        """The state, epoch or generation of a run changed: send it to the readers."""
        view = self._registry.of_job(job_id)
        if view is None:
            return
        followed = self._topics.get(view.topic)
        if followed is not None:
            followed.set_buffering(view.buffering)
        for subscription, connection in list(self._readers.get(job_id, {}).items()):
            self._send_status(subscription)
            if subscription.followed is None and subscription.waits_for_start:
                connection.spawn(self._open(connection, subscription, None))
            elif subscription.followed is not None and subscription.followed.generation < view.generation:
                subscription.restart("topic_changed")

    def _send_status(self, subscription: ResultSubscription) -> None:
        view = self._registry.of_job(subscription.job_id)
        if view is None:
            subscription.send_status(_NEVER)
            return
        subscription.send_status(
            {
                "observed": self._registry.shown_state(view, time.time_ns() // 1000),
                "desired": view.desired,
                "last_seen_us": view.seen_us,
                "generation": view.generation,
                "buffering": view.buffering,
                "closed_until_us": _closed_until(view, subscription.slack_us),
                # Its text is the engine's own: it may quote what is not in the result.
                "failure": None if subscription.shared else view.failure,
            }
        )

    @property
    def followed_jobs(self) -> set[str]:
        """The jobs whose results somebody follows."""
        return {
            job_id
            for job_id, readers in self._readers.items()
            if any(not reader.closed for reader in readers)
        }

    async def tick(self) -> None:
        """Send states that changed because of silence, and stop following topics without readers."""
        self._send_states()
        await self._leave_unread()
        metrics.TOPICS.set(len(self._topics))
        metrics.RECENT.set(sum(followed.recent.size for followed in self._topics.values()))

    def _send_states(self) -> None:
        """Send the state of each job to its readers; readers that have closed are forgotten."""
        for readers in list(self._readers.values()):
            for subscription in [reader for reader in readers if reader.closed]:
                del readers[subscription]
            for subscription in list(readers):
                self._send_status(subscription)
        for job_id in [job_id for job_id, readers in self._readers.items() if not readers]:
            del self._readers[job_id]

    async def _leave_unread(self) -> None:
        """Stop following topics that had no reader for `LINGER_S`."""
        now = asyncio.get_running_loop().time()
        for topic, followed in list(self._topics.items()):
            if not followed.readers and followed.left_at is not None and now - followed.left_at > LINGER_S:
                await self._leave(topic, followed)

    async def _leave(self, topic: str, followed: FollowedResult) -> None:
        async with self._turns_at.of(topic):
            if not followed.readers and self._topics.get(topic) is followed:
                del self._topics[topic]
                followed.broken = "nobody read it"  # who is about to read it follows it anew
                await self._consumer.unassign(topic)

    async def _open(
        self, connection: Connection, subscription: ResultSubscription, cursor: str | None
    ) -> None:
        """Serve a subscription from the start; retry while that fails, as when the broker is unreachable, and
        while the run has no topics.
        """
        attempt, pause_s, reported, emptied = subscription.begin_opening(), RETRY_S, False, False
        while subscription.is_opening(attempt):
            try:
                has_topics = await self._open_once(connection, subscription, cursor, attempt)
            except Exception as error:  # noqa: BLE001 - after a defect, too, the page says that it has no rows
                if isinstance(error, _EXPECTED):
                    _LOG.info("results of %s: %r", subscription.job_id, error)
                else:
                    _LOG.exception("results of %s could not be opened", subscription.job_id)
                if not subscription.is_opening(attempt):
                    return
                if not reported:
                    message = "Results are temporarily unavailable. Retrying automatically."
                    connection.post(frames.error("UNAVAILABLE", message, subscription.id))
                    reported = True
                if subscription.followed is not None:
                    # Part of a snapshot may have been sent: the next attempt sends a new one.
                    connection.post(frames.frame("gap", id=subscription.id, reason="overflow"))
                    cursor = None
                    subscription.detach()
            else:
                if has_topics:
                    return
                if not emptied:
                    await self._send_none(connection, subscription, attempt)
                    emptied, cursor = True, None
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, MAX_RETRY_S)

    async def _send_none(
        self, connection: Connection, subscription: ResultSubscription, attempt: int
    ) -> None:
        """A run without topics has no rows: it waits for an engine's room, or failed or was stopped before.
        The page says so, and shows none of an earlier generation.
        """
        view = self._registry.of_job(subscription.job_id)
        if view is None:
            return
        is_current = partial(subscription.is_opening, attempt)
        for text in frames.snapshot(subscription.id, view.generation, [], None, 0, True):
            await connection.deliver(text, is_current=is_current, before=subscription.take_status)

    async def _open_once(
        self, connection: Connection, subscription: ResultSubscription, cursor: str | None, attempt: int
    ) -> bool:
        """False where the run has no topics yet. Its next state opens it, if this process hears of it: runs
        are published when they have theirs.
        """
        job = await self._pool.run(find_job, subscription.workspace_id, subscription.job_id)
        if job is None:
            connection.drop(subscription, "NOT_FOUND", "Job not found.")
            return True
        subscription.slack_us = job.slack_us
        if job.run is not None:
            self._registry.learn(job.run)
        view = self._registry.of_job(subscription.job_id)
        self._send_status(subscription)
        is_read = job.run is not None and view is not None and view.run_id == job.run.run_id
        subscription.waits_for_start = view is None or (is_read and not job.topics_ready)
        if view is None or subscription.waits_for_start:
            return view is None
        followed = await self._follow_topic(view)
        async with self._turn(connection):
            await self._begin(connection, subscription, followed, cursor, attempt)
        return True

    @asynccontextmanager
    async def _turn(self, connection: Connection) -> AsyncIterator[None]:
        """Those who have a link are many: who takes a snapshot slowly lets nobody else of them wait."""
        if not connection.of_link:
            async with self._openings.of(connection.person):
                yield
        else:
            async with self._openings_of_link.of(connection.person), self._openings.of(connection):
                yield

    async def _begin(
        self,
        connection: Connection,
        subscription: ResultSubscription,
        followed: FollowedResult,
        cursor: str | None,
        attempt: int,
    ) -> None:
        """Send what the client lacks, a snapshot or the changes since its cursor, and go live."""
        if not subscription.is_opening(attempt):
            return
        self._require_newest(followed)
        resume = await self._pool.run(decide_resume, cursor, followed, time.time_ns() // 1000)
        if not subscription.is_opening(attempt):
            return
        if resume.gap:
            metrics.GAPS.labels(reason=resume.gap).inc()
            connection.post(frames.frame("gap", id=subscription.id, reason=resume.gap))
        if resume.offsets is not None:
            await self._resume(connection, subscription, followed, resume, attempt)
        else:
            await self._snapshot(connection, subscription, followed, attempt)

    async def _resume(
        self,
        connection: Connection,
        subscription: ResultSubscription,
        followed: FollowedResult,
        resume: ResumeDecision,
        attempt: int,
    ) -> None:
        try:
            await self._send_from(connection, subscription, followed, resume.offsets or {}, (), attempt)
        except TooFarError:
            if not subscription.is_opening(attempt):
                return
            metrics.GAPS.labels(reason="overflow").inc()
            connection.post(frames.frame("gap", id=subscription.id, reason="overflow"))
            await self._snapshot(connection, subscription, followed, attempt)

    async def _snapshot(
        self, connection: Connection, subscription: ResultSubscription, followed: FollowedResult, attempt: int
    ) -> None:
        rows, offsets, counted = await self._pool.run(_read_rows, followed, subscription.limit)
        cursor = followed.cursor_at(offsets)
        parts = frames.snapshot(subscription.id, followed.generation, rows, cursor, *counted)
        await self._send_from(connection, subscription, followed, offsets, parts, attempt)

    async def _send_from(
        self,
        connection: Connection,
        subscription: ResultSubscription,
        followed: FollowedResult,
        offsets: dict[int, int],
        first: Iterable[str],
        attempt: int,
    ) -> None:
        """Send the snapshot frames `first` (valid at `offsets`), then every change after `offsets`.

        There must be no `await` between checking the recent changes and registering as a reader: changes
        arriving in between would be lost.
        """
        if not subscription.is_opening(attempt):
            return
        self._require_newest(followed)
        covered, ends = followed.recent.covers(offsets), dict(followed.recent.ends)
        subscription.attach(followed, offsets)
        if covered:
            subscription.add(followed.recent.since(offsets))
        deliver = partial(
            connection.deliver,
            is_current=partial(subscription.is_opening, attempt),
            before=subscription.take_status,  # rows that a replay held back come after its end was told
        )
        for text in first:
            await deliver(text)
        if not covered:
            changes = await self._pool.run(read_range, followed.topic, offsets, ends, followed.fence)
            if followed.buffering and subscription.is_opening(attempt):
                subscription.add_held(changes)
            else:
                cursor = followed.cursor_at(furthest(ends, offsets))
                texts = [change.text for change in changes]
                for text in frames.deltas(subscription.id, texts, cursor, time.time_ns() // 1000, 0):
                    await deliver(text)
        if subscription.is_opening(attempt):
            subscription.go_live(followed.cursor_at(offsets))

    def _require_newest(self, followed: FollowedResult) -> None:
        """Refuse an earlier topic: nothing else tells who waits for a turn or rows of a newer one.

        Raises:
            TopicLostError: this is not the topic to read from any more.
        """
        if followed.broken:
            raise TopicLostError(followed.broken)
        view = self._registry.of_job(followed.job_id)
        if view is not None and view.generation > followed.generation:
            raise TopicLostError("the job's next generation began")

    async def _follow_topic(self, view: RunStatus) -> FollowedResult:
        async with self._turns_at.of(view.topic):
            followed = self._topics.get(view.topic)
            if followed is not None and not followed.broken:
                followed.left_at = None if followed.readers else asyncio.get_running_loop().time()
                return followed
            if followed is not None:
                del self._topics[view.topic]
                await self._consumer.unassign(view.topic)
            followed = await self._pool.run(_follow, view)
            followed.left_at = asyncio.get_running_loop().time()
            # The run may have changed while its topic was looked up.
            now = self._registry.of_job(view.job_id) or view
            followed.set_buffering((now if now.topic == view.topic else view).buffering)
            self._topics[view.topic] = followed
            try:
                await self._consumer.assign(view.topic, followed.recent.starts, followed)
            except Exception:
                del self._topics[view.topic]  # nobody reads it: the next attempt begins anew
                raise
            return followed


_NEVER: Final[dict[str, Any]] = {
    "observed": NEVER_STARTED,
    "desired": STOPPED,
    "last_seen_us": None,
    "generation": 0,
    "buffering": False,
    "closed_until_us": None,
    "failure": None,
}


def _closed_until(view: RunStatus, slack_us: int | None) -> int | None:
    """Rows of windows that ended before this event time are final; None while no watermark is known."""
    return view.watermark_us - slack_us if view.watermark_us and slack_us is not None else None


def _follow(view: RunStatus) -> FollowedResult:
    info = describe_topic(home_profile(), view.topic)
    bounds = watermarks(home_profile(), {view.topic: info.partitions})
    topic_id, stored, fence = read_position(view.job_id, view.generation)
    if topic_id != info.topic_id:  # never stored, or rows of a deleted topic
        stored, fence = {}, Fence()
    starts = {
        partition: min(max(stored.get(partition, low), low), high)
        for (_, partition), (low, high) in bounds.items()
    }
    return FollowedResult(view.job_id, view.generation, view.topic, info.topic_id, starts, fence)


def _read_rows(followed: FollowedResult, limit: int) -> tuple[list[str], dict[int, int], tuple[int, bool]]:
    """Encoded rows, the offsets at which they are valid, and how many are stored and whether exactly."""
    found = read_snapshot(followed.job_id, followed.generation, limit)
    if found.topic_id != followed.topic_id:
        return [], dict.fromkeys(followed.recent.ends, 0), (0, True)
    return [row.as_json() for row in found.rows], found.offsets, (found.total, found.total_exact)
