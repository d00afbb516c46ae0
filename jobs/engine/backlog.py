"""The backlog of a run: the records between its position and the end of its topics.

In real-time mode a run reads a few thousand records a second, in large micro-batches many times as many. So
a real-time run with a backlog drains it in micro-batches first
(`docs/decisions/2026-11-23-draining-a-backlog.md`).
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from jobs.connections import ClusterProfile
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.positions import PartitionId, RunPositions
from jobs.kafka_messages import BoundSource, DesiredRun

# Records. A query in real-time mode reads fewer in the time that starting another query takes.
DRAINED_FROM: Final = 5_000
# Higher for a run that has just drained a backlog, which could otherwise switch between the modes for ever.
DRAINED_AGAIN_FROM: Final = 10 * DRAINED_FROM
BATCH_RECORDS: Final = 250_000  # limited, so that a long backlog gives results while it is drained


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
    ends = {cluster: admins.end_offsets(cluster, asked) for cluster, asked in by_cluster.items()}
    known = positions.committed_offsets()
    committed = {name: run.committed.get(name, {}) | known.get(name, {}) for name in read}
    return sum(
        max(end - committed[name].get(partition, _start_offset(source, partition, end)), 0)
        for name, source in read.items()
        for (topic, partition), end in ends[source.cluster].items()
        if topic == source.topic
    )


def in_batches(run: DesiredRun) -> DesiredRun:
    """The run with the settings that it drains its backlog with."""
    return run.model_copy(update={"mode": "microbatch", "max_rows_per_batch": BATCH_RECORDS})


def _start_offset(source: BoundSource, partition: int, end: int) -> int:
    """The start position of a new run in a partition; 0 where it is not an offset, so a backlog may be
    overestimated.
    """
    return end if source.start.kind == "latest" else source.start.offsets.get(partition, 0)
