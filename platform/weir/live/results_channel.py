"""Results: which topics are watched, and how a subscription gets from nothing, or from a cursor, to live changes."""

import asyncio
import logging
import time
from collections import defaultdict
from functools import partial
from typing import Any, Final

from confluent_kafka import KafkaException
from django.db import DatabaseError

from weir.clusters.clients import home_profile
from weir.clusters.topics import describe_topic, watermarks
from weir.live import frames, metrics
from weir.live.blocking_pool import BlockingPool
from weir.live.catch_up import TooFarError, read_range
from weir.live.connection import Connection
from weir.live.lookups import find_job
from weir.live.result_subscription import ResultSubscription
from weir.live.result_topic import FollowedResult
from weir.live.resume import ResumeDecision, decide_resume
from weir.live.run_registry import RunRegistry, RunStatus
from weir.live.shared_consumer import SharedConsumer
from weir.results.cursors import Cursor, encode_cursor
from weir.results.fencing import Fence
from weir.results.reading import read_position, read_snapshot
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
LINGER_S: Final = 30.0  # a topic stays watched after its last reader: a reload finds its tail
RETRY_S: Final = 1.0
RETRY_AT_MOST_S: Final = 15.0


class TopicLostError(Exception):
    """The topic could not be read on while a reader was on its way to it; the next attempt watches it anew."""


_AWAY: Final = (ServiceError, KafkaException, DatabaseError, TooFarError, TopicLostError)


