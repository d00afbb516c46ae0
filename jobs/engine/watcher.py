"""Once a second: end offsets, fetched positions, topics that became others, clusters that do not answer, the mirror group."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import KafkaException
from py4j.protocol import Py4JError

from jobs.connections import ClusterProfile
from jobs.engine.clusters import Clusters
from jobs.engine.keeper import RunKeeper, judge_topic
from jobs.engine.positions import ConsumerMetrics
from jobs.engine.reporter import Reporter, now_us
from jobs.engine.sources.kafka import consumer_prefix
from jobs.messages import EngineSettings, PartitionProgress, PositionsReport

TICK_SECONDS: Final = 1.0
TOPICS_SECONDS: Final = 5.0
MIRROR_ALL_SECONDS: Final = 3_600.0

log = logging.getLogger(__name__)

Sources = dict[str, dict[int, PartitionProgress]]


class Watcher:
    """Looks after all running runs from one thread, with few requests: one per cluster and second."""

    def __init__(
        self,
        settings: EngineSettings,
        reporter: Reporter,
        clusters: Clusters,
        metrics: ConsumerMetrics | None,
        keepers: Callable[[], list[RunKeeper]],
    ) -> None:
        self._settings = settings
        self._reporter = reporter
        self._clusters = clusters
        self._metrics = metrics
        self._keepers = keepers
        self._said: dict[tuple[str, int], tuple[Sources, float]] = {}
        self._topics_at = 0.0
        self._mirrored_all_at = time.monotonic()
        self._quiet = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the tick that runs."""
        self._quiet.set()
        self._thread.join(10)

    def _watch(self) -> None:
        while not self._quiet.wait(TICK_SECONDS):
            self.tick()

    def tick(self) -> None:
        """Look once."""
        alive = [keeper for keeper in self._keepers() if keeper.state in ("running", "replaying", "waiting")]
        judge = time.monotonic() - self._topics_at >= TOPICS_SECONDS
        mirror_all = time.monotonic() - self._mirrored_all_at >= MIRROR_ALL_SECONDS
        for profile, keepers in _by_cluster(alive):
            try:
                self._look(profile, keepers, judge=judge)
                self._mirror(profile, keepers, everything=mirror_all)
            except KafkaException as error:
                log.debug("cluster %s does not answer: %s", profile.cluster_id, error)
                for keeper in keepers:
                    keeper.reachable(answers=False)
        if judge:
            self._topics_at = time.monotonic()
        if mirror_all:
            self._mirrored_all_at = time.monotonic()
        for keeper in alive:
            self._say(keeper)

    def _look(self, profile: ClusterProfile, keepers: list[RunKeeper], *, judge: bool) -> None:
        sources = [(keeper, source) for keeper in keepers for source in keeper.run.sources.values() if source.cluster == profile]
        places = {(source.topic, partition) for _, source in sources for partition in range(source.partitions)}
        ends = self._clusters.end_offsets(profile, sorted(places))
        for keeper in keepers:
            keeper.positions.seen(ends, self._behind(keeper))
            keeper.reachable(answers=True)
            if not keeper.positions.replaying:
                keeper.caught_up()
        if judge:
            ids = self._clusters.topic_ids(profile, sorted({source.topic for _, source in sources})) if sources else {}
            for keeper, source in sources:
                failure = judge_topic(source.topic, source.topic_id, ids[source.topic])
                if failure is not None:
                    keeper.fail(failure)

    def _behind(self, keeper: RunKeeper) -> dict[tuple[str, int], int]:
        if self._metrics is None or keeper.run.mode != "realtime":
            return {}
        prefix = consumer_prefix(keeper.run, keeper.attempt) + "-"
        try:
            if not self._metrics.knows(prefix, keeper.partitions):
                self._metrics.refresh()
            return self._metrics.behind(prefix)
        except Py4JError as error:
            log.warning("consumer metrics: %s", error)
            self._metrics.refresh()
            return {}

    def _mirror(self, profile: ClusterProfile, keepers: list[RunKeeper], *, everything: bool) -> None:
        for keeper in keepers:
            fresh = keeper.positions.take_unmirrored()
            positions = keeper.positions.all_committed() if everything else fresh
            if keeper.run.mirror_group is None or not positions:
                continue
            try:
                self._clusters.mirror(profile, keeper.run.mirror_group, positions)
            except KafkaException as error:
                log.warning("group %s is not mirrored: %s", keeper.run.mirror_group, error)

    def _say(self, keeper: RunKeeper) -> None:
        """Report positions that moved; at least every five seconds, so that lag against a moving end stays fresh."""
        key = (keeper.run.run_id, keeper.run.epoch)
        sources, now = keeper.positions.now(), time.monotonic()
        before, at = self._said.get(key, ({}, 0.0))
        if sources == before and now - at < TOPICS_SECONDS:
            return
        self._said[key] = (sources, now)
        moved, known = _fetched(sources) - _fetched(before), bool(before)
        self._reporter.send(
            PositionsReport(
                at_us=now_us(),
                engine_id=self._settings.engine_id,
                incarnation=self._settings.incarnation,
                run_id=keeper.run.run_id,
                epoch=keeper.run.epoch,
                sources=sources,
                rows_per_second=round(moved / (now - at), 1) if known else None,
                batch_began_us=keeper.positions.batch_began_us,
            )
        )


def _fetched(sources: Sources) -> int:
    return sum(seen.fetched or 0 for partitions in sources.values() for seen in partitions.values())


def _by_cluster(keepers: list[RunKeeper]) -> list[tuple[ClusterProfile, list[RunKeeper]]]:
    found: dict[str, tuple[ClusterProfile, list[RunKeeper]]] = {}
    for keeper in keepers:
        for profile in {source.cluster.cluster_id: source.cluster for source in keeper.run.sources.values()}.values():
            found.setdefault(profile.cluster_id, (profile, []))[1].append(keeper)
    return list(found.values())
