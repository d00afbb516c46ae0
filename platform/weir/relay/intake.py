"""The relay's consumer: what it reads, from where, and what came."""

import logging
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from jobs.messages import REPORTS_TOPIC
from weir.clusters.clients import consumer, home_profile
from weir.clusters.topics import describe_topics, watermarks
from weir.relay.folding import TopicFold
from weir.relay.sources import ResultSource
from weir.relay.timer import Timer
from weir.results import services
from weir.workspaces.refusals import MissingError

_LOG: Final = logging.getLogger(__name__)
GROUP: Final = "weir.relay"
_ASK_S: Final = 1.0
_SAME_S: Final = 5.0  # between two looks whether weir.reports is still the same
_RESET: Final = frozenset(
    {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE, KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION}
)


class Intake:
    """One consumer for reports and results. Partitions are assigned, never subscribed: the run table says which."""

    def __init__(self) -> None:
        self._consumer = _consumer()
        self._reports: list[TopicPartition] = []
        self._reports_id = ""
        self._look = Timer(_SAME_S)
        self.folds: dict[str, TopicFold] = {}

    def read(self, timeout_s: float) -> list[Message]:
        """Reports that came within the time; results go to their folds."""
        reports = []
        for message in self._consumer.consume(5_000, timeout_s):
            topic = message.topic() or ""
            if message.error() is not None:
                self._trouble(message, topic)
            elif topic == REPORTS_TOPIC:
                reports.append(message)
            elif topic in self.folds:
                self.folds[topic].add(message)
        return reports

    def _trouble(self, message: Message, topic: str) -> None:
        error = message.error()
        if error is None:
            return
        _LOG.warning("%s/%s: %s", topic, message.partition(), error.str())
        if error.code() not in _RESET:
            return
        if topic == REPORTS_TOPIC:
            self._consumer.incremental_unassign(self._reports)
            self._reports = []
        else:
            self.drop(topic)

    def assign_reports(self) -> None:
        """Read weir.reports from where the last relay stopped; nothing happens while it does not exist.

        Raises:
            UnreachableError: the broker does not answer.
            KafkaException: the same, from the consumer.
        """
        if not self._look.due() and self._reports:
            return
        facts = describe_topics(home_profile(), [REPORTS_TOPIC]).get(REPORTS_TOPIC)
        if facts is None or (self._reports and facts.topic_id == self._reports_id):
            return
        if self._reports_id not in ("", facts.topic_id):
            self._begin_anew()
        self._reports_id = facts.topic_id
        bounds = watermarks(home_profile(), {REPORTS_TOPIC: facts.partitions})
        places = [TopicPartition(REPORTS_TOPIC, partition) for partition in range(facts.partitions)]
        for place in self._consumer.committed(places, timeout=_ASK_S * 5):
            low, high = bounds[REPORTS_TOPIC, place.partition]
            place.offset = place.offset if low <= place.offset <= high else low
            self._reports.append(place)
        self._consumer.incremental_assign(self._reports)

    def _begin_anew(self) -> None:
        """weir.reports was deleted and made anew. This client may take the new one's leader for one of an earlier time (librdkafka 2.15,
        when the broker was restarted before), and would read nothing and say nothing; results are read on from where the store stands."""
        _LOG.warning("%s was made anew and is read anew", REPORTS_TOPIC)
        self._consumer.close()
        self._consumer = _consumer()
        self._reports = []
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
        for topic, found in facts.items():
            try:
                bounds = watermarks(home_profile(), {topic: found.partitions})
            except MissingError:  # deleted since
                continue
            self._begin(wanted[topic], found.topic_id, {partition: bounds[topic, partition] for partition in range(found.partitions)})

    def _begin(self, source: ResultSource, topic_id: str, bounds: dict[int, tuple[int, int]]) -> None:
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
        self._consumer.incremental_assign([TopicPartition(source.topic, partition, offset) for partition, offset in offsets.items()])

    def drop(self, topic: str) -> None:
        """Stop reading a result topic and forget what was not stored; it is read again from the store's offsets if it is wanted."""
        if self.folds.pop(topic, None) is None:
            return
        gone = [place for place in self._consumer.assignment() if place.topic == topic]
        self._consumer.incremental_unassign(gone)

    def commit_reports(self, messages: list[Message]) -> None:
        """Remember, at Kafka, that these reports are in the database. A lost commit only means reading them again."""
        ends: dict[int, int] = {}
        for message in messages:
            partition, offset = message.partition() or 0, message.offset() or 0
            ends[partition] = max(ends.get(partition, 0), offset + 1)
        places = [TopicPartition(REPORTS_TOPIC, partition, offset) for partition, offset in ends.items()]
        self._consumer.commit(offsets=places, asynchronous=True)

    def reports_behind(self) -> int | None:
        """Records between here and the end of weir.reports, asked of the broker; None when it does not answer."""
        if not self._reports:
            return None
        try:
            behind = 0
            for began, place in zip(self._reports, self._consumer.position(self._reports), strict=True):
                _, high = self._consumer.get_watermark_offsets(place, timeout=_ASK_S)
                # Before its first record a partition has no position; it stands where it was assigned.
                behind += high - max(place.offset, began.offset)
        except KafkaException as error:
            _LOG.info("weir.reports: %s", error)
            return None
        return behind

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()


def _consumer() -> Consumer:
    made = consumer(home_profile(), GROUP, enable_partition_eof=False, fetch_wait_max_ms=250)
    made.assign([])
    return made
