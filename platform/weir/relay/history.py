"""One point of history per running job, every two seconds."""

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import Any, Final

from confluent_kafka import KafkaException
from django.conf import settings

from jobs.connections import ClusterProfile
from jobs.messages import CopyReport, PositionsReport, ProgressReport, Report
from weir.clusters.clients import home_profile
from weir.clusters.topics import ends
from weir.lag import services
from weir.lag.models import LagPoint
from weir.lag.skipping import Threshold
from weir.lag.tracking import LagTracker, RunLag
from weir.relay.folding import Flow
from weir.runs import report_handlers
from weir.runs.models import Desired, Run
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_PATIENCE_S: Final = 0.05  # a broker that is well answers in less


class HistoryKeeper:
    """Follows the lag of every current run and stores it."""

    def __init__(self) -> None:
        self.tracker = LagTracker(Threshold(settings.SKIPPED_SHARE, settings.SKIPPED_MINIMUM))
        self._skipping: dict[str, list[dict[str, Any]]] = {}  # run → as it is in the run table
        self._streams: dict[str, dict[str, str]] = {}  # run → source → registered name
        self._profiles: dict[str, ClusterProfile] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ends")
        self._asking: Future[tuple[int, dict[tuple[str, str, int], int]]] | None = None
        self._last: dict[str, tuple[int, int, dict[str, int]]] = {}  # run → (instant, rows read, counters) at the last point

    def take(self, reports: list[Report]) -> None:
        """Learn from reports."""
        for report in reports:
            if isinstance(report, PositionsReport | ProgressReport):
                self.tracker.take(report)
            elif isinstance(report, CopyReport):
                self.tracker.take_copy(report)

    def learn_runs(self) -> None:
        """Follow the runs of the run table, and forget those that are gone."""
        runs = {run.pk: run for run in Run.objects.select_related("generation").exclude(desired=Desired.DELETED)}
        for run_id, run in runs.items():
            topics = {name: (source["cluster"]["cluster_id"], source["topic"]) for name, source in run.generation.sources.items()}
            for source in run.generation.sources.values():
                self._profiles[source["cluster"]["cluster_id"]] = ClusterProfile.model_validate(source["cluster"])
            self.tracker.know(run_id, run.generation.job_id, run.epoch, topics)
            self._skipping.setdefault(run_id, run.skipping)
            self._streams[run_id] = {name: source["stream"] for name, source in run.generation.sources.items()}
        for run_id in self.tracker.runs.keys() - runs.keys():
            self.tracker.forget(run_id)
            self._last.pop(run_id, None)
            self._skipping.pop(run_id, None)
            self._streams.pop(run_id, None)

    def learn_ends(self, now_us: int) -> None:
        """Ask each cluster once for the ends that no report told lately.

        The question waits on a thread of its own and the answer is taken in with a later tick: a cluster that does not
        answer must not hold up reports and results.
        """
        if self._asking is None:
            by_cluster: dict[str, list[tuple[str, int]]] = {}
            for cluster_id, topic, partition in self.tracker.stale_partitions(self.tracker.runs, now_us):
                by_cluster.setdefault(cluster_id, []).append((topic, partition))
            if by_cluster:
                profiles = {cluster_id: self._profiles.get(cluster_id, home_profile()) for cluster_id in by_cluster}
                self._asking = self._pool.submit(_ask, by_cluster, profiles)
        if self._asking is None or not wait([self._asking], _PATIENCE_S).done:
            return
        asked_us, found = self._asking.result()
        self._asking = None
        for (cluster_id, topic, partition), end in found.items():
            self.tracker.observe_end((cluster_id, topic), partition, asked_us, end)

    def store(self, now_us: int, flows: dict[str, Flow]) -> None:
        """Write one point for every run that has positions.

        Args:
            now_us: the tick's instant.
            flows: job id → what its result topic carried since the last tick.
        """
        points, bodies = [], {}
        for run_id, run in self.tracker.runs.items():
            body = self.tracker.body(run_id, now_us)
            if body is None or not run.positions:
                continue
            bodies[run.job_id] = body
            points.append(self._point(run_id, run, now_us, flows.get(run.job_id, Flow())))
        if points:
            services.record(points, bodies, now_us)
        for run_id in self.tracker.runs:
            totals = self.tracker.totals(run_id, now_us)
            report_handlers.record_lag(run_id, totals.records, totals.seconds)
            self._store_skipping(run_id)

    def _store_skipping(self, run_id: str) -> None:
        """Write down which sources are skipped too much, where that changed. Of a source that nothing was heard of since this
        process began, what was written before stays."""
        before = {verdict["source"]: verdict for verdict in self._skipping.get(run_id, [])}
        found = dict(before)
        for source, skips in self.tracker.runs[run_id].skips.items():
            verdict = skips.verdict(source)
            if verdict is None:
                found.pop(source, None)
            else:
                found[source] = {
                    **verdict,
                    "stream": self._streams[run_id].get(source, source),
                    "since": before.get(source, verdict)["since"],
                }
        if found != before:
            self._skipping[run_id] = list(found.values())
            report_handlers.record_skipping(run_id, self._skipping[run_id])

    def _point(self, run_id: str, run: RunLag, now_us: int, flow: Flow) -> LagPoint:
        read = sum(cell.reached or 0 for cells in run.positions.values() for cell in cells.values())
        counted = run.counted
        # What was counted before a run's first point belongs to it
        at_us, read_before, before = self._last.get(run_id, (0, read, dict.fromkeys(counted, 0)))
        self._last[run_id] = (now_us, read, counted)
        span = (now_us - at_us) / 1e6 if at_us else None
        totals = self.tracker.totals(run_id, now_us)
        return LagPoint(
            job_id=run.job_id,
            at_us=now_us,
            lag_records=totals.records,
            lag_seconds=totals.seconds,
            rows_in_per_second=max(0, read - read_before) / span if span else None,
            rows_out_per_second=flow.rows / span if span else None,
            latency_ms_p50=flow.latency_ms_p50,
            state_rows=run.state_rows,
            state_bytes=run.state_bytes,
            **{name: count - before[name] for name, count in counted.items()},
        )


def _ask(by_cluster: dict[str, list[tuple[str, int]]], profiles: dict[str, ClusterProfile]) -> tuple[int, dict[tuple[str, str, int], int]]:
    """When was asked, and the ends by (cluster, topic, partition); a cluster that does not answer is left for the next time."""
    asked_us = time.time_ns() // 1000
    found: dict[tuple[str, str, int], int] = {}
    # At once: one that is down must not age what the others say.
    with ThreadPoolExecutor(min(8, len(by_cluster)), thread_name_prefix="ends-of") as pool:
        asked = {pool.submit(ends, profiles[cluster_id], places): cluster_id for cluster_id, places in by_cluster.items()}
        for question in as_completed(asked):
            cluster_id = asked[question]
            try:
                answered = question.result()
            except (ServiceError, KafkaException) as error:
                _LOG.info("ends of cluster %s: %s", cluster_id, error)
                continue
            found |= {(cluster_id, topic, partition): end for (topic, partition), end in answered.items()}
    return asked_us, found
