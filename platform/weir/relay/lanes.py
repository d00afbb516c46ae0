"""Consumers of result topics: one for topics that are current, and one for those with much to read.

A consumer gives what its brokers sent in the order in which it came, so behind a backlog of one topic the
rows of all others would wait. So that topic gets out of their way, and is read a slice at a time.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from confluent_kafka import Consumer, Message, TopicPartition

HEAVY_RECORDS: Final = 10_000
"""A topic with more between two flushes, or before its end when it is first read, is heavy."""
LIGHT_RECORDS: Final = 2_000
"""One with less that is nearly at its end is not heavy any more."""
SLICE_RECORDS: Final = 20_000
"""Records of heavy topics between two flushes: so long the others wait for the next one."""
SLICE_ROWS: Final = 2_500
"""Rows of heavy topics that are stored at once, which takes longer than reading them: the same. Storing them
takes PostgreSQL a tenth of a second.
"""
SLICE_BYTES: Final = 64 << 20
"""Of all topics between two flushes: so much is kept in memory."""
_BATCH_SIZE: Final = 5_000
_LEAST_BATCH_SIZE: Final = 500  # of a slice that is nearly full
_LARGEST_BYTES: Final = 1 << 20
"""What a record may have until some were seen; what Kafka's brokers take unless told otherwise."""
_WHILE_HEAVY_S: Final = 0.05  # how long a current topic may wait for a heavy one's records, and the reverse


class Lanes:
    """Reads the partitions that it was given.

    Args:
        connect: makes a client without partitions.
        waiting: a topic's rows that the next flush will store.
    """

    def __init__(self, connect: Callable[[], Consumer], waiting: Callable[[str], int]) -> None:
        self._connect, self._waiting = connect, waiting
        self._current = connect()
        self._backlog: Consumer | None = None  # until a topic is heavy
        self._heavy: set[str] = set()
        self._sliced = self._bytes = 0
        self._record_bytes: float = _LARGEST_BYTES

    def read(self, timeout_s: float) -> list[Message]:
        """Records of any topic, and errors, when there are some; none at the timeout."""
        found = self._read(timeout_s)
        if found:
            length = sum(len(message) for message in found)
            self._bytes += length
            self._record_bytes = max(1, length / len(found))
        return found

    def _read(self, timeout_s: float) -> list[Message]:
        if not self._heavy or self._backlog is None or self.slice_read:
            return self._current.consume(self._batch_size, timeout_s)
        found = self._backlog.consume(min(self._batch_size, self._slice_left), min(timeout_s, _WHILE_HEAVY_S))
        self._sliced += len(found)
        return found + self._current.consume(self._batch_size, 0 if found else min(timeout_s, _WHILE_HEAVY_S))

    @property
    def _batch_size(self) -> int:
        """So many records as memory has room for, if they are as long as the last ones.

        A client gives what arrives while it is asked, and on a fast machine that is more than the slice.
        """
        room = SLICE_BYTES - self._bytes
        return max(1, min(_BATCH_SIZE, int(room / self._record_bytes)))

    @property
    def _slice_left(self) -> int:
        """Records of heavy topics that fit, if each is a row of its own."""
        return max(_LEAST_BATCH_SIZE, SLICE_ROWS - self._heavy_rows)

    @property
    def _heavy_rows(self) -> int:
        return sum(map(self._waiting, self._heavy))

    @property
    def slice_read(self) -> bool:
        """Heavy topics have had their share, or memory is full; what was read should be stored now."""
        return self._sliced >= SLICE_RECORDS or self._bytes >= SLICE_BYTES or self._heavy_rows >= SLICE_ROWS

    def assign(self, offsets: Mapping[str, Mapping[int, int]], heavy: Collection[str]) -> None:
        """Read these topics, too.

        Args:
            offsets: topic → partition → offset to begin at.
            heavy: those of them that have much to read.
        """
        self._heavy |= set(heavy)
        for topic, of_topic in offsets.items():
            partitions = [TopicPartition(topic, partition, offset) for partition, offset in of_topic.items()]
            self._consumer_of(topic).incremental_assign(partitions)

    def unassign(self, topic: str) -> None:
        """Read a topic no longer."""
        consumer = self._consumer_of(topic)
        consumer.incremental_unassign([each for each in consumer.assignment() if each.topic == topic])
        self._heavy.discard(topic)

    def rearrange(self, read: Mapping[str, int], offsets: Callable[[str], Mapping[int, int]]) -> None:
        """Begin the next interval between two flushes.

        Args:
            read: topic → records of this interval, of every topic that is read.
            offsets: the next offsets of a topic, by partition.
        """
        for topic, records in read.items():
            was_heavy = topic in self._heavy
            if was_heavy:
                changes = records < LIGHT_RECORDS and self._is_at_end(topic, offsets(topic))
            else:
                changes = records > HEAVY_RECORDS
            if changes:
                self.unassign(topic)
                self.assign({topic: offsets(topic)}, [] if was_heavy else [topic])
        self._sliced = self._bytes = 0

    def close(self) -> None:
        """Close the clients."""
        self._current.close()
        if self._backlog is not None:
            self._backlog.close()

    def _is_at_end(self, topic: str, offsets: Mapping[int, int]) -> bool:
        """Nearly all was read, as far as the brokers' last answers tell; False before the first."""
        consumer, behind = self._consumer_of(topic), 0
        for partition, offset in offsets.items():
            known = consumer.get_watermark_offsets(TopicPartition(topic, partition), cached=True)
            if known is None or known[1] < 0:
                return False
            behind += known[1] - offset
        return behind < LIGHT_RECORDS

    def _consumer_of(self, topic: str) -> Consumer:
        if topic not in self._heavy:
            return self._current
        if self._backlog is None:
            self._backlog = self._connect()
        return self._backlog
