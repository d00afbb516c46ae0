"""Once a second: end offsets, fetched positions, topics that became others, clusters that do not answer, the mirror group.

Every five seconds the topic of desired runs too: whether it is still the same."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Final

from py4j.protocol import Py4JError

from jobs.connections import ClusterProfile
from jobs.engine.asking import Answer, Asking, Question
from jobs.engine.clusters import Clusters
from jobs.engine.keeper import RunKeeper
from jobs.engine.lost_topics import judge_between, judge_topic
from jobs.engine.mirroring import Group, Mirrors
from jobs.engine.positions import ConsumerMetrics, Place
from jobs.engine.reporter import Reporter
from jobs.engine.sources.kafka import consumer_prefix
from jobs.messages import RUNS_TOPIC, BoundSource, InnerTopic, PartitionProgress

TICK_SECONDS: Final = 1.0
TOPICS_SECONDS: Final = 5.0
MIRROR_ALL_SECONDS: Final = 3_600.0

log = logging.getLogger(__name__)

Sources = dict[str, dict[int, PartitionProgress]]


class Watcher:
    """Looks after all running runs with few requests: one per cluster and second.

    One thread decides and says; it never waits for a cluster (`jobs.engine.asking`), so that one that does not answer costs
    nothing but its own lag.

    Args:
        home: the cluster of `weir.runs`.
        reporter: gets what is said.
        clusters: clients.
        metrics: of Spark's consumers in this JVM; None where they run elsewhere.
        keepers: the runs.
        identified: hears Kafka's id of `weir.runs`.
    """

    def __init__(
        self,
        home: ClusterProfile,
        reporter: Reporter,
        clusters: Clusters,
        metrics: ConsumerMetrics | None,
        keepers: Callable[[], list[RunKeeper]],
        identified: Callable[[str], None],
    ) -> None:
        self._home = home
        self._reporter = reporter
        self._clusters = clusters
        self._metrics = metrics
        self._keepers = keepers
        self._identified = identified
        self._said: dict[tuple[str, int], tuple[Sources, float]] = {}
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()  # None: stop
        self._asking = Asking(clusters, self._answers.put)
        self._mirrors = Mirrors()
        self._judged_at: dict[ClusterProfile, float] = {}
        self._mirrored_all_at: dict[ClusterProfile, float] = {}
        self._silent: set[ClusterProfile] = set()
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after what it does now; questions that are open end by themselves."""
        self._answers.put(None)
        self._thread.join(10)

    def _watch(self) -> None:
        due = time.monotonic()
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, due - time.monotonic()))
            except Empty:
                self._ask()
                due = time.monotonic() + TICK_SECONDS
                continue
            if answer is None:
                return
            self._hear(answer)

    def _alive(self) -> list[RunKeeper]:
        return [keeper for keeper in self._keepers() if keeper.state in ("running", "replaying", "waiting")]

    def _ask(self) -> None:
        """Ask every cluster whose last question is answered; runs that wait for an answer say at least what they know."""
        by_cluster = _by_cluster(self._alive())
        by_cluster.setdefault(self._home, [])
        self._clusters.forget_others(by_cluster.keys())
        self._mirrors.keep_only(_groups(by_cluster))
        self._silent &= by_cluster.keys()
        alive = {(keeper.run.run_id, keeper.run.epoch) for keeper in self._alive()}
        self._said = {key: said for key, said in self._said.items() if key in alive}
        waiting: list[RunKeeper] = []
        for profile, keepers in by_cluster.items():
            if self._asking.is_open(profile):
                waiting += [keeper for keeper in keepers if keeper not in waiting]
            elif keepers or self._due(profile):
                self._asking.ask(self._question(profile, keepers))
        for keeper in waiting:
            self._say(keeper)

    def _question(self, profile: ClusterProfile, keepers: list[RunKeeper]) -> Question:
        topics: set[str] = set()
        if self._due(profile):
            self._judged_at[profile] = time.monotonic()
            topics = {source.topic for _, source in _reading(profile, keepers)}
            if profile == self._home:
                topics |= {RUNS_TOPIC, *(between.topic for _, between in _between(self._alive()))}
        return Question(profile, _places(profile, keepers), frozenset(topics))

    def _due(self, profile: ClusterProfile) -> bool:
        """Whether its topics are to be asked for again."""
        return time.monotonic() - self._judged_at.get(profile, 0.0) >= TOPICS_SECONDS

    def _mirror(self, profile: ClusterProfile, keepers: list[RunKeeper]) -> None:
        now = time.monotonic()
        everything = now - self._mirrored_all_at.setdefault(profile, now) >= MIRROR_ALL_SECONDS
        if everything:
            self._mirrored_all_at[profile] = now
        for keeper in keepers:
            fresh = keeper.positions.take_unmirrored(profile)
            positions = keeper.positions.all_committed(profile) if everything else fresh
            if keeper.run.mirror_group is not None and positions:
                self._mirrors.commit(profile, keeper.run.mirror_group, positions)

    def _hear(self, answer: Answer) -> None:
        keepers = _by_cluster(self._alive()).get(answer.profile, [])
        if answer.error is None:
            self._silent.discard(answer.profile)
        else:
            log.debug("cluster %s does not answer: %s", answer.profile.cluster_id, answer.error)
            self._silent.add(answer.profile)
        for keeper in keepers:
            if answer.error is None:
                keeper.positions.seen(answer.profile, answer.ends, self._behind(keeper, answer.profile))
            keeper.reachable(answers=self._silent.isdisjoint(_clusters_of(keeper)))
            keeper.caught_up()
        if answer.error is None:
            self._mirror(answer.profile, keepers)
        self._judge(answer, keepers)
        for keeper in keepers:
            self._say(keeper)
        runs_id = answer.topic_ids.get(RUNS_TOPIC) if answer.profile == self._home else None
        if runs_id is not None:
            self._identified(runs_id)

    def _judge(self, answer: Answer, keepers: list[RunKeeper]) -> None:
        """End the runs whose topics are gone or became others."""
        ids = answer.topic_ids
        found = [(k, judge_topic(s.topic, s.topic_id, ids[s.topic])) for k, s in _reading(answer.profile, keepers) if s.topic in ids]
        if answer.profile == self._home:
            found += [(k, judge_between(topic, ids[topic.topic])) for k, topic in _between(self._alive()) if topic.topic in ids]
        for keeper, failure in found:
            if failure is not None:
                keeper.fail(failure)

    def _behind(self, keeper: RunKeeper, profile: ClusterProfile) -> dict[Place, int]:
        if self._metrics is None or keeper.run.mode != "realtime":
            return {}
        prefix = consumer_prefix(keeper.run, keeper.attempt, profile.cluster_id) + "-"
        try:
            if not self._metrics.knows(prefix, len(_places(profile, [keeper]))):
                self._metrics.refresh()
            return self._metrics.behind(prefix)
        except Py4JError as error:
            log.warning("consumer metrics: %s", error)
            self._metrics.refresh()
            return {}

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
            keeper.reports.positions(sources, round(moved / (now - at), 1) if known else None, keeper.positions.batch_began_us)
        )


