"""The consumer of result topics: what it reads, and from where."""

import logging
from typing import Final

from confluent_kafka import Consumer, Message, TopicPartition

from weir.clusters.clients import consumer, home_profile
from weir.clusters.topics import describe_topics, watermarks
from weir.relay.folding import TopicFold
from weir.relay.reports_consumer import GROUP, RESET
from weir.relay.sources import ResultSource
from weir.results import services
from weir.workspaces.errors import NotFoundError

_LOG: Final = logging.getLogger(__name__)
_BATCH_SIZE: Final = 5_000


class Intake:
    """Partitions are assigned, never subscribed: the run table says which."""

    def __init__(self) -> None:
        self._consumer = _consumer()
        self.folds: dict[str, TopicFold] = {}

    def read(self, timeout_s: float) -> None:
        """Results that come within the time go to their folds."""
        for message in self._consumer.consume(_BATCH_SIZE, timeout_s):
            topic = message.topic() or ""
            if message.error() is not None:
                self._trouble(message, topic)
            elif topic in self.folds:
                self.folds[topic].add(message)

    def _trouble(self, message: Message, topic: str) -> None:
        error = message.error()
        if error is None:
            return
        _LOG.warning("%s/%s: %s", topic, message.partition(), error.str())
        if error.code() in RESET:
            self.drop(topic)

    def reopen(self) -> None:
        """Read with a new client, results from where the store stands: the broker's topics are others now, under the same names."""
        self._consumer.close()
        self._consumer = _consumer()
        self.folds = {}

    def assign_results(self, wanted: dict[str, ResultSource]) -> None:
        """Follow the run table: read new result topics from where the store stands, leave those that are gone.

        Raises:
            UnreachableError: the broker does not answer; what is read already goes on.
        """
        for topic in self.folds.keys() - wanted.keys():
            self.drop(topic)
        new = [topic for topic in wanted if topic not in self.folds]
        facts = describe_topics(home_profile(), new)
        bounds = _bounds({topic: found.partitions for topic, found in facts.items()})
        places: list[TopicPartition] = []
        try:
            for topic, of_topic in bounds.items():
                places += self._begin(wanted[topic], facts[topic].topic_id, of_topic)
        finally:
            if places:
                self._consumer.incremental_assign(places)

    def _begin(self, source: ResultSource, topic_id: str, bounds: dict[int, tuple[int, int]]) -> list[TopicPartition]:
        """Fold what comes of a topic; the places from which it is to be read."""
        position = services.open_topic(
            job_id=source.job_id, generation=source.generation, topic=source.topic, topic_id=topic_id, partitions=len(bounds)
        )
        offsets = {}
        for partition, (low, high) in bounds.items():
            held = position.offsets[partition]
            # Below the log's start: retention was faster. Beyond its end: the broker lost its newest records.
            offsets[partition] = held if low <= held <= high else low
            if offsets[partition] != held:
                services.move_offset(position.pk, partition, offsets[partition])
        self.folds[source.topic] = TopicFold(source, position, offsets)
        return [TopicPartition(source.topic, partition, offset) for partition, offset in offsets.items()]

    def drop(self, topic: str) -> None:
        """Stop reading a result topic and forget what was not stored; it is read again from the store's offsets if it is wanted."""
        if self.folds.pop(topic, None) is None:
            return
        gone = [place for place in self._consumer.assignment() if place.topic == topic]
        self._consumer.incremental_unassign(gone)

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()


def _bounds(topics: dict[str, int]) -> dict[str, dict[int, tuple[int, int]]]:
    """First and next offset by topic (name → number of partitions) and partition, asked for at once: at a start these are all jobs' topics.

    Topics that were deleted since are left out.
    """
    try:
        found = watermarks(home_profile(), topics)
    except NotFoundError:
        if len(topics) == 1:
            return {}
        return {name: places for topic, count in topics.items() for name, places in _bounds({topic: count}).items()}
    return {topic: {partition: found[topic, partition] for partition in range(count)} for topic, count in topics.items()}


def _consumer() -> Consumer:
    made = consumer(home_profile(), GROUP, enable_partition_eof=False, fetch_wait_max_ms=250)
    made.assign([])
    return made
