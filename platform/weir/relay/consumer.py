"""The consumer of result topics."""

import logging
import time
from contextlib import suppress
from typing import Final, NamedTuple

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from confluent_kafka.admin import OffsetSpec

from weir.clusters.services.clients import consumer, home_profile
from weir.clusters.services.offsets import known_offsets
from weir.clusters.services.topics import describe_topics
from weir.relay.lanes import HEAVY_RECORDS, Lanes
from weir.relay.reports_reader import GROUP, RESET
from weir.relay.result_buffer import ResultBuffer
from weir.relay.result_topics import FollowedTopic
from weir.results.services.store import clear_outdated, move_offset, open_topic, stored_offsets
from weir.retention import CURSOR_MAX_AGE_US

_LOG: Final = logging.getLogger(__name__)


class _Bounds(NamedTuple):
    """Of a partition the first offset, the next one, and from which on no tombstone was compacted away."""

    low: int
    high: int
    whole_from: int


class RelayConsumer:
    """Reads the followed result topics. Partitions are assigned, never subscribed."""

    def __init__(self) -> None:
        self._lanes = Lanes(_consumer, self._waiting)
        self.buffers: dict[str, ResultBuffer] = {}
        self._refused = set[str]()  # topics that the database did not let begin when they were last asked for

    def read(self, timeout_s: float) -> None:
        """Read results into their buffers; returns at the timeout, or sooner."""
        for message in self._lanes.read(timeout_s):
            topic = message.topic() or ""
            if message.error() is not None:
                self._handle_error(message, topic)
            elif topic in self.buffers:
                self.buffers[topic].add(message)

    @property
    def slice_read(self) -> bool:
        """So much was read that it should be stored now, so that no topic waits for another."""
        return self._lanes.slice_read

    def begin_interval(self, read: dict[str, int]) -> None:
        """Go on reading after a flush.

        Args:
            read: topic → records that were read since the flush before; others had none.
        """
        counts = {topic: read.get(topic, 0) for topic in self.buffers}
        self._lanes.rearrange(counts, lambda topic: self.buffers[topic].next_offsets)

    def _waiting(self, topic: str) -> int:
        return len(self.buffers.get(topic, ()))

    def _handle_error(self, message: Message, topic: str) -> None:
        error = message.error()
        if error is None:
            return
        _LOG.warning("%s/%s: %s", topic, message.partition(), error.str())
        if error.code() in RESET:
            self.drop(topic)

    def reopen(self) -> None:
        """Start again with a new client, from the stored offsets, because topics were
        recreated under the same names.
        """
        self._lanes.close()
        self._lanes = Lanes(_consumer, self._waiting)
        self.buffers = {}

    def assign_results(self, followed: dict[str, FollowedTopic]) -> None:
        """Read new result topics from their stored offsets, and drop those that are no longer followed.

        Raises:
            UnreachableError: the broker does not answer; topics that are read already continue.
            KafkaException: the same, from the client; new topics are begun again with the next call.
        """
        for topic in self.buffers.keys() - followed.keys():
            self.drop(topic)
        new = [topic for topic in followed if topic not in self.buffers]
        infos = describe_topics(home_profile(), new)
        bounds = _bounds({topic: found.partitions for topic, found in infos.items()})
        begun: dict[str, dict[int, int]] = {}
        try:
            # One that the database refuses keeps none behind it unread.
            for topic in sorted(bounds, key=lambda topic: topic in self._refused):
                self._refused.add(topic)
                offsets = self._start(followed[topic], infos[topic].topic_id, bounds[topic])
                self._refused.discard(topic)
                if offsets is not None:
                    begun[topic] = offsets
        finally:
            behind = {
                topic: sum(bounds[topic][partition].high - offset for partition, offset in offsets.items())
                for topic, offsets in begun.items()
            }
            heavy = [topic for topic, records in behind.items() if records > HEAVY_RECORDS]
            try:
                self._lanes.assign(begun, heavy)
            except KafkaException:
                for topic in begun:  # else they would be taken for read
                    with suppress(KafkaException):
                        self.drop(topic)
                raise

    def drop_lost(self) -> None:
        """Drop topics of which the database has lost what was stored, as when a replica takes over that lacks
        the last transactions. With the next `assign_results` they are read on from what it has.

        It is asked because no error tells: a pool, or a proxy, replaces connections while nothing is stored.
        """
        stored = stored_offsets()
        for topic in [topic for topic, buffer in self.buffers.items() if buffer.is_ahead_of(stored)]:
            _LOG.warning("the database has lost rows of %s; reading again from its stored offset", topic)
            self.drop(topic)

    def _start(
        self, source: FollowedTopic, topic_id: str, bounds: dict[int, _Bounds]
    ) -> dict[int, int] | None:
        """Create the buffer of a topic; returns by partition the offset to read from. None: many rows of it
        have to go first, which the next call goes on with: results of others are stored meanwhile.
        """
        whole = {partition: found.whole_from for partition, found in bounds.items()}
        whole_from = None if source.append_only else whole
        if not clear_outdated(source.job_id, source.generation, topic_id, whole_from):
            return None
        position = open_topic(
            job_id=source.job_id,
            generation=source.generation,
            topic=source.topic,
            topic_id=topic_id,
            partitions=len(bounds),
            whole_from=whole_from,
        )
        offsets = {}
        for partition, (low, high, _) in bounds.items():
            stored = position.offsets[partition]
            # Below the log start, retention has deleted records; beyond its end, the broker has
            # lost its newest records.
            offsets[partition] = stored if low <= stored <= high else low
            if offsets[partition] != stored:
                move_offset(position.pk, partition, stored, offsets[partition])
        self.buffers[source.topic] = ResultBuffer(source, position, offsets)
        return offsets

    def drop(self, topic: str) -> None:
        """Stop reading a result topic and drop its buffer. If it is still followed, it is read
        again from the stored offsets.
        """
        if self.buffers.pop(topic, None) is None:
            return
        self._lanes.unassign(topic)

    def close(self) -> None:
        """Close the clients."""
        self._lanes.close()


def _bounds(topics: dict[str, int]) -> dict[str, dict[int, _Bounds]]:
    """By topic and partition: at the start these are the topics of all jobs.

    Topics that were deleted meanwhile are left out, and those with a partition that nobody leads: they begin
    with a later call, and no other topic waits for them.
    """
    partitions = [TopicPartition(topic, number) for topic, count in topics.items() for number in range(count)]
    since = OffsetSpec.for_timestamp(int(time.time() * 1000) - CURSOR_MAX_AGE_US // 1000)
    found = [
        known_offsets(home_profile(), dict.fromkeys(partitions, spec))
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest(), since)
    ]
    return {
        topic: {number: _bounds_of(*(offsets[topic, number] for offsets in found)) for number in range(count)}
        for topic, count in topics.items()
        if all((topic, number) in offsets for offsets in found for number in range(count))
    }


def _bounds_of(low: int, high: int, since: int) -> _Bounds:
    """Kafka says -1 where no record is as new."""
    return _Bounds(low, high, since if since >= 0 else high)


def _consumer() -> Consumer:
    client = consumer(home_profile(), GROUP, enable_partition_eof=False, fetch_wait_max_ms=250)
    client.assign([])
    return client
