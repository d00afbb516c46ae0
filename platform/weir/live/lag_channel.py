"""The channel lag/<job>: how far a job is behind, once a second while somebody watches."""

import logging
import time
from collections import defaultdict
from typing import Final

from confluent_kafka import KafkaException

from jobs.connections import ClusterProfile
from jobs.messages import PartitionProgress
from weir.clusters.topics import ends
from weir.lag.tracking import LagTracker, Position
from weir.live.blocking_pool import BlockingPool
from weir.live.latest_subscription import LatestSubscription
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunRegistry
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)


class LagChannel:
    """Subscriptions to the lag of jobs. The tracker is fed by `ControlTopics`; here only missing ends are asked for."""

    def __init__(self, threads: BlockingPool, board: RunRegistry, tracker: LagTracker) -> None:
        self._threads = threads
        self._board = board
        self._tracker = tracker
        self._watching: defaultdict[str, set[LatestSubscription]] = defaultdict(set)
        self._clusters: dict[str, ClusterProfile] = {}

    def enter(self, subscription: LatestSubscription, facts: JobInfo) -> None:
        """Begin to serve a subscription."""
        if facts.run is not None:
            self._board.learn(facts.run)
            run = self._tracker.know(facts.run.run_id, facts.job_id, facts.run.epoch, facts.sources)
            if not run.positions:
                run.positions = _positions(facts)
            self._clusters |= facts.clusters
        self._watching[subscription.subject].add(subscription)
        self._tell(subscription.subject, time.time_ns() // 1000)

    async def tick(self) -> None:
        """Ask once per cluster for ends that no report told lately, then tell everybody."""
        for job_id, watching in list(self._watching.items()):
            watching -= {subscription for subscription in watching if subscription.closed}
            if not watching:
                del self._watching[job_id]
        if not self._watching:
            return
        await self._ask_ends()
        now_us = time.time_ns() // 1000
        for job_id in self._watching:
            self._tell(job_id, now_us)

    async def _ask_ends(self) -> None:
        now_us = time.time_ns() // 1000
        runs = [view.run_id for job_id in self._watching if (view := self._board.of_job(job_id)) is not None]
        by_cluster: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for cluster_id, topic, partition in self._tracker.stale_partitions(runs, now_us):
            by_cluster[cluster_id].append((topic, partition))
        for cluster_id, places in by_cluster.items():
            profile = self._clusters.get(cluster_id)
            if profile is None:
                continue
            try:
                found = await self._threads.run(ends, profile, places)
            except (ServiceError, KafkaException) as error:
                _LOG.info("ends of cluster %s: %s", cluster_id, error)
                continue
            for (topic, partition), end in found.items():
                self._tracker.observe_end((cluster_id, topic), partition, now_us, end)

    def _tell(self, job_id: str, now_us: int) -> None:
        view = self._board.of_job(job_id)
        body = self._tracker.body(view.run_id, now_us) if view is not None else None
        for subscription in self._watching[job_id]:
            subscription.tell("lag", job_id, body or {"at_us": now_us, "sources": {}})


def _positions(facts: JobInfo) -> dict[str, dict[int, Position]]:
    """What the database last heard: where a stopped job stands, and a running one until its next report."""
    found: dict[str, dict[int, Position]] = {}
    for source, partitions in facts.positions.items():
        for partition, progress in partitions.items():
            known = PartitionProgress.model_validate(progress)
            found.setdefault(source, {})[int(partition)] = Position(known.committed, known.fetched)
    return found
