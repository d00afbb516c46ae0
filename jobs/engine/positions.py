"""Current positions of runs: committed ones from Spark's progress, fetched ones from consumer metrics.

In real-time mode progress can be as old as the commit interval. With a local master Spark's consumers run in
this JVM and are asked (`jobs.engine.consumer_metrics`); elsewhere only progress is known. Consumers' metrics
name a partition and no source, so the sources of one topic have their fetched position in common.
"""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jobs.connections import ClusterProfile
from jobs.engine.consumer_metrics import ConsumerProgress, PartitionId, metric_partition
from jobs.engine.kafka_admins import DescribedTopic
from jobs.engine.progress import BatchProgress
from jobs.kafka_messages import BoundSource, DesiredRun, PartitionProgress, Positions
from jobs.plan import QueryName

Reader = QueryName | Literal["exchange"] | None
"""A query; None: the only query of a run.

``exchange``: both queries of a run with an exchange, one after the other.
"""
ClusterPartition = tuple[
    str, str, int
]  # cluster id, topic, partition: several clusters may have topics of the same name


@dataclass(frozen=True, slots=True)
class ReadingPosition:
    """How far a run has fetched its input, over all partitions of which that is known.

    Attributes:
        fetched: sum of the fetched positions.
        waiting: records between these and the end offsets.
    """

    fetched: int
    waiting: int


