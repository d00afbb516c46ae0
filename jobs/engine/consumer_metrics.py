"""How far Spark's consumers in this JVM have read, from Kafka's metrics over JMX
(`docs/spark.md#kafka-source-and-sink`).
"""

from dataclasses import dataclass
from typing import Any

PartitionId = tuple[str, int]  # topic, partition


def metric_partition(topic: str, partition: int) -> PartitionId:
    """The partition as named in consumer metrics, where Kafka replaces dots in topic names."""
    return topic.replace(".", "_"), partition


@dataclass(frozen=True, slots=True)
class ConsumerProgress:
    """How far a consumer was when it last got records, in a partition that it saw as it was then.

    Attributes:
        lag: records to the end.
        lead: records from the start.
    """

    lag: int
    lead: int

    def position(self, start: int, end: int) -> int:
        """The next offset that the consumer reads, as of when it last got records.

        Kafka has no metric of it. The end moves with each record that is written, so after a burst the lag of
        before gives a position that the consumer has not reached. The start moves when retention deletes a
        segment, and the lead of before is too large then. The smaller of the two is too high only where both
        happened, until the consumer gets records again.

        Args:
            start: of the partition, now.
            end: of the partition, now.
        """
        return min(end - self.lag, start + self.lead)


@dataclass(frozen=True, slots=True)
class ConsumerReading:
    """What all consumers of a JVM said at one time: by client id, the progress in each partition, by
    `metric_partition`; None before its first records.
    """

    clients: dict[str, dict[PartitionId, ConsumerProgress | None]]

    def of(self, prefix: str) -> dict[PartitionId, ConsumerProgress]:
        """The progress in each partition of the consumers whose client ids contain `prefix`.

        A partition's newest consumer counts, since Spark pools those of ended queries for minutes; before
        that one's first records there is no progress.
        """
        newest: dict[PartitionId, ConsumerProgress | None] = {}
        for client in sorted((client for client in self.clients if prefix in client), key=_number):
            newest |= self.clients[client]
        return {partition: progress for partition, progress in newest.items() if progress is not None}


class ConsumerMetrics:
    """Reads ``records-lag`` and ``records-lead`` of Spark's consumers in this JVM
    (`jvm/src/weir/consumers/FetchMetrics.java`).
    """

    def __init__(self, jvm: Any) -> None:
        self._metrics = jvm.weir.consumers.FetchMetrics

    def read(self) -> ConsumerReading:
        """Ask all consumers, in one call of the JVM.

        Raises:
            Py4JError: the JVM does not answer.
        """
        return parse_reading(self._metrics.read())


def parse_reading(lines: str) -> ConsumerReading:
    """Parse the lines of `FetchMetrics.read`."""
    clients: dict[str, dict[PartitionId, ConsumerProgress | None]] = {}
    for line in lines.splitlines():
        client, topic, partition, lag, lead = line.split("\t")
        measured = "NaN" not in (lag, lead)
        progress = ConsumerProgress(int(float(lag)), int(float(lead))) if measured else None
        clients.setdefault(client, {})[topic, int(partition)] = progress
    return ConsumerReading(clients)


def _number(client: str) -> int:
    """Kafka numbers the clients of a process: ``…-executor-12``."""
    tail = client.rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0
