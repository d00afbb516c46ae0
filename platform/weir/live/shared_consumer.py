"""One Kafka consumer on its own thread, shared by all topics that a web process follows on a cluster."""

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

_LOG: Final = logging.getLogger(__name__)
_BATCH_SIZE: Final = 500
_IDLE_POLL_S: Final = (
    0.5  # only how often the thread checks whether it should stop; a message wakes it at once
)
_MAX_BATCHES_AHEAD: Final = 16  # batches that may wait for the event loop before the thread waits for it

_METADATA_TIMEOUT_S: Final = 2.0

_LOST: Final = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})
_DELETED: Final = frozenset(
    {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION}
)

FAILED: Final = "failed"


class RecordHandler(Protocol):
    """Receives the records of a topic."""

    def read(self, messages: list[Message]) -> Any:
        """Decode a batch. Called on the consumer's thread."""

    def take(self, batch: Any) -> None:
        """Receive what `read` returned. Called on the event loop."""

    def lost(self, partition: int, reason: str) -> None:
        """The partition cannot be read on: `below_start`, `topic_gone`, or `failed` where one of the other
        methods raised on its records. Called on the event loop.
        """


@dataclass(frozen=True, slots=True)
class _Batch:
    """What a handler has read."""

    handler: RecordHandler
    partition: int  # of its first record
    content: Any


