"""The channel tail/<stream>: records as they arrive, sampled to what a person can look at."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Final

from confluent_kafka import Consumer, Message

from jobs.connections import ClusterProfile
from jobs.formats.contract import StreamContract
from weir.clusters.clients import consumer
from weir.clusters.topics import describe_topic, watermarks
from weir.live import frames
from weir.live.catalog import StreamFacts
from weir.live.connection import Connection
from weir.live.feed import Feed
from weir.live.threads import Threads
from weir.streams.decoding import record_json

FLUSH_S: Final = 0.25
KEPT_BYTES: Final = 2 * 1024 * 1024  # of records that wait for one client
NEWEST: Final = 500  # of a batch; nobody is sent more records per second


class TailSubscription:
    """The newest records of a stream for one client, at most `rate` a second; the others are counted."""

    def __init__(self, connection: Connection, id: int, workspace_id: int, contract: StreamContract, rate: int) -> None:
        self.id = id
        self.workspace_id = workspace_id
        self.closed = False
        self._connection = connection
        self._contract = contract
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Message] = deque(maxlen=max(1, int(rate * FLUSH_S)))
        self._arrived = 0  # since the last frame
        self._sent_at = self._loop.time()

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return sum(map(_size, self._waiting))

    def last_cursor(self) -> str | None:
        """A tail has no cursor: it always begins at the end."""
        return None

    def add(self, arrived: int, newest: list[Message]) -> None:
        """Records arrived; the newest of them may be shown."""
        self._arrived += arrived
        self._waiting.extend(newest)
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
        records, arrived = list(self._waiting), self._arrived
        self._waiting.clear()
        self._arrived, self._sent_at = 0, now
        shown = [record_json(record, self._contract) for record in records]
        yield frames.frame("records", id=self.id, records=shown, rate=round(arrived / span, 1), skipped=arrived - len(shown))

    def close(self) -> None:
        """End the subscription."""
        self.closed = True
        self._waiting.clear()
        self._arrived = 0


def _size(message: Message) -> int:
    return len(message.value() or b"") + len(message.key() or b"")


class TailTopic:
    """A topic that is tailed, for all its readers."""

    def __init__(self) -> None:
        self.readers: set[TailSubscription] = set()
        self.broken = False

    def read(self, messages: list[Message]) -> tuple[int, list[Message]]:
        """How many came, and the newest of them."""
        return len(messages), messages[-NEWEST:]

    def take(self, batch: tuple[int, list[Message]]) -> None:
        """Hand them to the readers."""
        for reader in self.readers:
            reader.add(*batch)

    def lost(self, partition: int, reason: str) -> None:  # noqa: ARG002 - the feed's signature
        """Retention overtook the tail, or the topic was made anew: begin at its end again."""
        self.broken = True


class TailRoom:
    """One feed per cluster while something of it is tailed."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._feeds: dict[ClusterProfile, Feed] = {}
        self._topics: dict[tuple[ClusterProfile, str], TailTopic] = {}
        self._locks: defaultdict[tuple[ClusterProfile, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def enter(self, subscription: TailSubscription, stream: StreamFacts) -> None:
        """Begin to serve a subscription, at the end of the topic.

        Raises:
            RefusalError: the topic is gone or its cluster does not answer.
            KafkaException: the client says no.
        """
        key = (stream.profile, stream.topic)
        async with self._locks[key]:
            if key not in self._topics:
                await self._begin(key)
            self._topics[key].readers.add(subscription)

    async def _begin(self, key: tuple[ClusterProfile, str]) -> None:
        profile, topic = key
        starts = await self._threads.run(_ends, profile, topic)
        feed = self._feeds.get(profile)
        if feed is None:
            feed = self._feeds[profile] = Feed(_tail_consumer(profile), "live-tails")
        self._topics[key] = tail = TailTopic()
        await feed.assign(topic, starts, tail)

    async def tick(self) -> None:
        """Leave topics that nobody tails; begin anew where a topic could not be read on."""
        for key, tail in list(self._topics.items()):
            tail.readers -= {reader for reader in tail.readers if reader.closed}
            if tail.readers and not tail.broken:
                continue
            async with self._locks[key]:
                await self._feeds[key[0]].unassign(key[1])
                readers = self._topics.pop(key).readers
                if readers:
                    await self._begin(key)
                    self._topics[key].readers |= readers

    async def close(self) -> None:
        """Stop all feeds."""
        for feed in self._feeds.values():
            await feed.close()


def _tail_consumer(profile: ClusterProfile) -> Callable[[], Consumer]:
    return lambda: consumer(profile, enable_partition_eof=False, fetch_wait_max_ms=100, queued_max_messages_kbytes=8_192)


def _ends(profile: ClusterProfile, topic: str) -> dict[int, int]:
    facts = describe_topic(profile, topic)
    return {partition: high for (_, partition), (_, high) in watermarks(profile, {topic: facts.partitions}).items()}