def _fetched(sources: Sources) -> int:
    return sum(seen.fetched or 0 for partitions in sources.values() for seen in partitions.values())


def _clusters_of(keeper: RunKeeper) -> set[ClusterProfile]:
    return {source.cluster for source in keeper.run.sources.values()}


def _groups(by_cluster: Mapping[ClusterProfile, list[RunKeeper]]) -> set[Group]:
    """The groups into which the positions of these runs are mirrored."""
    return {(profile, keeper.run.mirror_group) for profile, keepers in by_cluster.items() for keeper in keepers if keeper.run.mirror_group}


def _by_cluster(keepers: list[RunKeeper]) -> dict[ClusterProfile, list[RunKeeper]]:
    """By connection: two runs may reach a cluster in two ways for a while, when its password was changed."""
    found: dict[ClusterProfile, list[RunKeeper]] = {}
    for keeper in keepers:
        for profile in _clusters_of(keeper):
            found.setdefault(profile, []).append(keeper)
    return found


def _reading(profile: ClusterProfile, keepers: list[RunKeeper]) -> list[tuple[RunKeeper, BoundSource]]:
    """The sources of these runs that lie on this cluster."""
    return [(keeper, source) for keeper in keepers for source in keeper.run.sources.values() if source.cluster == profile]


def _between(keepers: list[RunKeeper]) -> list[tuple[RunKeeper, InnerTopic]]:
    """The topics between the stages of these runs."""
    return [(keeper, keeper.run.between) for keeper in keepers if keeper.run.between is not None]


def _places(profile: ClusterProfile, keepers: list[RunKeeper]) -> frozenset[Place]:
    """What these runs read on this cluster."""
    return frozenset((source.topic, partition) for _, source in _reading(profile, keepers) for partition in range(source.partitions))
