"""Where runs read right now: committed positions from progress, fetched ones from the consumers' own metrics.

In real-time mode progress is as old as the commit interval. Under a local master Spark's consumers live in this JVM
and say over JMX how far they are behind (`docs/spark.md#kafka-source-and-sink`); elsewhere progress is all there is.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from jobs.connections import ClusterProfile
from jobs.engine.progress import BatchProgress
from jobs.messages import BoundSource, DesiredRun, PartitionProgress, Positions
from jobs.plan import StageName

Place = tuple[str, int]  # topic, partition
Reader = StageName | Literal["passed"] | None
"""A stage; None: the only query of a run. Of a run that is cut also the way through both stages."""
Where = tuple[str, str, int]  # id of a cluster, topic, partition: topics of one name may lie on several


def metric_place(topic: str, partition: int) -> Place:
    """How consumers' metrics write a place: Kafka replaces points in their tags."""
    return topic.replace(".", "_"), partition


class RunPositions:
    """Positions of one run, by source and partition: where several stages read a source, those of the one that is least far."""

    def __init__(self, run: DesiredRun) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._stages: dict[Reader, _StagePositions] = {None: _StagePositions(frozenset(run.sources))}
        self._ends: dict[Where, int] = {}
        self._until = {name: dict(places) for name, places in run.replay_until.items()}
        self.batch_began_us: int | None = None
        self._unmirrored: dict[str, dict[int, int]] = {}  # by source and partition

    def read_by(self, stages: Mapping[Reader, frozenset[str]]) -> None:
        """The run has several stages, which read these sources; what is known of them stays.

        `passed` are the sources whose rows one stage passes on to the other: they are read once they went through both.
        """
        with self._lock:
            self._stages = {name: self._stages.get(name) or _StagePositions(sources) for name, sources in stages.items()}

    @property
    def replaying(self) -> bool:
        """True until the positions last heard before a restart are passed."""
        with self._lock:
            return any(
                self._position(name, partition) < until for name, places in self._until.items() for partition, until in places.items()
            )

    def restarted(self) -> None:
        """The query begins again at its last commit: what was fetched before counts as not read until it is passed."""
        with self._lock:
            for name, source in self._run.sources.items():
                for partition in range(source.partitions):
                    reached = self._position(name, partition)
                    places = self._until.setdefault(name, {})
                    places[partition] = max(places.get(partition, 0), reached)
            for stage in self._stages.values():
                stage.fetched = {}

    def idle(self, stage: Reader = None) -> None:
        """Nothing is left to read. A query that finds nothing new after a restart has no batch that would say so."""
        with self._lock:
            fetched = self._stages[stage].fetched
            for name, places in self._until.items():
                for partition, until in places.items():
                    where = _where(self._run.sources[name], partition)
                    fetched[where] = max(until, fetched.get(where, 0))

    def committed(self, batch: BatchProgress, stage: StageName | None = None) -> None:
        """A batch ended; `stage` says whose, where the run has several."""
        with self._lock:
            self._stages[stage].committed.update(batch.committed)
            self.batch_began_us = batch.began_us + batch.duration_ms * 1000
            for name in self._run.sources:
                self._unmirrored.setdefault(name, {}).update(self._committed(name))

    def passed(self, positions: Positions) -> None:
        """What was read up to these positions has gone through both stages of a run that is cut."""
        with self._lock:
            self._stages["passed"].committed.update(positions)
            for name in positions:
                self._unmirrored.setdefault(name, {}).update(self._committed(name))

    def seen(self, cluster: ClusterProfile, ends: Mapping[Place, int], behind: Mapping[Place, int]) -> None:
        """What a cluster and its consumers say.

        Args:
            cluster: which; topics of the same name on others are others.
            ends: end offsets.
            behind: how many records are not fetched yet, by `metric_place`.
        """
        with self._lock:
            for place, end in ends.items():
                where = (cluster.cluster_id, *place)
                self._ends[where] = end
                lag = behind.get(metric_place(*place))
                if lag is not None:
                    for stage in self._stages.values():
                        stage.fetched[where] = max(end - lag, stage.fetched.get(where, 0))

    def now(self) -> dict[str, dict[int, PartitionProgress]]:
        """Every partition of every source."""
        with self._lock:
            return {name: self._of_source(name, source) for name, source in self._run.sources.items()}

    def take_unmirrored(self, cluster: ClusterProfile) -> dict[Place, int]:
        """Committed positions in topics of this cluster since the last call."""
        with self._lock:
            return {
                (source.topic, partition): offset
                for name, source in self._run.sources.items()
                if source.cluster == cluster
                for partition, offset in self._unmirrored.pop(name, {}).items()
            }

    def all_committed(self, cluster: ClusterProfile) -> dict[Place, int]:
        """Committed positions of all partitions of this cluster's topics."""
        with self._lock:
            return {
                (source.topic, partition): offset
                for name, source in self._run.sources.items()
                if source.cluster == cluster
                for partition, offset in self._committed(name).items()
            }

    def _of_source(self, name: str, source: BoundSource) -> dict[int, PartitionProgress]:
        committed = self._committed(name)
        places = range(max([source.partitions, *(p + 1 for p in committed)]))
        found = {}
        for partition in places:
            done, end = committed.get(partition), self._ends.get(_where(source, partition))
            fetched = self._reached(name, partition)
            found[partition] = PartitionProgress(committed=done, fetched=fetched, end=None if end is None else max(end, fetched or 0))
        return found

    def _position(self, name: str, partition: int) -> int:
        return self._reached(name, partition) or 0

    def _reached(self, name: str, partition: int) -> int | None:
        """The next offset that no stage has read; None where one has not said anything."""
        source = self._run.sources.get(name)
        if source is None:
            return None
        reached = [stage.reached(name, _where(source, partition)) for stage in self._readers(name)]
        known = [offset for offset in reached if offset is not None]
        return min(known) if known and len(known) == len(reached) else None

    def _readers(self, name: str) -> list["_StagePositions"]:
        return [stage for stage in self._stages.values() if name in stage.sources]

    def _committed(self, name: str) -> dict[int, int]:
        """What all stages that read the source have committed."""
        by_stage = [stage.committed.get(name, {}) for stage in self._readers(name)]
        known = set(by_stage[0]).intersection(*by_stage) if by_stage else set[int]()
        return {partition: min(committed[partition] for committed in by_stage) for partition in sorted(known)}


