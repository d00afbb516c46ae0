"""The channel lag/<job>: the consumer lag of a job, once a second while a client is subscribed."""

import asyncio
import logging
import time
from collections import defaultdict
from typing import Final

from confluent_kafka import KafkaException

from jobs.connections import ClusterProfile
from weir.clusters.services.offsets import end_offsets
from weir.lag.services.tracker import LagTracker, stored_positions
from weir.live.blocking_pool import BlockingPool
from weir.live.latest_subscription import LatestSubscription
from weir.live.lookups import JobInfo
from weir.live.run_registry import RunRegistry
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
FETCH_WAIT_S: Final = 0.2  # a healthy cluster answers in less; nobody's lag waits longer for another one


class LagChannel:
    """Subscriptions to the lag of jobs. `ControlTopics` feeds the tracker; this class only
    fetches missing end offsets.

    Args:
        pool: threads for the clusters, each of which occupies one at most.
        registry: knows the runs of jobs.
        tracker: knows the lag of runs.
    """

    def __init__(self, pool: BlockingPool, registry: RunRegistry, tracker: LagTracker) -> None:
        self._pool = pool
        self._registry = registry
        self._tracker = tracker
        self._watching: defaultdict[str, set[LatestSubscription]] = defaultdict(set)
        self._clusters: dict[str, ClusterProfile] = {}
        self._fetching: dict[str, asyncio.Task[None]] = {}  # by cluster

    def subscribe(self, subscription: LatestSubscription, job: JobInfo) -> None:
        """Serve a subscription."""
        if job.run is not None:
            self._registry.learn(job.run)
            run = self._tracker.follow(job.run.run_id, job.job_id, job.run.epoch, job.sources)
            if not run.positions:
                run.positions = stored_positions(job.positions)
            self._clusters |= job.clusters
        self._watching[subscription.subject].add(subscription)
        self._send(subscription.subject, time.time_ns() // 1000)

    async def tick(self) -> None:
        """Fetch, once per cluster, the end offsets that no recent report contained, then send the
        lag to all subscriptions.
        """
        for job_id, watching in list(self._watching.items()):
            watching -= {subscription for subscription in watching if subscription.closed}
            if not watching:
                del self._watching[job_id]
        if not self._watching:
            return
        await self._fetch_ends()
        now_us = time.time_ns() // 1000
        for job_id in self._watching:
            self._send(job_id, now_us)

    async def _fetch_ends(self) -> None:
        now_us = time.time_ns() // 1000
        runs = [
            view.run_id for job_id in self._watching if (view := self._registry.of_job(job_id)) is not None
        ]
        by_cluster: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for cluster_id, topic, partition in self._tracker.stale_partitions(runs, now_us):
            by_cluster[cluster_id].append((topic, partition))
        for cluster_id, partitions in by_cluster.items():
            profile = self._clusters.get(cluster_id)
            if profile is not None and cluster_id not in self._fetching:
                fetching = self._fetch(cluster_id, profile, partitions, now_us)
                self._fetching[cluster_id] = asyncio.create_task(fetching)
        if self._fetching:
            await asyncio.wait(self._fetching.values(), timeout=FETCH_WAIT_S)

    async def _fetch(
        self, cluster_id: str, profile: ClusterProfile, partitions: list[tuple[str, int]], now_us: int
    ) -> None:
        try:
            found = await self._pool.run(end_offsets, profile, partitions)
        except (ServiceError, KafkaException) as error:
            _LOG.info("ends of cluster %s: %s", cluster_id, error)
            return
        finally:
            del self._fetching[cluster_id]
        for (topic, partition), end in found.items():
            self._tracker.observe_end((cluster_id, topic), partition, now_us, end)

    def close(self) -> None:
        """Fetch nothing more."""
        for fetching in list(self._fetching.values()):
            fetching.cancel()

    def _send(self, job_id: str, now_us: int) -> None:
        view = self._registry.of_job(job_id)
        body = self._tracker.payload(view.run_id, now_us) if view is not None else None
        for subscription in self._watching[job_id]:
            subscription.send("lag", job_id, body or {"at_us": now_us, "sources": {}})
