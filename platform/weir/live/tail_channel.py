"""The channels tail/<stream> and topic/<cluster>/<topic>: records as they arrive, sampled to a
rate that a user can read.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Consumer, KafkaException, Message
from django.db import DatabaseError, close_old_connections

from jobs.connections import ClusterProfile
from weir.clusters.services.clients import consumer
from weir.clusters.services.identity import CLOSED
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topic, describe_topics
from weir.live import frames
from weir.live.blocking_pool import BlockingPool
from weir.live.connection import Connection
from weir.live.lookups import StreamInfo
from weir.live.rights_monitor import TOPIC_LOST
from weir.live.shared_consumer import SharedConsumer
from weir.live.tail_shares import TailShares
from weir.live.tail_view import Chosen, TailView
from weir.streams.services.large_batches import large_batches
from weir.streams.services.ownership import TopicReading, allowed_readings
from weir.streams.services.scan import LARGE_BYTES
from weir.workspaces.errors import ServiceError
from weir.workspaces.services.turns import Turns

_LOG: Final = logging.getLogger(__name__)
FLUSH_INTERVAL_S: Final = 0.25
RECREATION_CHECK_INTERVAL_S: Final = 5.0  # how often ids and partitions of topics are compared
MAX_PENDING_BYTES: Final = 2 * 1024 * 1024  # of records that wait for one client
FULL_TAILS: Final = 4  # of a connection, which may have as many; more share what these have
# CPU time of all readers' filters on one batch of a topic. A cluster's topics share a thread: what exceeds it
# would delay everybody's tails.
BATCH_FILTER_TIME_S: Final = 0.2
# Sending takes time of the loop, too: frames are compressed. 2.5 million characters took 47 ms.
SENT_CHARACTERS_PER_S: Final = 50_000_000

Batch = list[tuple["TailSubscription", Chosen]]


class TailSubscription:
    """One client's subscription to the newest records of a stream, at most
    `max_per_second`; the others are counted.
    """

    def __init__(
        self,
        connection: Connection,
        id: int,
        reading: TopicReading,
        view: TailView,
        max_per_second: int,
        shares: TailShares,
    ) -> None:
        self.id = id
        self.reading = reading
        self.workspace_id = reading.workspace_id
        self.view = view
        self.closed = False
        self.filtered_at = 0.0  # when its filter was last evaluated; on the consumer's thread
        self._connection = connection
        self._shares = shares
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Message] = deque(maxlen=max(1, int(max_per_second * FLUSH_INTERVAL_S)))
        self._arrived = self._evaluated = self._matched = 0  # since the last frame
        self._sent_at = self._loop.time()

    @property
    def size(self) -> int:
        """Bytes that wait to be sent."""
        return sum(map(_size, self._waiting))

    def last_cursor(self) -> str | None:
        """A tail has no cursor: it always starts at the end of the topic."""
        return None

    def add(self, chosen: Chosen) -> None:
        """Take in a filtered batch; the newest of the matching records may be shown."""
        self._arrived += chosen.arrived
        self._evaluated += chosen.evaluated
        self._matched += len(chosen.matches)
        self._waiting.extend(chosen.matches)
        most = self._most_pending()
        while self.size > most and len(self._waiting) > 1:
            self._waiting.popleft()
        self._connection.mark(self)

    def _most_pending(self) -> int:
        """Those of a connection together stay below what ends it: they may wait for their turn, and not for
        the client.
        """
        tails = sum(isinstance(one, TailSubscription) for one in self._connection.subscriptions.values())
        return MAX_PENDING_BYTES * FULL_TAILS // max(tails, FULL_TAILS)

    @property
    def person(self) -> str:
        """Whose share of the event loop it takes."""
        return self._connection.person

    @property
    def waiting_since(self) -> float:
        """When its frame could have been sent if nobody else had any: at most four a second."""
        return self._sent_at + FLUSH_INTERVAL_S

    def call(self) -> None:
        """Send the frame now that its turn has come."""
        self._connection.mark(self)

    def due(self) -> float | None:
        """When the next frame may be sent; None also while it waits for its turn, at which it is called."""
        if not self._arrived:
            return None
        moment = self.waiting_since
        return moment if moment > self._loop.time() or self._shares.may_go(self) else None

    def take(self) -> Iterator[str]:
        """One frame with the waiting records; none where it has ended since it was due, or where others had
        the turn because its connection was sending.
        """
        if self.closed or not self._shares.may_go(self):
            return
        began = time.thread_time()
        text = self._take_frame()
        took_s = time.thread_time() - began + len(text) / SENT_CHARACTERS_PER_S
        self._shares.spend(self, took_s)
        yield text

    def _take_frame(self) -> str:
        now = self._loop.time()
        span = max(now - self._sent_at, FLUSH_INTERVAL_S)
        shown = self.view.show(self._waiting)
        counts = {"records_per_second": round(self._arrived / span, 1), "skipped": self._arrived - len(shown)}
        if self.view.chooses:
            counts |= {"evaluated": self._evaluated, "matched": self._matched}
        self._waiting.clear()
        self._arrived = self._evaluated = self._matched = 0
        self._sent_at = now
        return frames.frame("records", id=self.id, records=shown, **counts)

    def lose(self) -> None:
        """End the subscription because the topic is not its workspace's any more."""
        self._connection.drop(self, "NOT_FOUND", TOPIC_LOST)

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._waiting.clear()
        self._arrived = 0


