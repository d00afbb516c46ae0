"""The topic between the stages of a run that is cut: heartbeats, how far the run is with both stages, and what can be forgotten.

A heartbeat says how far the watermark of the stage above was in a batch that is committed, so every row that comes after it
lies behind; one that comes late, twice or not at all does no harm. Where it lies in the topic also says which inputs the
rows before it were made of: once the stage below has committed that far, these inputs have passed through the whole run.
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
from jobs.engine.clusters import ASK_SECONDS, Clusters
from jobs.engine.cut_rows import heartbeat
from jobs.messages import InnerTopic, Positions

FORGET_SECONDS: Final = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A heartbeat that the broker has: its offset, and what the rows before it were made of."""

    offset: int
    positions: Positions


class Between:
    """The topic in one attempt of a run. Nothing here waits for a broker.

    Args:
        home: the cluster that it lies on.
        topic: with one partition.
        clusters: clients.
        forget_after: seconds between a commit and the end of what it has read.
    """

    def __init__(self, home: ClusterProfile, topic: InnerTopic, clusters: Clusters, forget_after: float = FORGET_SECONDS) -> None:
        self.topic = topic.topic
        self._home = home
        self._clusters = clusters
        self._producer = Producer({**librdkafka_options(home), "linger.ms": 0, "log_level": 2})
        self._lock = threading.Lock()
        self._waiting: tuple[int, Positions] | None = None  # to be sent, or sent and not yet taken
        self._marks: deque[_Mark] = deque()  # that the stage below has not committed
        self._read = 0  # next offset of the stage below
        self._forgotten = 0
        self._forget_after = forget_after
        self._forget_at = time.monotonic() + forget_after
        self._forgettable = 0
        self._resting = False  # the stage above has nothing to read

    def committed_above(self, watermark_us: int, positions: Positions) -> None:
        """The stage above has committed a batch, or had when it was started.

        Args:
            watermark_us: of that batch; 0 before the first row.
            positions: that it has committed; empty where nobody has said.
        """
        with self._lock:
            self._resting = False
            self._waiting = (watermark_us, positions)
        self._send()

    def idle_above(self) -> None:
        """The stage above has nothing to read."""
        with self._lock:
            self._resting = True

    def committed_below(self, offset: int) -> None:
        """The stage below has committed up to this offset."""
        with self._lock:
            self._read = max(self._read, offset)

    def take_passed(self) -> Positions:
        """The input positions that both stages have passed, where they are others than when this was last asked."""
        passed: Positions = {}
        self._producer.poll(0)
        with self._lock:
            while self._marks and self._marks[0].offset < self._read:
                passed = self._marks.popleft().positions or passed
        return passed

    @property
    def rests(self) -> bool:
        """True when both stages have read everything that is there."""
        with self._lock:
            return self._resting and self._waiting is None and not self._marks

    def tick(self) -> None:
        """Send again what was lost, and forget what is read; called about once a second."""
        if time.monotonic() < self._forget_at:
            return
        self._forget_at = time.monotonic() + self._forget_after
        with self._lock:
            before, self._forgettable = self._forgettable, self._read
            again = self._waiting is not None
        if again:
            self._send()
        if before > self._forgotten:
            self._forget(before)

    def close(self) -> None:
        """Give what was said a moment to arrive."""
        self._producer.flush(1)

    def _send(self) -> None:
        with self._lock:
            waiting = self._waiting
        if waiting is None:
            return

        def heard(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                log.warning("%s: a heartbeat was not taken: %s", self.topic, error.str())
                return
            with self._lock:
                self._marks.append(_Mark(message.offset() or 0, waiting[1]))
                if self._waiting is waiting:
                    self._waiting = None

        try:
            self._producer.produce(self.topic, value=heartbeat(waiting[0]), partition=0, on_delivery=heard)
        except BufferError:
            log.warning("%s: heartbeats wait for the broker", self.topic)
        self._producer.poll(0)

    def _forget(self, offset: int) -> None:
        """Delete what the stage below had committed a minute ago: a checkpoint never goes back behind it."""
        try:
            asked = self._clusters.admin(self._home).delete_records([TopicPartition(self.topic, 0, offset)], request_timeout=ASK_SECONDS)
        except KafkaException as error:
            log.warning("%s: records before %s are not forgotten: %s", self.topic, offset, error)
            return
        self._forgotten = offset
        for future in asked.values():
            future.add_done_callback(self._told)

    def _told(self, future: Any) -> None:
        error = future.exception()
        if error is not None:
            log.warning("%s: records are not forgotten: %s", self.topic, error)


def committed_watermark_us(session: SparkSession, checkpoint: str) -> int:
    """The watermark of the last batch that a checkpoint has committed, in µs; 0 when there is none."""
    jvm: Any = session.sparkContext._jvm
    logs = jvm.org.apache.spark.sql.execution.streaming.checkpointing
    java_session: Any = session._jsparkSession
    last = logs.CommitLog(java_session, f"{checkpoint}/commits", False).getLatestBatchId()
    if last.isEmpty():
        return 0
    offsets = logs.OffsetSeqLog(java_session, f"{checkpoint}/offsets", False).get(last.get())
    return 0 if offsets.isEmpty() else int(offsets.get().metadataOpt().get().batchWatermarkMs()) * 1_000