@dataclass(slots=True)
class _StagePositions:
    """Where one stage stands: what it has committed, by source and partition, and what it has fetched."""

    sources: frozenset[str]
    committed: dict[str, dict[int, int]] = field(default_factory=dict)
    fetched: dict[Where, int] = field(default_factory=dict)

    def reached(self, name: str, where: Where) -> int | None:
        """The next offset that it has not read; None: nothing is known."""
        known = (self.committed.get(name, {}).get(where[2]), self.fetched.get(where))
        return max((offset for offset in known if offset is not None), default=None)


def _where(source: BoundSource, partition: int) -> Where:
    return source.cluster.cluster_id, source.topic, partition


class ConsumerMetrics:
    """Reads ``records-lag`` of Spark's consumers in this JVM; bean names are kept, as listing them is what costs."""

    _PATTERN: Final = "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*,topic=*,partition=*"

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm
        self._beans = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
        self._names: dict[str, list[tuple[Place, Any]]] = {}

    def refresh(self) -> None:
        """List the beans again."""
        found: dict[str, list[tuple[Place, Any]]] = {}
        for name in self._beans.queryNames(self._jvm.javax.management.ObjectName(self._PATTERN), None):
            client = name.getKeyProperty("client-id")
            place = (name.getKeyProperty("topic"), int(name.getKeyProperty("partition")))
            found.setdefault(client, []).append((place, name))
        self._names = found

    def behind(self, prefix: str) -> dict[Place, int]:
        """Records not fetched yet, by `metric_place`, of the consumers whose names begin so; a consumer that is gone is left out."""
        found: dict[Place, int] = {}
        for place, name in self._newest(prefix).items():
            if self._beans.isRegistered(name):
                lag = self._beans.getAttribute(name, "records-lag")
                if lag == lag:  # NaN until the first fetch
                    found[place] = int(lag)
        return found

    def _newest(self, prefix: str) -> dict[Place, Any]:
        """The bean of each partition's newest consumer: those of ended queries stay in Spark's pool for minutes."""
        clients = sorted((client for client in self._names if prefix in client), key=_number)
        return {place: name for client in clients for place, name in self._names[client]}

    def knows(self, prefix: str, partitions: int) -> bool:
        """True when as many partitions as that have a bean under this name."""
        return len(self._newest(prefix)) >= partitions


def _number(client: str) -> int:
    """Kafka numbers the clients of a process: ``…-executor-12``."""
    tail = client.rpartition("-")[2]
    return int(tail) if tail.isdigit() else 0