def _size(message: Message) -> int:
    return len(message.value() or b"") + len(message.key() or b"")


def _chosen(reader: TailSubscription, messages: list[Message], deadline: float) -> Chosen:
    """What a reader may show of a batch; nothing was evaluated for it after the deadline of thread time."""
    if reader.view.chooses and time.thread_time() > deadline:
        return Chosen(len(messages), 0, [])
    reader.filtered_at = time.monotonic()
    return reader.view.choose(messages)


class TailTopic:
    """A tailed topic, for all its readers."""

    def __init__(
        self,
        starts: Mapping[int, int],
        readers: frozenset[TailSubscription],
        topic_id: str = "",
        *,
        on_large_consumer: bool = False,
        allowed: Callable[[Collection[TopicReading]], Collection[TopicReading] | None] | None = None,
    ) -> None:
        self.readers = readers  # replaced, never changed: the consumer's thread iterates over it
        self.topic_id = topic_id  # Kafka's
        self.broken = False
        self.overtaken = False
        self.large = False  # a batch was larger than a topic beside others may have
        self.on_large_consumer = on_large_consumer
        self._next = dict(starts)
        self._allowed = allowed or _readings_now

    @property
    def partitions(self) -> int:
        """How many are read."""
        return len(self._next)

    def resume_offsets(self, starts: Mapping[int, int], ends: Mapping[int, int]) -> dict[int, int]:
        """Offsets to continue from after reading failed: where it was, or the ends where retention deleted
        unread records. A partition that the topic got since is read from its first record.

        Args:
            starts: first offsets of the log by partition.
            ends: next offsets.
        """
        return {
            partition: end if self.overtaken else min(self._next.get(partition, starts[partition]), end)
            for partition, end in ends.items()
        }

    def read(self, messages: list[Message]) -> Batch:
        """Filter a batch for each reader."""
        if not self.on_large_consumer and sum(map(_size, messages)) > LARGE_BYTES:
            self.large = self.broken = True  # it goes on with the other consumer
        self._next |= {message.partition() or 0: (message.offset() or 0) + 1 for message in messages}
        allowed = self._allowed({reader.reading for reader in self.readers})
        if allowed is None:  # nobody is shown any of it, and each is told how many there were
            unseen = Chosen(len(messages), 0, [])
            return [(reader, unseen) for reader in self.readers if not reader.closed]
        deadline = time.thread_time() + BATCH_FILTER_TIME_S
        return [
            (reader, _chosen(reader, messages, deadline))
            for reader in sorted(self.readers, key=lambda reader: reader.filtered_at)
            if not reader.closed and reader.reading in allowed
        ]

    def take(self, batch: Batch) -> None:
        """Hand a filtered batch to the readers."""
        for reader, chosen in batch:
            if not reader.closed:
                reader.add(chosen)

    def lost(self, partition: int, reason: str) -> None:  # noqa: ARG002 - signature of RecordHandler
        """The partition cannot be read on: retention deleted unread records, or the topic does not exist
        (or not yet, on its broker).
        """
        self.broken = True
        self.overtaken |= reason == "below_start"


