"""Fencing of outdated epochs on a result topic (`docs/architecture.md#fencing`)."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Fence:
    """Rejects rows of an engine that was replaced.

    A row is rejected if its partition already had a higher epoch, or if its timestamp is after the first row
    of a higher epoch in any partition. An older row of a lower epoch in a partition that is read later is
    accepted: its engine wrote it before it was replaced, and no engine writes it again.

    Attributes:
        partitions: partition → greatest epoch read there.
        epoch: greatest epoch read at all.
        since_ms: Kafka timestamp of the first row of `epoch`.
    """

    partitions: dict[int, int] = field(default_factory=dict)
    epoch: int = 0
    since_ms: int = 0

    def admits(self, partition: int, epoch: int, timestamp_ms: int) -> bool:
        """Whether a row is accepted. Its epoch is remembered.

        Args:
            partition: of the row.
            epoch: from its header; 0 without one.
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
