"""The backlog of a run: the records between its position and the end of its topics.

In real-time mode a run reads a few thousand records a second, in large micro-batches many times as many. So
a real-time run drains a backlog in micro-batches: one that it starts with, and one that arises while it runs
(`docs/decisions/2026-11-23-draining-a-backlog.md`).
"""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from jobs.connections import ClusterProfile
from jobs.engine.consumer_metrics import PartitionId
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.positions import ReadingPosition, RunPositions
from jobs.kafka_messages import BoundSource, DesiredRun

DRAINED_FROM: Final = 5_000  # records: fewer are never drained
# Rows that real-time mode makes of records in the time that a drain takes longer to start and to end.
DRAINED_ROWS: Final = 50_000
BATCH_RECORDS: Final = 250_000  # limited, so that a long backlog gives results while it is drained
BATCH_ROWS: Final = 1_000_000  # that they become: a row in twenty windows is twenty, and takes as long
OBSERVED_S: Final = 5.0  # how long a run is watched before its pace is judged
CATCHES_UP_S: Final = (
    10.0  # changing to micro-batches and back takes some seconds: what real-time mode reads sooner, it may
)
LATE_S: Final = 60.0  # of rows that take long, fewer records than `catch_up_from` are minutes of work
SLOW_OBSERVED_S: Final = 20.0  # longer than a query stands between two batches


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
    read = {name: source for name, source in positions.sources.items() if name in streaming}
    for source in read.values():
        by_cluster[source.cluster] += [(source.topic, number) for number in range(source.partitions)]
    begins = {source.cluster for name, source in read.items() if _begins(run, name, source)}
    for cluster, asked in by_cluster.items():
        starts = admins.start_offsets(cluster, asked) if cluster in begins else None
        positions.update_ends(cluster, admins.end_offsets(cluster, asked), starts)
    return waiting(run, streaming, positions) or 0


def _begins(run: DesiredRun, name: str, source: BoundSource) -> bool:
    """True if a partition may be read from its first record on."""
    places = run.committed.get(name, {}).keys() | source.start.offsets.keys()
    return source.start.kind != "latest" and not places >= set(range(source.partitions))


def waiting(run: DesiredRun, streaming: Collection[str], positions: RunPositions) -> int | None:
    """As `backlog`, with the offsets that are known already; None: no end is known."""
    known, ends = positions.committed_offsets(), positions.end_offsets(streaming)
    if not ends:
        return None
    first = positions.start_offsets(streaming)
    committed = {name: run.committed.get(name, {}) | known.get(name, {}) for name, _ in ends}
    return sum(
        max(
            end
            - max(
                committed[name].get(partition, _start_offset(run.sources[name], partition, end)),
                first.get((name, partition), 0),
            ),
            0,
        )
        for (name, partition), end in ends.items()
    )


def drained_from(run: DesiredRun, fanout: int) -> int:
    """From how many waiting records on a run drains them that starts in real-time mode.

    Args:
        run: as desired.
        fanout: of its plan.
    """
    return max(DRAINED_FROM, min(run.catch_up_from, DRAINED_ROWS // fanout))


def least_drained(run: DesiredRun, fanout: int, least: int | None, *, changing_table: bool) -> int:
    """From how many waiting records on a run in real-time mode drains them now.

    Args:
        run: as desired.
        fanout: of its plan.
        least: as `NextDrain` says.
        changing_table: it reads a table as it grows.
    """
    if changing_table and (least is None or least <= DRAINED_FROM):
        # Rows that are waiting must find the entries that are: micro-batches apply those first.
        return 1
    return drained_from(run, fanout) if least is None else least


def in_batches(run: DesiredRun, fanout: int = 1) -> DesiredRun:
    """The run with the settings that it drains its backlog with.

    Args:
        run: as desired.
        fanout: of its plan.
    """
    records = max(DRAINED_FROM, min(BATCH_RECORDS, BATCH_ROWS // fanout))
    return run.model_copy(update={"mode": "microbatch", "max_rows_per_batch": records})


class NextDrain:
    """From how many waiting records on the next attempt of a run drains them: `least`, which `least_drained`
    takes; None: as a run that starts.

    Args:
        run: as desired.
    """

    def __init__(self, run: DesiredRun) -> None:
        self.least: int | None = None
        self._run = run
        self._took_s = math.inf

    def starts(self) -> None:
        """The run starts, or starts again after a failure."""
        self.least, self._took_s = None, math.inf

    def fell_behind(self) -> None:
        """The run fell behind in real-time mode."""
        self.least, self._took_s = DRAINED_FROM, math.inf

    def drained(self, took_s: float, *, changing_table: bool) -> None:
        """The run has just drained a backlog: it drains again from more records on than when it starts or has
        fallen behind, or it could switch between the modes for ever.

        Rows that came meanwhile must find the entries that came before them, as those that waited at the
        start (`changing_table`): they are drained, too, until a drain takes less than changing the mode may,
        or is not much shorter than the one before.

        Args:
            took_s: seconds that the drain took, its start included.
            changing_table: the run reads a table as it grows.
        """
        again = changing_table and CATCHES_UP_S < took_s <= self._took_s / 2
        self.least = DRAINED_FROM if again else max(self._run.catch_up_from, DRAINED_FROM + 1)
        self._took_s = took_s


class FallingBehind:
    """Judges whether a run in real-time mode is so far behind that it should change to micro-batches: it has
    `catch_up_from` records to read, and at its pace would not have read them within `CATCHES_UP_S`; or it has
    `DRAINED_FROM`, and reads so slowly that they take `LATE_S` even if no more come.

    Args:
        catch_up_from: records.
    """

    def __init__(self, catch_up_from: int) -> None:
        self._many = _Watched(catch_up_from, OBSERVED_S)
        self._slow = _Watched(DRAINED_FROM, SLOW_OBSERVED_S)

    def update(self, now: float, at: ReadingPosition | None) -> bool:
        """Note how far the run has read; returns True when it should change.

        Args:
            now: seconds of a monotonic clock.
            at: its position; None: not known.
        """
        many, slow = self._many.change(now, at), self._slow.change(now, at)
        return (many is not None and many.shrunk_per_s * CATCHES_UP_S < many.waiting) or (
            slow is not None and slow.fetched_per_s * LATE_S < slow.waiting
        )


@dataclass(frozen=True, slots=True)
class _Change:
    waiting: int
    shrunk_per_s: float
    fetched_per_s: float


class _Watched:
    """Tells the pace of a run again and again, while enough records wait: each time over `seconds`."""

    def __init__(self, records: int, seconds: float) -> None:
        self._records, self._seconds = records, seconds
        self._seen: tuple[float, ReadingPosition] | None = None

    def change(self, now: float, at: ReadingPosition | None) -> _Change | None:
        if at is None or at.waiting < self._records:
            self._seen = None
            return None
        if self._seen is None:
            self._seen = (now, at)
            return None
        then, before = self._seen
        seconds = now - then
        if seconds < self._seconds:
            return None
        self._seen = (now, at)
        return _Change(
            at.waiting, (before.waiting - at.waiting) / seconds, (at.fetched - before.fetched) / seconds
        )


def _start_offset(source: BoundSource, partition: int, end: int) -> int:
    """The start position of a new run in a partition; 0 where that is its first record."""
    return end if source.start.kind == "latest" else source.start.offsets.get(partition, 0)