def _readings_now(wanted: Collection[TopicReading]) -> Collection[TopicReading] | None:
    """Those that are allowed after a batch was read: of a topic that was deleted and made by another
    workspace meanwhile Kafka's client may read on as if it were the same. None: that can't be read now.
    """
    if not wanted:
        return ()
    try:
        return allowed_readings(wanted)
    except DatabaseError as error:
        _LOG.warning("owners of topics could not be read: %s", error)
        return None
    finally:
        close_old_connections()


class TailChannel:
    """One shared consumer per cluster while a topic of that cluster is tailed, and one more for its topics
    with large batches: unpacking one keeps a consumer's other topics waiting for seconds.

    A recreated topic is detected by its Kafka topic id, and its cluster's consumer is replaced: after a
    broker restart librdkafka may take the new topic's leader epoch for an outdated one and then silently
    reads nothing (see `weir.live.control_topics`).
    """

    def __init__(self, pool: BlockingPool) -> None:
        self._pool = pool
        self._checked_at = time.monotonic()
        self._consumers: dict[tuple[ClusterProfile, bool], SharedConsumer] = {}  # for large batches, or not
        self._topics: dict[tuple[ClusterProfile, str], TailTopic] = {}
        self.shares: Final = TailShares()
        self._turns: Final = Turns(1)

    async def subscribe(
        self, subscription: TailSubscription, stream: StreamInfo, accepted: Callable[[], None]
    ) -> None:
        """Serve a subscription, from the end of the topic.

        Args:
            subscription: of the client.
            stream: the stream or topic to tail.
            accepted: called when the end offsets are known: every record written from
                then on is shown or counted.

        Raises:
            ServiceError: the topic does not exist or its cluster does not answer.
            KafkaException: the Kafka client reports an error.
        """
        key = (stream.profile, stream.topic)
        async with self._turns.of(key):
            if key in self._topics:
                accepted()
                self._topics[key].readers |= {subscription}
            else:
                bounds = await self._pool.run(_bounds, *key)
                accepted()
                await self._start(key, bounds.topic_id, bounds.ends, frozenset({subscription}))

    async def _start(
        self,
        key: tuple[ClusterProfile, str],
        topic_id: str,
        starts: dict[int, int],
        readers: frozenset[TailSubscription],
    ) -> None:
        """Read a topic for these readers; they are registered before its first record is read."""
        profile, topic = key
        large = large_batches.is_large(profile, topic)
        shared = self._consumers.get((profile, large))
        if shared is None:
            shared = SharedConsumer(_tail_consumer(profile), "live-tails")
            self._consumers[profile, large] = shared
        tail = TailTopic(starts, readers, topic_id, on_large_consumer=large)
        await shared.assign(topic, starts, tail)
        self._topics[key] = tail
        if self._consumers.get((profile, large)) is not shared:
            tail.broken = True  # its consumer was replaced meanwhile: the next tick resumes it

    async def tick(self) -> None:
        """Unassign topics without readers, close consumers without topics, and resume topics that could not
        be read on or were recreated.
        """
        await self._detect_changed()
        for key, tail in list(self._topics.items()):
            tail.readers -= {reader for reader in tail.readers if reader.closed}
            if tail.readers and not tail.broken:
                continue
            async with self._turns.of(key):
                if tail.readers and not tail.broken:  # a reader subscribed meanwhile
                    continue
                shared = self._consumers.get((key[0], tail.on_large_consumer))
                if shared is not None:
                    await shared.unassign(key[1])
                if tail.large:
                    large_batches.note(*key, large=True)
                if not tail.readers or not await self._resume_topic(key, tail):
                    del self._topics[key]
        for reading, shared in list(self._consumers.items()):
            if shared.topics == 0 and not any(where == reading[0] for where, _ in self._topics):
                # Left open it would go on connecting, to a cluster that is gone or with an old password.
                del self._consumers[reading]
                await shared.close()

    async def _resume_topic(self, key: tuple[ClusterProfile, str], tail: TailTopic) -> bool:
        """Resume an unassigned topic at its last offsets; a recreated topic starts at its beginning, because
        all of its records are new. Readers whose workspace may no longer read it are ended first; False where
        none is left. What does not answer is retried with the next tick.
        """
        try:
            bounds = await self._pool.run(_bounds, *key)
            # Afterwards: a topic has its owner before it exists.
            allowed = await self._pool.run(allowed_readings, {reader.reading for reader in tail.readers})
            for reader in [reader for reader in tail.readers if reader.reading not in allowed]:
                reader.lose()
            tail.readers -= {reader for reader in tail.readers if reader.closed}
            if not tail.readers:
                return False
            starts = (
                tail.resume_offsets(bounds.starts, bounds.ends)
                if bounds.topic_id == tail.topic_id
                else bounds.starts
            )
            await self._start(key, bounds.topic_id, starts, tail.readers)
        except (ServiceError, KafkaException, DatabaseError) as error:
            _LOG.info("%s: %s", key[1], error)
        return True

    async def _detect_changed(self) -> None:
        """Find topics that were recreated, or got more partitions."""
        if time.monotonic() - self._checked_at < RECREATION_CHECK_INTERVAL_S:
            return
        self._checked_at = time.monotonic()
        # At once: a silent cluster takes seconds, and the tails of others wait for none.
        await asyncio.gather(*map(self._detect_changed_of, {profile for profile, _ in self._topics}))

    async def _detect_changed_of(self, profile: ClusterProfile) -> None:
        known = {topic: tail for (where, topic), tail in self._topics.items() if where == profile}
        try:
            found = await self._pool.run(describe_topics, profile, sorted(known))
        except ServiceError as error:
            _LOG.info("%s", error)
            if error.code in CLOSED:
                await self._leave(profile)
            return
        if any(info.topic_id != known[topic].topic_id for topic, info in found.items()):
            await self._replace(profile)
            return
        for topic, info in found.items():
            known[topic].broken |= info.partitions > known[topic].partitions

    async def _leave(self, profile: ClusterProfile) -> None:
        """Stop reading from a cluster whose address is not allowed; its tails resume if
        it is allowed later.
        """
        await self._close_consumers(profile)
        for (where, _), tail in self._topics.items():
            if where == profile:
                tail.broken = True

    async def _replace(self, profile: ClusterProfile) -> None:
        """Read all of a cluster's topics with a new consumer; topics that cannot be resumed now are
        resumed with a later tick.
        """
        _LOG.warning("a tailed topic was recreated; its cluster gets a new consumer")
        async with AsyncExitStack() as turns:
            keys = sorted((key for key in self._topics if key[0] == profile), key=lambda key: key[1])
            for key in keys:
                await turns.enter_async_context(self._turns.of(key))
            await self._leave(profile)
            for key in keys:
                if not await self._resume_topic(key, self._topics[key]):
                    del self._topics[key]

    async def _close_consumers(self, profile: ClusterProfile) -> None:
        for large in (False, True):
            shared = self._consumers.pop((profile, large), None)
            if shared is not None:
                await shared.close()

    async def close(self) -> None:
        """Close all consumers."""
        for shared in self._consumers.values():
            await shared.close()


def _tail_consumer(profile: ClusterProfile) -> Callable[[], Consumer]:
    return lambda: consumer(
        profile, enable_partition_eof=False, fetch_wait_max_ms=100, queued_max_messages_kbytes=8_192
    )


@dataclass(frozen=True)
class _Bounds:
    """Kafka's id of a topic; the first and the next offset of each partition."""

    topic_id: str
    starts: dict[int, int]
    ends: dict[int, int]


def _bounds(profile: ClusterProfile, topic: str) -> _Bounds:
    info = describe_topic(profile, topic)
    # Records of a transaction that is still open come when it is committed: they belong to the tail.
    marks = watermarks(profile, {topic: info.partitions}, committed=True)
    found = {partition: both for (_, partition), both in marks.items()}
    starts, ends = ({partition: both[index] for partition, both in found.items()} for index in (0, 1))
    return _Bounds(info.topic_id, starts, ends)
