"""Polls clusters about once a second, for end offsets, fetched positions, reachability and mirror groups.

Every five seconds it also checks whether inputs, exchange topics or the topic of desired runs were deleted or
recreated, and whether a source's cluster is still one that may be used: such runs are aborted.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Final

from py4j.protocol import Py4JError

from jobs.connections import ClusterProfile
from jobs.engine.cluster_poller import ClusterPoller, PollRequest, PollResult
from jobs.engine.consumer_metrics import ConsumerMetrics, ConsumerProgress, ConsumerReading, PartitionId
from jobs.engine.group_mirrors import Group, GroupMirrors
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.reporter import Reporter
from jobs.engine.run_supervisor import RunSupervisor
from jobs.engine.sources.kafka import consumer_prefix
from jobs.engine.topic_checks import check_exchange_topic, check_topic
from jobs.kafka_messages import RUNS_TOPIC, BoundSource, ExchangeTopic, PartitionProgress
from jobs.run_states import ENDED, STARTED

POLL_INTERVAL_S: Final = 1.0
TOPIC_CHECK_INTERVAL_S: Final = 5.0
MAX_REPORT_AGE_S: Final = 5.0
# Between the reports of an engine's runs, on average: the platform needs some milliseconds of processor time
# for each, which it would take from the runs.
REPORT_SPACING_S: Final = 0.1
FULL_MIRROR_INTERVAL_S: Final = 3_600.0

log = logging.getLogger(__name__)

Sources = dict[str, dict[int, PartitionProgress]]


class Watcher:
    """Watches all running runs with few requests: at most one poll per cluster and second.

    One thread handles results and reports. It never waits for a cluster (`jobs.engine.cluster_poller`), so a
    cluster that does not respond delays only the numbers of its own runs.

    Args:
        home: the cluster of `weir.runs`.
        reporter: sends the reports.
        admins: Kafka clients.
        metrics: of Spark's consumers in this JVM; None: they run elsewhere.
        supervisors: returns the supervisors of all runs.
        on_runs_topic_id: called with Kafka's id of `weir.runs`.
    """

    def __init__(
        self,
        home: ClusterProfile,
        reporter: Reporter,
        admins: KafkaAdmins,
        metrics: ConsumerMetrics | None,
        supervisors: Callable[[], list[RunSupervisor]],
        on_runs_topic_id: Callable[[str], None],
    ) -> None:
        self._home = home
        self._reporter = reporter
        self._admins = admins
        self._metrics = metrics
        self._supervisors = supervisors
        self._on_runs_topic_id = on_runs_topic_id
        # By run and epoch: what was reported last, when, and whether the run drained a backlog.
        self._reported: dict[tuple[str, int], tuple[Sources, float, bool]] = {}
        self._results: SimpleQueue[PollResult | None] = SimpleQueue()  # None: stop
        self._poller = ClusterPoller(admins, self._results.put)
        self._mirrors = GroupMirrors()
        self._topics_checked_at: dict[ClusterProfile, float] = {}
        self._fully_mirrored_at: dict[ClusterProfile, float] = {}
        self._unreachable: set[ClusterProfile] = set()
        self._thread = threading.Thread(target=self._watch, name="watcher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current result; open requests end by themselves."""
        self._results.put(None)
        self._thread.join(10)

    def _watch(self) -> None:
        due = time.monotonic()
        while True:
            try:
                result = self._results.get(timeout=max(0.0, due - time.monotonic()))
            except Empty:
                self._poll()
                due = time.monotonic() + POLL_INTERVAL_S
                continue
            if result is None:
                self._mirror_ended()
                self._mirrors.keep_only(())
                return
            self._on_result(result)

    def _alive(self) -> list[RunSupervisor]:
        return [supervisor for supervisor in self._supervisors() if supervisor.state in STARTED]

    def _not_ended(self) -> list[RunSupervisor]:
        return [supervisor for supervisor in self._supervisors() if supervisor.state not in ENDED]

    def _poll(self) -> None:
        """Poll every cluster without an open request. Runs on a cluster with one report what is known."""
        self._mirror_ended()
        by_cluster = _by_cluster(self._alive())
        by_cluster.setdefault(self._home, [])
        self._drop_ended(by_cluster)
        waiting: list[RunSupervisor] = []
        for profile, supervisors in by_cluster.items():
            if self._poller.is_open(profile):
                waiting += [supervisor for supervisor in supervisors if supervisor not in waiting]
            elif supervisors or self._topics_due(profile):
                self._poller.poll(self._request(profile, supervisors))
        spacing_s = self._report_spacing_s()
        for supervisor in waiting:
            self._report(supervisor, spacing_s)

    def _drop_ended(self, by_cluster: Mapping[ClusterProfile, list[RunSupervisor]]) -> None:
        """Drop what is kept for ended runs, and clients with outdated connections."""
        # Runs that are still starting ask their clusters, too.
        self._admins.drop_stale(by_cluster.keys() | _by_cluster(self._not_ended()).keys())
        self._mirrors.keep_only(_groups(by_cluster))
        self._unreachable &= by_cluster.keys()
        for times in (self._topics_checked_at, self._fully_mirrored_at):
            for profile in times.keys() - by_cluster.keys():
                del times[profile]
        alive = {(supervisor.run.run_id, supervisor.run.epoch) for supervisor in self._alive()}
        self._reported = {key: reported for key, reported in self._reported.items() if key in alive}

    def _request(self, profile: ClusterProfile, supervisors: list[RunSupervisor]) -> PollRequest:
        topics: set[str] = set()
        if self._topics_due(profile):
            self._topics_checked_at[profile] = time.monotonic()
            topics = {source.topic for _, source in _reading(profile, supervisors)}
            if profile == self._home:
                topics |= {RUNS_TOPIC, *(exchange.topic for _, exchange in _exchanges(self._alive()))}
        asked = [supervisor for supervisor in supervisors if self._asks_consumers(supervisor)]
        return PollRequest(
            profile, _partitions(profile, supervisors), _partitions(profile, asked), frozenset(topics)
        )

    def _topics_due(self, profile: ClusterProfile) -> bool:
        """Whether it is time to fetch the ids of a cluster's topics again."""
        return time.monotonic() - self._topics_checked_at.get(profile, 0.0) >= TOPIC_CHECK_INTERVAL_S

    def _mirror(self, profile: ClusterProfile, supervisors: list[RunSupervisor]) -> None:
        now = time.monotonic()
        everything = now - self._fully_mirrored_at.setdefault(profile, now) >= FULL_MIRROR_INTERVAL_S
        if everything:
            self._fully_mirrored_at[profile] = now
        for supervisor in supervisors:
            fresh = supervisor.positions.take_unmirrored(profile)
            positions = supervisor.positions.all_committed(profile) if everything else fresh
            self._commit(profile, supervisor, positions)

    def _mirror_ended(self) -> None:
        """Mirror what runs that end or have ended committed after the last result for them. The groups of
        runs that were deleted, or that another engine has, are no matter of this engine any more.
        """
        ended = [each for each in self._supervisors() if each.state not in STARTED]
        for profile, supervisors in _by_cluster(ended).items():
            for supervisor in supervisors:
                self._commit(profile, supervisor, supervisor.positions.take_unmirrored(profile))

    def _commit(
        self, profile: ClusterProfile, supervisor: RunSupervisor, positions: Mapping[PartitionId, int]
    ) -> None:
        if supervisor.run.mirror_group is not None and positions:
            self._mirrors.commit(profile, supervisor.run.mirror_group, positions)

    def _on_result(self, result: PollResult) -> None:
        supervisors = _by_cluster(self._alive()).get(result.profile, [])
        consumers = self._read_consumers(supervisors)
        if result.error is None:
            self._unreachable.discard(result.profile)
        else:
            log.debug("cluster %s does not respond: %s", result.profile.cluster_id, result.error)
            self._unreachable.add(result.profile)
        for supervisor in supervisors:
            if result.refusal is not None:  # Spark's own consumers would read on from where it leads now
                supervisor.abort(result.refusal)
            if result.error is None:
                supervisor.positions.update_topics(result.profile, result.topics)
                restarts = supervisor.positions.restarts
                supervisor.positions.update_ends(
                    result.profile,
                    result.ends,
                    result.starts,
                    self._progress(supervisor, result.profile, consumers),
                    restarts,
                )
            supervisor.on_reachability(reachable=self._unreachable.isdisjoint(_clusters_of(supervisor)))
            supervisor.on_positions()
        if result.error is None:
            self._mirror(result.profile, supervisors)
        self._check_topics(result, supervisors)
        spacing_s = self._report_spacing_s()
        for supervisor in supervisors:
            self._report(supervisor, spacing_s)
        runs_topic = result.topics.get(RUNS_TOPIC) if result.profile == self._home else None
        if runs_topic is not None:
            self._on_runs_topic_id(runs_topic.topic_id)

    def _check_topics(self, result: PollResult, supervisors: list[RunSupervisor]) -> None:
        """Abort the runs whose topics were deleted or recreated."""
        topics = result.topics
        sources = _reading(result.profile, supervisors)
        found = [
            (supervisor, check_topic(s.topic, s.topic_id, topics[s.topic]))
            for supervisor, s in sources
            if s.topic in topics
        ]
        if result.profile == self._home:
            exchanges = [
                (supervisor, topic)
                for supervisor, topic in _exchanges(self._alive())
                if topic.topic in topics
            ]
            found += [
                (supervisor, check_exchange_topic(topic, topics[topic.topic]))
                for supervisor, topic in exchanges
            ]
        for supervisor, failure in found:
            if failure is not None:
                supervisor.abort(failure)

    def _asks_consumers(self, supervisor: RunSupervisor) -> bool:
        """Whether what a run's consumers have fetched has given results: not in micro-batches."""
        return self._metrics is not None and supervisor.run.mode == "realtime" and not supervisor.draining

    def _read_consumers(self, supervisors: list[RunSupervisor]) -> ConsumerReading:
        """What Spark's consumers say now, if one of these runs asks for it."""
        if self._metrics is not None and any(map(self._asks_consumers, supervisors)):
            try:
                return self._metrics.read()
            except Py4JError as error:
                log.warning("consumer metrics: %s", error)
        return ConsumerReading({})

    def _progress(
        self, supervisor: RunSupervisor, profile: ClusterProfile, consumers: ConsumerReading
    ) -> dict[PartitionId, ConsumerProgress]:
        if not self._asks_consumers(supervisor):
            return {}
        return consumers.of(consumer_prefix(supervisor.run, supervisor.attempt, profile.cluster_id) + "-")

    def _report_spacing_s(self) -> float:
        """The least time between two reports of a run; half a poll less, as one may come a moment early."""
        return len(self._alive()) * REPORT_SPACING_S - POLL_INTERVAL_S / 2

    def _report(self, supervisor: RunSupervisor, spacing_s: float) -> None:
        """Report positions when they have changed, where an engine has many runs not with every poll, and at
        least every five seconds.
        """
        key = (supervisor.run.run_id, supervisor.run.epoch)
        sources, now, draining = supervisor.positions.now(), time.monotonic(), supervisor.draining
        before, at, drained = self._reported.get(key, ({}, 0.0, draining))
        told_lately = now - at < spacing_s and draining == drained
        if (told_lately or sources == before) and now - at < MAX_REPORT_AGE_S:
            return
        self._reported[key] = (sources, now, draining)
        self._reporter.send(
            supervisor.reports.positions(
                sources,
                draining=draining,
                catching_up=supervisor.catching_up(),
            )
        )


