"""How far Spark's consumers in this JVM have read, from Kafka's metrics over JMX
(`docs/spark.md#kafka-source-and-sink`).
"""

from dataclasses import dataclass
from typing import Any, Final

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


class ConsumerMetrics:
    """Reads ``records-lag`` and ``records-lead`` of Spark's consumers in this JVM. Bean names are cached,
    because listing them is expensive.
    """

    _PATTERN: Final = "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*,topic=*,partition=*"

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm
        self._beans = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
        self._names: dict[str, list[tuple[PartitionId, Any]]] = {}

    def refresh(self) -> None:
        """List the beans again."""
        found: dict[str, list[tuple[PartitionId, Any]]] = {}
        for name in self._beans.queryNames(self._jvm.javax.management.ObjectName(self._PATTERN), None):
            client = name.getKeyProperty("client-id")
            partition = (name.getKeyProperty("topic"), int(name.getKeyProperty("partition")))
            found.setdefault(client, []).append((partition, name))
        self._names = found

    def progress(self, prefix: str) -> dict[PartitionId, ConsumerProgress]:
        """The progress in each partition, by `metric_partition`, of the existing consumers whose client ids
        contain `prefix`; of partitions without a record since the consumer began there is none.
        """
        found: dict[PartitionId, ConsumerProgress] = {}
        for partition, name in self._newest(prefix).items():
            if self._beans.isRegistered(name):
                lag = self._beans.getAttribute(name, "records-lag")
                lead = self._beans.getAttribute(name, "records-lead")
                if lag == lag and lead == lead:  # NaN until the first fetch
                    found[partition] = ConsumerProgress(int(lag), int(lead))
        return found

    def _newest(self, prefix: str) -> dict[PartitionId, Any]:
        """The bean of each partition's newest consumer; Spark pools those of ended queries for minutes."""
        clients = sorted((client for client in self._names if prefix in client), key=_number)
        return {partition: name for client in clients for partition, name in self._names[client]}

    def knows(self, prefix: str, partitions: int) -> bool:
        """True when at least this many partitions have a bean of such a consumer."""
        return len(self._newest(prefix)) >= partitions


def _number(client: str) -> int:
    """Kafka numbers the clients of a process: ``…-executor-12``."""
    tail = client.rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0