class ResultsChannel:
    """All result topics that this process watches, and their readers."""

    def __init__(self, feed: SharedConsumer, threads: BlockingPool, board: RunRegistry) -> None:
        self._feed = feed
        self._threads = threads
        self._board = board
        self._topics: dict[str, FollowedResult] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._readers: defaultdict[str, dict[ResultSubscription, Connection]] = defaultdict(dict)

    def enter(self, connection: Connection, subscription: ResultSubscription, cursor: str | None) -> None:
        """Begin to serve a subscription; its job is known to be visible to the client."""
        subscription.on_reopen = self._reopen
        self._readers[subscription.job_id][subscription] = connection
        connection.spawn(self._open(connection, subscription, cursor))

    def _reopen(self, subscription: ResultSubscription, reason: str) -> None:
        connection = self._readers[subscription.job_id].get(subscription)
        if connection is not None and not connection.closed:
            connection.post(frames.frame("gap", id=subscription.id, reason=reason))
            connection.spawn(self._open(connection, subscription, None))

    def run_changed(self, job_id: str) -> None:
        """A run's state, epoch or generation is another: tell its readers."""
        view = self._board.of_job(job_id)
        if view is None:
            return
        watched = self._topics.get(view.topic)
        if watched is not None:
            watched.hold(view.holding)
        for subscription, connection in list(self._readers.get(job_id, {}).items()):
            self._tell_status(subscription)
            if subscription.watched is None and subscription.waits_for_start:
                connection.spawn(self._open(connection, subscription, None))
            elif subscription.watched is not None and subscription.watched.generation < view.generation:
                subscription.begin_again("topic_changed")

    def _tell_status(self, subscription: ResultSubscription) -> None:
        view = self._board.of_job(subscription.job_id)
        if view is None:
            subscription.tell_status(_NEVER)
            return
        subscription.tell_status(
            {
                "state": self._board.shown_state(view, time.time_ns() // 1000),
                "desired": view.desired,
                "last_heard_us": view.heard_us,
                "generation": view.generation,
                "holding": view.holding,
                "closed_until_us": _closed_until(view, subscription.slack_us),
                "failure": view.failure,
            }
        )

    async def tick(self) -> None:
        """Tell states that changed by silence, and leave topics that nobody watches."""
        for readers in list(self._readers.values()):
            for subscription in [reader for reader in readers if reader.closed]:
                del readers[subscription]
            for subscription in list(readers):
                self._tell_status(subscription)
        for job_id in [job_id for job_id, readers in self._readers.items() if not readers]:
            del self._readers[job_id]
        now = asyncio.get_running_loop().time()
        for topic, watched in list(self._topics.items()):
            if not watched.readers and watched.left_at is not None and now - watched.left_at > LINGER_S:
                await self._leave(topic, watched)
        metrics.TOPICS.set(len(self._topics))
        metrics.TAIL.set(sum(watched.tail.size for watched in self._topics.values()))

    async def _leave(self, topic: str, watched: FollowedResult) -> None:
        async with self._locks[topic]:
            if not watched.readers and self._topics.get(topic) is watched:
                del self._topics[topic]
                await self._feed.unassign(topic)

    async def _open(self, connection: Connection, subscription: ResultSubscription, cursor: str | None) -> None:
        """Serve a subscription from the beginning, again and again until a broker or database that is away is back."""
        turn, pause_s, told = subscription.begin_opening(), RETRY_S, False
        while subscription.is_opening(turn):
            try:
                await self._open_once(connection, subscription, cursor, turn)
            except _AWAY as error:
                _LOG.info("results of %s: %r", subscription.job_id, error)
                if not told:
                    message = "Results are temporarily unavailable. Retrying automatically."
                    connection.post(frames.error("UNAVAILABLE", message, subscription.id))
                    told = True
                if subscription.watched is not None and subscription.is_opening(turn):
                    # Part of a snapshot may have been sent: the next one begins anew.
                    connection.post(frames.frame("gap", id=subscription.id, reason="overflow"))
                    cursor = None
                    subscription.detach()
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, RETRY_AT_MOST_S)
            else:
                return

    async def _open_once(self, connection: Connection, subscription: ResultSubscription, cursor: str | None, turn: int) -> None:
        facts = await self._threads.run(find_job, subscription.workspace_id, subscription.job_id)
        if facts is None:
            connection.post(frames.error("NOT_FOUND", "Job not found.", subscription.id))
            return
        subscription.slack_us = facts.slack_us
        if facts.run is not None:
            self._board.learn(facts.run)
        view = self._board.of_job(subscription.job_id)
        self._tell_status(subscription)
        subscription.waits_for_start = view is None
        if view is None:
            return
        watched = await self._watch(view)
        resume = await self._threads.run(decide_resume, cursor, watched, time.time_ns() // 1000)
        if not subscription.is_opening(turn):
            return
        if resume.gap:
            metrics.GAPS.labels(reason=resume.gap).inc()
            connection.post(frames.frame("gap", id=subscription.id, reason=resume.gap))
        if resume.offsets is not None:
            await self._resume(connection, subscription, watched, resume, turn)
        else:
            await self._snapshot(connection, subscription, watched, turn)

    async def _resume(
        self, connection: Connection, subscription: ResultSubscription, watched: FollowedResult, resume: ResumeDecision, turn: int
    ) -> None:
        try:
            await self._carry_over(connection, subscription, watched, resume.offsets or {}, [], turn)
        except TooFarError:
            metrics.GAPS.labels(reason="overflow").inc()
            connection.post(frames.frame("gap", id=subscription.id, reason="overflow"))
            await self._snapshot(connection, subscription, watched, turn)

    async def _snapshot(self, connection: Connection, subscription: ResultSubscription, watched: FollowedResult, turn: int) -> None:
        rows, total, offsets = await self._threads.run(_read_rows, watched, subscription.limit)
        cursor = encode_cursor(Cursor(watched.generation, watched.topic_id, offsets, time.time_ns() // 1000))
        parts = list(frames.snapshot(subscription.id, watched.generation, rows, cursor, total))
        await self._carry_over(connection, subscription, watched, offsets, parts, turn)

    async def _carry_over(
        self,
        connection: Connection,
        subscription: ResultSubscription,
        watched: FollowedResult,
        offsets: dict[int, int],
        first: list[str],
        turn: int,
    ) -> None:
        """Send `first`, which stands at `offsets`, and go on from there without a seam.

        Nothing is awaited between looking at the tail and joining the topic's readers: what comes later reaches the
        subscription itself.
        """
        if not subscription.is_opening(turn):
            return
        if watched.broken:
            raise TopicLostError(watched.broken)
        covered, ends = watched.tail.covers(offsets), dict(watched.tail.ends)
        subscription.attach(watched)
        if covered:
            subscription.add(watched.tail.since(offsets))
        wanted = partial(subscription.is_opening, turn)
        for text in first:
            await connection.deliver(text, wanted)
        if not covered:
            changes = await self._threads.run(read_range, watched.topic, offsets, ends)
            cursor = encode_cursor(Cursor(watched.generation, watched.topic_id, ends, time.time_ns() // 1000))
            texts = [change.text for change in changes]
            for text in frames.deltas(subscription.id, texts, cursor, time.time_ns() // 1000, 0):
                await connection.deliver(text, wanted)
        if subscription.is_opening(turn):
            subscription.go_live(encode_cursor(Cursor(watched.generation, watched.topic_id, offsets, time.time_ns() // 1000)))

    async def _watch(self, view: RunStatus) -> FollowedResult:
        async with self._locks[view.topic]:
            watched = self._topics.get(view.topic)
            if watched is not None and not watched.broken:
                watched.left_at = None if watched.readers else asyncio.get_running_loop().time()
                return watched
            if watched is not None:
                del self._topics[view.topic]
                await self._feed.unassign(view.topic)
            watched = await self._threads.run(_begin_watching, view)
            watched.left_at = asyncio.get_running_loop().time()
            watched.hold(view.holding)
            self._topics[view.topic] = watched
            await self._feed.assign(view.topic, watched.tail.starts, watched)
            return watched


_NEVER: Final[dict[str, Any]] = {
    "state": "never_started",
    "desired": "stopped",
    "last_heard_us": None,
    "generation": 0,
    "holding": False,
    "closed_until_us": None,
    "failure": None,
}


def _closed_until(view: RunStatus, slack_us: int | None) -> int | None:
    """Windows that ended before this instant of event time do not change any more; None while no such instant is known."""
    return view.watermark_us - slack_us if view.watermark_us and slack_us is not None else None


def _begin_watching(view: RunStatus) -> FollowedResult:
    facts = describe_topic(home_profile(), view.topic)
    bounds = watermarks(home_profile(), {view.topic: facts.partitions})
    topic_id, stored, fence = read_position(view.job_id, view.generation)
    if topic_id != facts.topic_id:  # never stored, or the rows of a topic that is gone
        stored, fence = {}, Fence()
    starts = {partition: min(max(stored.get(partition, low), low), high) for (_, partition), (low, high) in bounds.items()}
    return FollowedResult(view.job_id, view.generation, view.topic, facts.topic_id, starts, fence)


def _read_rows(watched: FollowedResult, limit: int) -> tuple[list[str], int, dict[int, int]]:
    """Encoded rows, how many are stored, and the position they stand at."""
    found = read_snapshot(watched.job_id, watched.generation, limit)
    if found.topic_id != watched.topic_id:
        return [], 0, dict.fromkeys(watched.tail.ends, 0)
    return [row.as_json() for row in found.rows], found.total, found.offsets