class RunPositions:
    """Positions of one run, by source and partition. Of a source that several queries read, those of the
    slowest query.
    """

    def __init__(self, run: DesiredRun) -> None:
        self.sources: Mapping[str, BoundSource] = run.sources
        """By name, each with the partitions that its topic has now: they may have become more since the run
        was started, and Spark reads these, too.
        """
        self._lock = threading.Lock()
        self._queries: dict[Reader, _QueryPositions] = {}
        self._ends: dict[ClusterPartition, int] = {}
        self._starts: dict[ClusterPartition, int] = {}
        # What was committed is not read again, however far the old epoch was.
        self._until = {
            name: {
                partition: until
                for partition, until in offsets.items()
                if until > run.committed.get(name, {}).get(partition, 0)
            }
            for name, offsets in run.replay_until.items()
        }
        self.restarts = 0
        """How often the queries were started again."""
        self._unmirrored: dict[str, set[int]] = {}  # partitions by source

    def read_by(self, queries: Mapping[Reader, frozenset[str]]) -> None:
        """Set the sources that each query of the run reads as streams; known positions are kept.

        ``exchange``: the sources upstream of an exchange, whose rows are processed once both queries have
        processed them.
        """
        with self._lock:
            self._queries = {
                name: self._queries.get(name) or _QueryPositions(sources) for name, sources in queries.items()
            }

    def update_topics(self, cluster: ClusterProfile, topics: Mapping[str, DescribedTopic | None]) -> None:
        """Learn how many partitions the topics of a cluster have now, by name; None: a topic is gone."""
        with self._lock:
            self.sources = {
                name: _grown(source, topics.get(source.topic))
                if source.cluster.cluster_id == cluster.cluster_id
                else source
                for name, source in self.sources.items()
            }

    @property
    def replaying(self) -> bool:
        """True until the run has passed the positions reported before its restart."""
        with self._lock:
            return any(
                self._position(name, partition) < until
                for name, offsets in self._until.items()
                for partition, until in offsets.items()
            )

    def restarted(self) -> None:
        """The queries restart at their last commits: the run is replaying until it passes the positions that
        it had reached.
        """
        with self._lock:
            for name, source in self.sources.items():
                for partition in range(source.partitions):
                    reached = self._position(name, partition)
                    offsets = self._until.setdefault(name, {})
                    offsets[partition] = max(offsets.get(partition, 0), reached)
            for query in self._queries.values():
                query.fetched = {}
            self.restarts += 1

    def idle(self, query: Reader = None) -> None:
        """A query has read all available input, so it replays no more.

        After a restart without new input there is no batch that would report this.
        """
        with self._lock:
            fetched = self._queries[query].fetched
            for name, offsets in self._until.items():
                for partition, until in offsets.items():
                    key = _cluster_partition(self.sources[name], partition)
                    fetched[key] = max(until, fetched.get(key, 0))

    def committed(self, batch: BatchProgress, query: QueryName | None = None) -> None:
        """A query has committed a batch. query: its name; None: the run has only one."""
        with self._lock:
            self._queries[query].committed.update(batch.committed)
            for name in self.sources:
                self._unmirrored.setdefault(name, set()).update(self._committed(name))

    def drained(self, positions: Positions) -> None:
        """The only query has read everything up to these offsets, and has committed it.

        A query that finds nothing to read gives no progress, so what an earlier process has committed is not
        known otherwise.
        """
        with self._lock:
            committed = self._queries[None].committed
            for name, offsets in positions.items():
                known = committed.setdefault(name, {})
                for partition, offset in offsets.items():
                    known[partition] = max(offset, known.get(partition, 0))
                self._unmirrored.setdefault(name, set()).update(self._committed(name))

    def processed(self, positions: Positions) -> None:
        """Both queries of a run with an exchange have processed the inputs up to these positions."""
        with self._lock:
            self._queries["exchange"].committed.update(positions)
            for name in positions:
                self._unmirrored.setdefault(name, set()).update(self._committed(name))

    def update_ends(
        self,
        cluster: ClusterProfile,
        ends: Mapping[PartitionId, int | None],
        starts: Mapping[PartitionId, int] | None = None,
        consumers: Mapping[PartitionId, ConsumerProgress] | None = None,
        restarts: int | None = None,
    ) -> None:
        """Update end offsets and fetched positions.

        Args:
            cluster: where the topics are; topics of the same name on other clusters are not affected.
            ends: end offsets; None: it is not known any more.
            starts: start offsets, of partitions that are read in real-time mode or from their first record;
                None: of none.
            consumers: the progress of the run's consumers, by `metric_partition`; None: not known.
            restarts: `restarts` before the consumers were asked: what those of queries that have ended since
                had fetched is read again; None: now.
        """
        starts = starts or {}
        with self._lock:
            is_present = restarts is None or restarts == self.restarts
            known = consumers if consumers is not None and is_present else {}
            for partition, end in ends.items():
                key = (cluster.cluster_id, *partition)
                if end is None:
                    self._ends.pop(key, None)
                    continue
                self._ends[key] = end
                start, consumer = starts.get(partition), known.get(metric_partition(*partition))
                if start is None:
                    continue
                self._starts[key] = start
                if consumer is not None:
                    position = consumer.position(start, end)
                    for query in self._queries.values():
                        query.fetched[key] = max(position, query.fetched.get(key, 0))

    def committed_offsets(self) -> dict[str, dict[int, int]]:
        """Committed offsets that this process knows of, by source and partition."""
        with self._lock:
            return {name: self._committed(name) for name in self.sources}

    def end_offsets(self, sources: Collection[str]) -> dict[tuple[str, int], int]:
        """End offsets as last seen, by source and partition; of partitions without one there is none."""
        with self._lock:
            return self._by_source(self._ends, sources)

    def start_offsets(self, sources: Collection[str]) -> dict[tuple[str, int], int]:
        """As `end_offsets`: of the first records, as far as they were asked for."""
        with self._lock:
            return self._by_source(self._starts, sources)

    def _by_source(
        self, offsets: Mapping[ClusterPartition, int], sources: Collection[str]
    ) -> dict[tuple[str, int], int]:
        return {
            (name, partition): offsets[key]
            for name, source in self.sources.items()
            if name in sources
            for partition in range(source.partitions)
            if (key := _cluster_partition(source, partition)) in offsets
        }

    def reading(self) -> ReadingPosition | None:
        """How far the run has fetched; None where that is not known of any partition.

        Committed positions do not count: in real-time mode they are as old as the commit interval.
        """
        with self._lock:
            known = [
                (offset, max(self._ends[key] - offset, 0))
                for query in self._queries.values()
                for key, offset in query.fetched.items()
                if key in self._ends
            ]
        if not known:
            return None
        return ReadingPosition(sum(offset for offset, _ in known), sum(waiting for _, waiting in known))

    def now(self) -> dict[str, dict[int, PartitionProgress]]:
        """The positions of all partitions, by source and partition.

        Of sources that a query reads as a stream: a broadcast table is read once, so it has none. Nothing
        before `read_by`.
        """
        with self._lock:
            return {
                name: self._of_source(name, source)
                for name, source in self.sources.items()
                if self._readers(name)
            }

    def take_unmirrored(self, cluster: ClusterProfile) -> dict[PartitionId, int]:
        """Positions committed since the last call, in topics of this cluster, as `all_committed`."""
        with self._lock:
            fresh = {
                (source.topic, partition)
                for name, source in self.sources.items()
                if source.cluster == cluster
                for partition in self._unmirrored.pop(name, ())
            }
            committed = self._least_committed(cluster) if fresh else {}
            return {partition: committed[partition] for partition in fresh if partition in committed}

    def all_committed(self, cluster: ClusterProfile) -> dict[PartitionId, int]:
        """Committed positions of all partitions of this cluster's topics: where several sources read one, the
        position of the source that has read least.
        """
        with self._lock:
            return self._least_committed(cluster)

    def _least_committed(self, cluster: ClusterProfile) -> dict[PartitionId, int]:
        least: dict[PartitionId, int] = {}
        for name, source in self.sources.items():
            if source.cluster == cluster:
                for partition, offset in self._committed(name).items():
                    key = (source.topic, partition)
                    least[key] = min(offset, least.get(key, offset))
        return least

    def _of_source(self, name: str, source: BoundSource) -> dict[int, PartitionProgress]:
        committed = self._committed(name)
        partitions = range(max([source.partitions, *(p + 1 for p in committed)]))
        found = {}
        for partition in partitions:
            done, end = committed.get(partition), self._ends.get(_cluster_partition(source, partition))
            fetched = self._reached(name, partition)
            found[partition] = PartitionProgress(
                committed=done, fetched=fetched, end=None if end is None else max(end, fetched or 0)
            )
        return found

    def _position(self, name: str, partition: int) -> int:
        return self._reached(name, partition) or 0

    def _reached(self, name: str, partition: int) -> int | None:
        """The next offset of the slowest query that reads the source; None: not all have reported one yet."""
        source = self.sources.get(name)
        if source is None:
            return None
        reached = [
            query.reached(name, _cluster_partition(source, partition)) for query in self._readers(name)
        ]
        known = [offset for offset in reached if offset is not None]
        return min(known) if known and len(known) == len(reached) else None

    def _readers(self, name: str) -> list["_QueryPositions"]:
        return [query for query in self._queries.values() if name in query.sources]

    def _committed(self, name: str) -> dict[int, int]:
        """The offsets, by partition, up to which all queries that read the source have committed."""
        by_query = [query.committed.get(name, {}) for query in self._readers(name)]
        known = set(by_query[0]).intersection(*by_query) if by_query else set[int]()
        return {partition: min(committed[partition] for committed in by_query) for partition in sorted(known)}


@dataclass(slots=True)
class _QueryPositions:
    """Positions of one query: committed ones by source and partition, and fetched ones."""

    sources: frozenset[str]
    committed: dict[str, dict[int, int]] = field(default_factory=dict)
    fetched: dict[ClusterPartition, int] = field(default_factory=dict)

    def reached(self, name: str, partition: ClusterPartition) -> int | None:
        """The next offset that the query reads; None: unknown."""
        known = (self.committed.get(name, {}).get(partition[2]), self.fetched.get(partition))
        return max((offset for offset in known if offset is not None), default=None)


def _grown(source: BoundSource, found: DescribedTopic | None) -> BoundSource:
    if found is None or found.partitions <= source.partitions:
        return source
    return source.model_copy(update={"partitions": found.partitions})


def _cluster_partition(source: BoundSource, partition: int) -> ClusterPartition:
    return source.cluster.cluster_id, source.topic, partition
