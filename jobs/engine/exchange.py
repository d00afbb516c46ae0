"""The exchange topic between the two queries of a run: watermark records, the input positions that both
queries processed, truncation.

A watermark record holds the watermark of the upstream query's last committed batch. No later row is older
than it (minus slack), so a lost, repeated or delayed record is harmless. Its offset identifies the input
positions of all rows before it: once the downstream query has committed that offset, these inputs are fully
processed.
"""

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition
from pyspark.sql import SparkSession

from jobs.connections import ClusterProfile, librdkafka_options
from jobs.engine.exchange_rows import watermark_record
from jobs.engine.kafka_admins import REQUEST_TIMEOUT_S, KafkaAdmins
from jobs.kafka_messages import ExchangeTopic, Positions

TRUNCATE_AFTER_S: Final = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _WatermarkRecord:
    """A watermark record that the broker has stored: its offset, and the input positions of earlier rows."""

    offset: int
    positions: Positions


class ExchangeTracker:
    """Tracks the exchange topic in one attempt of a run. No method but `close` waits for a broker.

    Args:
        home: the cluster of the topic.
        topic: has one partition.
        admins: Kafka clients.
        truncate_after_s: seconds between a commit and the deletion of the records before it.
    """

    def __init__(
        self,
        home: ClusterProfile,
        topic: ExchangeTopic,
        admins: KafkaAdmins,
        truncate_after_s: float = TRUNCATE_AFTER_S,
    ) -> None:
        self.topic = topic.topic
        self._home = home
        self._admins = admins
        self._producer = Producer({**librdkafka_options(home), "linger.ms": 0, "log_level": 2})
        self._lock = threading.Lock()
        # To be published, or published and not yet acknowledged.
        self._pending: tuple[int, Positions] | None = None
        self._records: deque[_WatermarkRecord] = deque()  # not yet committed by the downstream query
        self._downstream_offset = 0  # next offset of the downstream query
        self._truncated_to = 0
        self._truncate_after_s = truncate_after_s
        self._truncate_at = time.monotonic() + truncate_after_s
        self._truncatable_to = 0
        self._upstream_is_idle = False

    def goes_on(self, before: "ExchangeTracker") -> None:
        """Another start of the same queries: what was read stays read, and it is deleted as if there had been
        none. A table that is copied every minute starts them every minute.
        """
        with before._lock:
            offset, truncatable_to = before._downstream_offset, before._truncatable_to
        with self._lock:
            self._downstream_offset, self._truncatable_to = offset, truncatable_to
        self._truncated_to, self._truncate_at = before._truncated_to, before._truncate_at

    def upstream_committed(self, watermark_us: int, positions: Positions) -> None:
        """The upstream query has committed a batch; also called with its last one when it starts.

        Args:
            watermark_us: of that batch; 0 before the first row.
            positions: committed input positions; empty where they are not known.
        """
        with self._lock:
            self._upstream_is_idle = False
            self._pending = (watermark_us, positions)
        self._publish()

    def upstream_idle(self) -> None:
        """The upstream query has nothing to read."""
        with self._lock:
            self._upstream_is_idle = True

    def downstream_committed(self, offset: int) -> None:
        """The downstream query has committed up to this offset."""
        with self._lock:
            self._downstream_offset = max(self._downstream_offset, offset)

    def take_processed(self) -> Positions:
        """The input positions that both queries have processed; empty if unchanged since the last call."""
        processed: Positions = {}
        self._producer.poll(0)
        with self._lock:
            while self._records and self._records[0].offset < self._downstream_offset:
                processed = self._records.popleft().positions or processed
        return processed

    @property
    def is_idle(self) -> bool:
        """True when both queries have read all available input."""
        with self._lock:
            return self._upstream_is_idle and self._pending is None and not self._records

    def tick(self) -> None:
        """Republish a lost watermark record and delete processed records; called about once a second."""
        if time.monotonic() < self._truncate_at:
            return
        self._truncate_at = time.monotonic() + self._truncate_after_s
        with self._lock:
            before, self._truncatable_to = self._truncatable_to, self._downstream_offset
            is_pending = self._pending is not None
        if is_pending:
            self._publish()
        if before > self._truncated_to:
            self._truncate(before)

    def close(self) -> None:
        """Wait up to a second for the delivery of what was published; what isn't delivered then, is dropped.

        Its callback keeps this tracker, and so the client and its threads, until it is called.
        """
        if self._producer.flush(1):
            self._producer.purge()
        self._producer.poll(0)

    def _publish(self) -> None:
        with self._lock:
            pending = self._pending
        if pending is None:
            return

        def on_delivery(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                log.warning("%s: a watermark record was not delivered: %s", self.topic, error.str())
                return
            with self._lock:
                self._records.append(_WatermarkRecord(message.offset() or 0, pending[1]))
                if self._pending is pending:
                    self._pending = None

        try:
            self._producer.produce(
                self.topic, value=watermark_record(pending[0]), partition=0, on_delivery=on_delivery
            )
        except (BufferError, KafkaException) as error:  # published again by `tick`
            log.warning("%s: a watermark record waits for the broker: %s", self.topic, error)
        self._producer.poll(0)

    def _truncate(self, offset: int) -> None:
        """Delete the records before an offset. `tick` passes what the downstream query committed a minute
        ago, and its checkpoint never goes back before that.
        """
        partition = TopicPartition(self.topic, 0, offset)
        try:
            futures = self._admins.admin(self._home).delete_records(
                [partition], request_timeout=REQUEST_TIMEOUT_S
            )
        except KafkaException as error:
            log.warning("%s: records before %s were not deleted: %s", self.topic, offset, error)
            return
        self._truncated_to = offset
        for future in futures.values():
            future.add_done_callback(self._on_truncated)

    def _on_truncated(self, future: Any) -> None:
        error = future.exception()
        if error is not None:
            log.warning("%s: records were not deleted: %s", self.topic, error)


def committed_watermark_us(session: SparkSession, checkpoint: str) -> int:
    """The watermark of the last committed batch of a checkpoint, in µs; 0 when there is none."""
    jvm: Any = session.sparkContext._jvm
    logs = jvm.org.apache.spark.sql.execution.streaming.checkpointing
    java_session: Any = session._jsparkSession
    last = logs.CommitLog(java_session, f"{checkpoint}/commits", False).getLatestBatchId()
    if last.isEmpty():
        return 0
    offsets = logs.OffsetSeqLog(java_session, f"{checkpoint}/offsets", False).get(last.get())
    return 0 if offsets.isEmpty() else int(offsets.get().metadataOpt().get().batchWatermarkMs()) * 1_000