class SharedConsumer:
    """Reads assigned partitions while there are any, and hands batches to the event loop.

    All methods run on the event loop that created it. The Kafka consumer is created with the first topic.

    Args:
        make_consumer: called once, on a thread.
        name: of the threads.
        on_idle: called on the event loop with an instant (µs) before which all records were handed over.
    """

    def __init__(
        self, make_consumer: Callable[[], Consumer], name: str, on_idle: Callable[[int], None] | None = None
    ) -> None:
        self._on_idle = on_idle
        self._make_consumer = make_consumer
        self._name = name
        self._loop = asyncio.get_running_loop()
        self._handlers: dict[str, RecordHandler] = {}
        self._assigned: dict[str, list[TopicPartition]] = {}
        self._consumer: Consumer | None = None
        self._thread: threading.Thread | None = None
        self._ahead = threading.BoundedSemaphore(_MAX_BATCHES_AHEAD)
        self._closing = threading.Event()
        self._iterations = (
            0  # of the thread's loop: after two of them no batch that was read before is in flight
        )
        # Consumer calls may wait for librdkafka's own thread: never on the loop, and one at a time.
        self._commands = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-commands")

    @property
    def topics(self) -> int:
        """How many topics are read."""
        return len(self._handlers)

    async def assign(self, topic: str, offsets: dict[int, int], handler: RecordHandler) -> None:
        """Read these partitions from these offsets on and pass the records to `handler`. The
        topic must not be assigned. If the caller is cancelled, it is read all the same.

        Raises:
            KafkaException: from the client; the topic is not read.
        """
        self._handlers[topic] = handler
        partitions = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
        self._assigned[topic] = partitions
        try:
            await self._command(self._start_reading, partitions)
        except Exception:
            self._handlers.pop(topic, None)
            self._assigned.pop(topic, None)
            raise

    async def unassign(self, topic: str) -> None:
        """Stop reading a topic. Afterwards none of its batches is in flight, so it may be assigned again."""
        self._handlers.pop(topic, None)
        partitions = self._assigned.pop(topic, [])
        if partitions and self._consumer is not None:
            await self._command(self._consumer.incremental_unassign, partitions)
            target = self._iterations + 2
            while self._iterations < target and not self._closing.is_set():
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        """Stop reading for good."""
        self._closing.set()
        # After the last command: closing a consumer while `list_topics` runs on it makes that call hang.
        await self._loop.run_in_executor(self._commands, self._end)
        self._commands.shutdown(wait=False)

    def _end(self) -> None:
        if self._thread is not None:
            self._thread.join()
        if self._consumer is not None:
            self._consumer.close()

    async def _command(self, call: Callable[..., Any], *arguments: Any) -> None:
        if not self._closing.is_set():
            # A client that goes cancels what it asked for. A command that still waits for its turn would
            # never run then, while others, who read the same topic, count on it.
            await asyncio.shield(self._loop.run_in_executor(self._commands, call, *arguments))

    def _start_reading(self, partitions: list[TopicPartition]) -> None:
        if self._closing.is_set():
            return
        if self._consumer is None:
            self._consumer = self._make_consumer()
            self._consumer.assign([])
            self._thread = threading.Thread(
                target=self._run, args=(self._consumer,), name=self._name, daemon=True
            )
            self._thread.start()
        self._learn_leaders(self._consumer, {partition.topic for partition in partitions})
        self._consumer.incremental_assign(partitions)

    def _learn_leaders(self, consumer: Consumer, topics: set[str]) -> None:
        # Without this a topic that is new to the client waits for librdkafka's one-second timer: 0.5
        # to 0.9 s were measured.
        for topic in topics:
            try:
                consumer.list_topics(topic, timeout=_METADATA_TIMEOUT_S)
            except KafkaException as error:
                _LOG.info("%s: %s", self._name, error)

    def _run(self, consumer: Consumer) -> None:
        while not self._closing.is_set():
            try:
                self._iterate(consumer)
            except KafkaException as error:
                _LOG.warning("%s: %s", self._name, error)
                self._closing.wait(1.0)
            except Exception:  # noqa: BLE001 - all topics of a cluster share this thread
                _LOG.exception("%s", self._name)
                self._closing.wait(1.0)
            self._iterations += 1

    def _iterate(self, consumer: Consumer) -> None:
        # `consume` alone would wait for a full batch or its time-out: a single message must not wait.
        began_us = time.time_ns() // 1000
        first = consumer.poll(_IDLE_POLL_S)
        if first is None:
            self._report_idle(began_us)
            return
        by_topic: dict[str, list[Message]] = defaultdict(list)
        for message in (first, *consumer.consume(_BATCH_SIZE - 1, 0)):
            if message.error() is not None:
                self._report_error(message)
            elif (topic := message.topic()) is not None:
                by_topic[topic].append(message)
        read = [
            batch
            for topic, messages in by_topic.items()
            if (handler := self._handlers.get(topic)) is not None
            and (batch := self._read(handler, messages)) is not None
        ]
        if read:
            self._hand_over(read)

    def _read(self, handler: RecordHandler, messages: list[Message]) -> _Batch | None:
        partition = messages[0].partition() or 0
        try:
            return _Batch(handler, partition, handler.read(messages))
        except Exception:  # noqa: BLE001 - a defect in one topic must not end the others of its cluster
            _LOG.exception("%s: %s", self._name, messages[0].topic())
            self._on_loop(handler.lost, partition, FAILED)
            return None

    def _report_idle(self, at_us: int) -> None:
        if self._on_idle is not None:
            self._on_loop(self._on_idle, at_us)

    def _hand_over(self, read: list[_Batch]) -> None:
        while not self._ahead.acquire(timeout=_IDLE_POLL_S):
            if self._closing.is_set():
                return
        self._on_loop(self._deliver, read)

    def _on_loop(self, call: Callable[..., None], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:  # the loop was closed without closing the consumer: the process ends
            self._closing.set()

    def _deliver(self, read: list[_Batch]) -> None:
        self._ahead.release()
        for batch in read:
            try:
                batch.handler.take(batch.content)
            except Exception:  # noqa: BLE001 - as when it is read
                _LOG.exception("%s", self._name)
                batch.handler.lost(batch.partition, FAILED)

    def _report_error(self, message: Message) -> None:
        error = message.error()
        handler = self._handlers.get(message.topic() or "")
        if error is None or handler is None:
            return
        if error.code() in _LOST:
            self._on_loop(handler.lost, message.partition() or 0, "below_start")
        elif error.code() in _DELETED:
            self._on_loop(handler.lost, message.partition() or 0, "topic_gone")
        else:  # the client retries by itself; lasting errors show as silence
            _LOG.info("%s: %s", self._name, error.str())