def _clusters_of(supervisor: RunSupervisor) -> set[ClusterProfile]:
    return {source.cluster for source in supervisor.run.sources.values()}


def _groups(by_cluster: Mapping[ClusterProfile, list[RunSupervisor]]) -> set[Group]:
    """The mirror groups of these runs."""
    return {
        (profile, supervisor.run.mirror_group)
        for profile, supervisors in by_cluster.items()
        for supervisor in supervisors
        if supervisor.run.mirror_group
    }


def _by_cluster(supervisors: list[RunSupervisor]) -> dict[ClusterProfile, list[RunSupervisor]]:
    """The runs by connection. After a password change runs may use different connections to a cluster for a
    while.
    """
    found: dict[ClusterProfile, list[RunSupervisor]] = {}
    for supervisor in supervisors:
        for profile in _clusters_of(supervisor):
            found.setdefault(profile, []).append(supervisor)
    return found


def _reading(
    profile: ClusterProfile, supervisors: list[RunSupervisor]
) -> list[tuple[RunSupervisor, BoundSource]]:
    """The sources of these runs that are on this cluster."""
    return [
        (supervisor, source)
        for supervisor in supervisors
        for source in supervisor.positions.sources.values()
        if source.cluster == profile
    ]


def _exchanges(supervisors: list[RunSupervisor]) -> list[tuple[RunSupervisor, ExchangeTopic]]:
    """The exchange topics of these runs."""
    return [
        (supervisor, supervisor.run.exchange)
        for supervisor in supervisors
        if supervisor.run.exchange is not None
    ]


def _partitions(profile: ClusterProfile, supervisors: list[RunSupervisor]) -> frozenset[PartitionId]:
    """The partitions that these runs read on this cluster."""
    return frozenset(
        (source.topic, partition)
        for _, source in _reading(profile, supervisors)
        for partition in range(source.partitions)
    )
