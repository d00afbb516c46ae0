"""The channel tail/<stream>: records as they arrive, sampled to what a person can look at."""

import asyncio
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Consumer, Message

from jobs.connections import ClusterProfile
from weir.clusters.clients import consumer
from weir.clusters.identity import CLOSED
from weir.clusters.topics import describe_topic, describe_topics, watermarks
from weir.live import frames
from weir.live.lookups import StreamInfo
from weir.live.connection import Connection
from weir.live.lookups import StreamInfo
from weir.live.shared_consumer import SharedConsumer
from weir.live.tail_view import Chosen, TailView
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
FLUSH_S: Final = 0.25
SAME_S: Final = 5.0  # how often it is asked whether topics are still the same
KEPT_BYTES: Final = 2 * 1024 * 1024  # of records that wait for one client

Batch = list[tuple["TailSubscription", Chosen]]


class TailSubscription:
    """The newest records of a stream that one client wants, at most `rate` a second; the others are counted."""

    def __init__(self, connection: Connection, id: int, workspace_id: int, view: TailView, rate: int) -> None:
        self.id = id
        self.workspace_id = workspace_id
        self.view = view
        self.closed = False
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Message] = deque(maxlen=max(1, int(rate * FLUSH_S)))
        self._arrived = self._tried = self._matched = 0  # since the last frame
        self._sent_at = self._loop.time()

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return sum(map(_size, self._waiting))

    def last_cursor(self) -> str | None:
        """A tail has no cursor: it always begins at the end."""
        return None

    def add(self, chosen: Chosen) -> None:
        """Records arrived; the newest of those that match may be shown."""
        self._arrived += chosen.arrived
        self._tried += chosen.tried
        self._matched += len(chosen.matches)
        self._waiting.extend(chosen.matches)
        while self.size > KEPT_BYTES and len(self._waiting) > 1:
            self._waiting.popleft()
        self._connection.mark(self)

    def due(self) -> float | None:
        """At most four times a second."""
        return self._sent_at + FLUSH_S if self._arrived else None

    def take(self) -> Iterator[str]:
        """One frame with what waits."""
        now = self._loop.time()
        span = max(now - self._sent_at, FLUSH_S)
        shown = [self.view.show(record) for record in self._waiting]
        told = {"rate": round(self._arrived / span, 1), "skipped": self._arrived - len(shown)}
        if self.view.chooses:
            told |= {"tried": self._tried, "matched": self._matched}
        self._waiting.clear()
        self._arrived = self._tried = self._matched = 0
        self._sent_at = now
        yield frames.frame("records", id=self.id, records=shown, **told)

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._waiting.clear()
        self._arrived = 0


def _size(message: Message) -> int:
    return len(message.value() or b"") + len(message.key() or b"")


class TailTopic:
    """A topic that is tailed, for all its readers."""

    def __init__(self, starts: Mapping[int, int], readers: frozenset[TailSubscription], topic_id: str = "") -> None:
        self.readers = readers  # replaced, never changed: the feed's thread goes through it
        self.topic_id = topic_id  # Kafka's
        self.broken = False
        self.overtaken = False
        self._next = dict(starts)

    def starts_again(self, ends: Mapping[int, int]) -> dict[int, int]:
        """Where to go on after it was broken: where it was, or at the ends where retention overtook it or the topic is another."""
        return {partition: end if self.overtaken else min(self._next.get(partition, end), end) for partition, end in ends.items()}

    def read(self, messages: list[Message]) -> Batch:
        """What of a batch each reader wants to see."""
        self._next |= {message.partition() or 0: (message.offset() or 0) + 1 for message in messages}
        return [(reader, reader.view.choose(messages)) for reader in self.readers if not reader.closed]

    def take(self, batch: Batch) -> None:
        """Hand it to the readers."""
        for reader, chosen in batch:
            if not reader.closed:
                reader.add(chosen)

    def lost(self, partition: int, reason: str) -> None:  # noqa: ARG002 - the feed's signature
        """Retention overtook the tail; or the topic is gone, or so new that its broker does not know it yet."""
        self.broken = True
        self.overtaken |= reason == "below_start"


