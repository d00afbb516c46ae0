"""Where runs read right now: committed positions from progress, fetched ones from the consumers' own metrics.

In real-time mode progress is as old as the commit interval. Under a local master Spark's consumers live in this JVM
and say over JMX how far they are behind (`facts/spark.md` 9); elsewhere progress is all there is.
"""

import threading
from typing import Any, Final

from jobs.connections import ClusterProfile
from jobs.engine.progress import BatchProgress
from jobs.messages import DesiredRun, PartitionProgress

Place = tuple[str, int]  # topic, partition


def metric_place(topic: str, partition: int) -> Place:
    """How consumers' metrics write a place: Kafka replaces points in their tags."""
    return topic.replace(".", "_"), partition


class RunPositions:
    """Positions of one run, by source and partition."""

    def __init__(self, run: DesiredRun) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._committed: dict[str, dict[int, int]] = {}
        self._fetched: dict[Place, int] = {}
        self._ends: dict[Place, int] = {}
        self._until = {name: dict(places) for name, places in run.replay_until.items()}
        self.batch_began_us: int | None = None
        self._unmirrored: dict[str, dict[int, int]] = {}  # by source and partition

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
            self._fetched = {}

    def idle(self) -> None:
        """Nothing is left to read. A query that finds nothing new after a restart has no batch that would say so."""
        with self._lock:
            for name, places in self._until.items():
                for partition, until in places.items():
                    place = self._run.sources[name].topic, partition
                    self._fetched[place] = max(until, self._fetched.get(place, 0))

    def committed(self, batch: BatchProgress) -> None:
        """A batch ended."""
        with self._lock:
            self._committed = {**self._committed, **batch.committed}
            self.batch_began_us = batch.began_us + batch.duration_ms * 1000
            for name, places in self._committed.items():
                self._unmirrored.setdefault(name, {}).update(places)

    def seen(self, ends: dict[Place, int], behind: dict[Place, int]) -> None:
        """What the cluster and the consumers say: end offsets, and how many records are not fetched yet (by `metric_place`)."""
        with self._lock:
            self._ends.update(ends)
            for place, end in ends.items():
                lag = behind.get(metric_place(*place))
                if lag is not None:
                    self._fetched[place] = max(end - lag, self._fetched.get(place, 0))

    def now(self) -> dict[str, dict[int, PartitionProgress]]:
        """Every partition of every source."""
        with self._lock:
            return {name: self._of_source(name, source.topic, source.partitions) for name, source in self._run.sources.items()}

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
                for partition, offset in self._committed.get(name, {}).items()
            }

    def _of_source(self, name: str, topic: str, partitions: int) -> dict[int, PartitionProgress]:
        committed = self._committed.get(name, {})
        places = range(max([partitions, *(p + 1 for p in committed)]))
        found = {}
        for partition in places:
            done, end = committed.get(partition), self._ends.get((topic, partition))
            fetched = max(filter(lambda offset: offset is not None, (done, self._fetched.get((topic, partition)))), default=None)  # type: ignore[type-var]
            found[partition] = PartitionProgress(committed=done, fetched=fetched, end=None if end is None else max(end, fetched or 0))
        return found

    def _position(self, name: str, partition: int) -> int:
        topic = self._run.sources[name].topic if name in self._run.sources else ""
        return max(self._committed.get(name, {}).get(partition, 0), self._fetched.get((topic, partition), 0))


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
