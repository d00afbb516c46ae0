"""Which epoch may still be heard on a result topic (`docs/architecture.md#fencing`)."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Fence:
    """Refuses rows of an engine that was replaced.

    A row is refused when its partition has already carried a higher epoch, or when it was appended after the first row of
    a higher epoch anywhere in the topic. An older row of a lower epoch in a partition that is read later is lawful: the
    engine of that epoch wrote it while it was the only one, and nobody writes it again.

    Attributes:
        partitions: partition → greatest epoch read there.
        epoch: greatest epoch read at all.
        since_ms: Kafka timestamp of the first row of `epoch`.
    """

    partitions: dict[int, int] = field(default_factory=dict)
    epoch: int = 0
    since_ms: int = 0

    def admits(self, partition: int, epoch: int, timestamp_ms: int) -> bool:
        """True when the row counts; remembers its epoch.

        Args:
            partition: where it was read.
            epoch: its header; 0 when it has none.
            timestamp_ms: the record's Kafka timestamp.
        """
        if epoch > self.epoch:
            self.epoch, self.since_ms = epoch, timestamp_ms
        elif epoch == self.epoch:
            self.since_ms = min(self.since_ms, timestamp_ms)
        elif timestamp_ms >= self.since_ms:
            return False
        if epoch < self.partitions.get(partition, 0):
            return False
        self.partitions[partition] = epoch
        return True