class TailChannel:
    """One feed per cluster while something of it is tailed.

    A topic that was made anew is noticed by Kafka's id of it, and its cluster's feed is replaced: after a restart of the broker the client
    may take the new topic's leader for one of an earlier time, and reads nothing without saying so (see `weir.live.control_topics`).
    """

    def __init__(self, threads: BlockingPool) -> None:
        self._threads = threads
        self._looked_at = time.monotonic()
        self._feeds: dict[ClusterProfile, SharedConsumer] = {}
        self._topics: dict[tuple[ClusterProfile, str], TailTopic] = {}
        self._locks: defaultdict[tuple[ClusterProfile, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def enter(self, subscription: TailSubscription, stream: StreamInfo, accepted: Callable[[], None]) -> None:
        """Begin to serve a subscription, at the end of the topic.

        Args:
            subscription: who reads.
            stream: what.
            accepted: called when it is known where that is: what is written from then on is shown or counted.

        Raises:
            ServiceError: the topic is gone or its cluster does not answer.
            KafkaException: the client says no.
        """
        key = (stream.profile, stream.topic)
        async with self._locks[key]:
            if key in self._topics:
                accepted()
                self._topics[key].readers |= {subscription}
            else:
                bounds = await self._threads.run(_bounds, *key)
                accepted()
                await self._begin(key, bounds.topic_id, bounds.ends, frozenset({subscription}))

    async def _begin(
        self, key: tuple[ClusterProfile, str], topic_id: str, starts: dict[int, int], readers: frozenset[TailSubscription]
    ) -> None:
        """Read a topic for these readers, who are there before its first record is."""
        profile, topic = key
        feed = self._feeds.get(profile)
        if feed is None:
            feed = self._feeds[profile] = SharedConsumer(_tail_consumer(profile), "live-tails")
        tail = TailTopic(starts, readers, topic_id)
        await feed.assign(topic, starts, tail)
        self._topics[key] = tail

    async def tick(self) -> None:
        """Leave topics that nobody tails; begin anew where a topic could not be read on, or is another by now."""
        await self._notice_others()
        for key, tail in list(self._topics.items()):
            tail.readers -= {reader for reader in tail.readers if reader.closed}
            if tail.readers and not tail.broken:
                continue
            async with self._locks[key]:
                if tail.readers and not tail.broken:  # somebody came meanwhile
                    continue
                feed = self._feeds.get(key[0])
                if feed is not None:
                    await feed.unassign(key[1])
                if tail.readers:  # a cluster that does not answer is asked again with the next tick
                    await self._begin_again(key, tail)
                else:
                    del self._topics[key]

    async def _begin_again(self, key: tuple[ClusterProfile, str], tail: TailTopic) -> None:
        """Go on with a topic that is not assigned: where it was; another topic of the name from its beginning, as all of it is new."""
        bounds = await self._threads.run(_bounds, *key)
        starts = tail.starts_again(bounds.ends) if bounds.topic_id == tail.topic_id else bounds.starts
        await self._begin(key, bounds.topic_id, starts, tail.readers)

    async def _notice_others(self) -> None:
        if time.monotonic() - self._looked_at < SAME_S:
            return
        self._looked_at = time.monotonic()
        for profile in {profile for profile, _ in self._topics}:
            known = {topic: tail.topic_id for (where, topic), tail in self._topics.items() if where == profile}
            try:
                found = await self._threads.run(describe_topics, profile, sorted(known))
            except ServiceError as error:
                _LOG.info("%s", error)
                if error.code in CLOSED:
                    await self._leave(profile)
                continue
            if any(facts.topic_id != known[topic] for topic, facts in found.items()):
                await self._replace(profile)

    async def _leave(self, profile: ClusterProfile) -> None:
        """Read no more from a cluster that may not be read; its tails are begun again where it may be read later."""
        feed = self._feeds.pop(profile, None)
        if feed is not None:
            await feed.close()
        for (where, _), tail in self._topics.items():
            if where == profile:
                tail.broken = True

    async def _replace(self, profile: ClusterProfile) -> None:
        """Read all of a cluster's topics with another client; what cannot be begun now is begun with a later tick."""
        _LOG.warning("a topic that is tailed was made anew; its cluster's tails are read by another client")
        async with AsyncExitStack() as held:
            keys = sorted((key for key in self._topics if key[0] == profile), key=lambda key: key[1])
            for key in keys:
                await held.enter_async_context(self._locks[key])
            feed = self._feeds.pop(profile, None)
            if feed is not None:
                await feed.close()
            for key in keys:
                tail = self._topics[key]
                tail.broken = True
                await self._begin_again(key, tail)

    async def close(self) -> None:
        """Stop all feeds."""
        for feed in self._feeds.values():
            await feed.close()


def _tail_consumer(profile: ClusterProfile) -> Callable[[], Consumer]:
    return lambda: consumer(profile, enable_partition_eof=False, fetch_wait_max_ms=100, queued_max_messages_kbytes=8_192)


@dataclass(frozen=True)
class _Bounds:
    """Kafka's id of a topic; the first and the next offset of each partition."""

    topic_id: str
    starts: dict[int, int]
    ends: dict[int, int]


def _bounds(profile: ClusterProfile, topic: str) -> _Bounds:
    facts = describe_topic(profile, topic)
    found = {partition: both for (_, partition), both in watermarks(profile, {topic: facts.partitions}).items()}
    starts, ends = ({partition: both[place] for partition, both in found.items()} for place in (0, 1))
    return _Bounds(facts.topic_id, starts, ends)
