"""Reads weir.reports with a consumer of its own, so that reports never wait behind results."""

import logging
import time
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from jobs.kafka_messages import REPORTS_TOPIC
from weir.clusters.services.clients import consumer, home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.topics import describe_topics
from weir.relay.timer import Timer

_LOG: Final = logging.getLogger(__name__)
GROUP: Final = "weir.relay"
_BATCH_SIZE: Final = 1_000
_FLUSH_INTERVAL_S: Final = 0.25  # max. delay of a report
_LOOK_INTERVAL_S: Final = 0.05  # the same of a state
_STATE: Final = b'"run_state"'  # in each `RunStateReport`, and hardly in another report
_REQUEST_TIMEOUT_S: Final = 1.0
_RECREATION_CHECK_INTERVAL_S: Final = 5.0  # between two checks whether weir.reports was recreated
RESET: Final = frozenset(
    {
        KafkaError._AUTO_OFFSET_RESET,
        KafkaError.OFFSET_OUT_OF_RANGE,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_PARTITION,
    }
)


class ReportsReader:
    """Reads reports. Partitions are assigned, never subscribed; stored positions are committed
    to the group `weir.relay`.
    """

    def __init__(self) -> None:
        self._consumer = _open()
        self._assigned: list[TopicPartition] = []
        self._topic_id = ""
        self._recreation_check = Timer(_RECREATION_CHECK_INTERVAL_S)
        self.reopened = 0  # how often the topic was recreated

    def read(self) -> list[Message]:
        """Records of one flush interval. The change of a state ends it: a start may wait for a stop."""
        found: list[Message] = []
        ends = time.monotonic() + _FLUSH_INTERVAL_S
        while len(found) < _BATCH_SIZE and (left := ends - time.monotonic()) > 0:
            read = self._consumer.consume(_BATCH_SIZE - len(found), min(left, _LOOK_INTERVAL_S))
            found += [message for message in read if self._is_record(message)]
            if any(_STATE in (message.value() or b"") for message in read):
                break
        return found

    def _is_record(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return True
        _LOG.warning("%s/%s: %s", REPORTS_TOPIC, message.partition(), error.str())
        if error.code() in RESET:
            self._consumer.incremental_unassign(self._assigned)
            self._assigned = []
        return False

    def assign(self) -> None:
        """Read weir.reports from the committed positions, if the topic exists.

        Raises:
            UnreachableError: the broker does not answer.
            KafkaException: the same, from the consumer.
        """
        if not self._recreation_check.due() and self._assigned:
            return
        info = describe_topics(home_profile(), [REPORTS_TOPIC]).get(REPORTS_TOPIC)
        if info is None or (self._assigned and info.topic_id == self._topic_id):
            return
        if self._topic_id not in ("", info.topic_id):
            self._reopen()
        self._topic_id = info.topic_id
        bounds = watermarks(home_profile(), {REPORTS_TOPIC: info.partitions})
        partitions = [TopicPartition(REPORTS_TOPIC, number) for number in range(info.partitions)]
        for partition in self._consumer.committed(partitions, timeout=_REQUEST_TIMEOUT_S * 5):
            low, high = bounds[REPORTS_TOPIC, partition.partition]
            partition.offset = partition.offset if low <= partition.offset <= high else low
            self._assigned.append(partition)
        self._consumer.incremental_assign(self._assigned)

    def _reopen(self) -> None:
        """Replace the client after weir.reports was recreated: librdkafka 2.15 may take the new leader epoch
        for an outdated one, and then silently reads nothing.
        """
        _LOG.warning("%s was created again and is read from its beginning", REPORTS_TOPIC)
        self._consumer.close()
        self._consumer = _open()
        self._assigned = []
        self.reopened += 1

    def commit(self, messages: list[Message]) -> None:
        """Commit the positions of stored reports. If a commit is lost, the reports are read again."""
        ends: dict[int, int] = {}
        for message in messages:
            partition, offset = message.partition() or 0, message.offset() or 0
            ends[partition] = max(ends.get(partition, 0), offset + 1)
        try:
            self._consumer.commit(
                offsets=[TopicPartition(REPORTS_TOPIC, *end) for end in ends.items()], asynchronous=True
            )
        except KafkaException as error:
            _LOG.info("the position in %s was not committed: %s", REPORTS_TOPIC, error)

    def end_reached_us(self) -> int | None:
        """Time (µs) at which all reports had been read; None if there are more, or
        the broker does not answer.
        """
        if not self._assigned:
            return None
        requested_us = time.time_ns() // 1000
        try:
            for began, partition in zip(self._assigned, self._consumer.position(self._assigned), strict=True):
                _, high = self._consumer.get_watermark_offsets(partition, timeout=_REQUEST_TIMEOUT_S)
                # before its first record, a partition has no position, only the assigned offset
                if high > max(partition.offset, began.offset):
                    return None
        except KafkaException as error:
            _LOG.info("%s: %s", REPORTS_TOPIC, error)
            return None
        return requested_us

    def close(self) -> None:
        """Close the client."""
        self._consumer.close()


def _open() -> Consumer:
    client = consumer(home_profile(), GROUP, enable_partition_eof=False, fetch_wait_max_ms=250)
    client.assign([])
    return client
