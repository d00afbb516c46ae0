"""The backlog of a run: the records between its position and the end of its topics.

In real-time mode a run reads a few thousand records a second, in large micro-batches many times as many. So
a real-time run drains a backlog in micro-batches: one that it starts with, and one that arises while it runs
(`docs/decisions/2026-11-23-draining-a-backlog.md`).
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from jobs.connections import ClusterProfile
from jobs.engine.consumer_metrics import PartitionId
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.positions import RunPositions
from jobs.kafka_messages import BoundSource, DesiredRun

# Records. A query in real-time mode reads fewer in the time that starting another query takes.
DRAINED_FROM: Final = 5_000
BATCH_RECORDS: Final = 250_000  # limited, so that a long backlog gives results while it is drained
OBSERVED_S: Final = 5.0  # how long a run is watched before its pace is judged
CATCHES_UP_S: Final = (
    10.0  # changing to micro-batches and back takes some seconds: what real-time mode reads sooner, it may
)


def backlog(run: DesiredRun, streaming: Collection[str], positions: RunPositions, admins: KafkaAdmins) -> int:
    """The number of records between committed offsets, or the start position, and the topics' end offsets.

    Args:
        run: as desired.
        streaming: names of the streaming nodes of its plan, sources among them.
        positions: the run's positions as known to this process.
        admins: Kafka clients.

    Raises:
        KafkaException: a cluster does not respond.
        ClusterRefusedError: a cluster may not be used.
    """
    by_cluster: dict[ClusterProfile, list[PartitionId]] = defaultdict(list)
    read = {name: source for name, source in run.sources.items() if name in streaming}
    for source in read.values():
        by_cluster[source.cluster] += [(source.topic, number) for number in range(source.partitions)]
    for cluster, asked in by_cluster.items():
        positions.update_ends(cluster, admins.end_offsets(cluster, asked))
    return waiting(run, streaming, positions) or 0


def waiting(run: DesiredRun, streaming: Collection[str], positions: RunPositions) -> int | None:
    """As `backlog`, with the end offsets that are known already; None: none is known."""
    known, ends = positions.committed_offsets(), positions.end_offsets(streaming)
    if not ends:
        return None
    committed = {name: run.committed.get(name, {}) | known.get(name, {}) for name, _ in ends}
    return sum(
        max(end - committed[name].get(partition, _start_offset(run.sources[name], partition, end)), 0)
        for (name, partition), end in ends.items()
    )


def in_batches(run: DesiredRun) -> DesiredRun:
    """The run with the settings that it drains its backlog with."""
    return run.model_copy(update={"mode": "microbatch", "max_rows_per_batch": BATCH_RECORDS})


class FallingBehind:
    """Judges whether a run in real-time mode is so far behind that it should change to micro-batches: it has
    `catch_up_from` records to read, and at its pace would not have read them within `CATCHES_UP_S`.

    Args:
        catch_up_from: records.
    """

    def __init__(self, catch_up_from: int) -> None:
        self._catch_up_from = catch_up_from
        self._seen: tuple[float, int] | None = None  # when its pace was judged last, and the records then

    def update(self, now: float, records: int | None) -> bool:
        """Note how many records are waiting; returns True when the run should change.

        Args:
            now: seconds of a monotonic clock.
            records: not yet fetched; None: not known.
        """
        if records is None or records < self._catch_up_from:
            self._seen = None
            return False
        if self._seen is None:
            self._seen = (now, records)
            return False
        at, before = self._seen
        if now - at < OBSERVED_S:
            return False
        self._seen = (now, records)
        return (before - records) / (now - at) * CATCHES_UP_S < records


def _start_offset(source: BoundSource, partition: int, end: int) -> int:
    """The start position of a new run in a partition; 0 where it is not an offset, so a backlog may be
    overestimated.
    """
    return end if source.start.kind == "latest" else source.start.offsets.get(partition, 0)
