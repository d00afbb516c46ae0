"""Measures every job that has a run every two seconds, and stores the points of its history."""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final

from confluent_kafka import KafkaException
from django.conf import settings

from jobs.connections import ClusterProfile
from jobs.kafka_messages import CopyReport, PositionsReport, ProgressReport, Report
from jobs.run_states import LIVE
from weir.clusters.services.clusters import profiles_of_all
from weir.clusters.services.offsets import end_offsets
from weir.lag.models import LagPoint
from weir.lag.services import history
from weir.lag.services.history_tables import FINEST_S
from weir.lag.services.point_buffer import PointBuffer
from weir.lag.services.skipping import SourceSkips, Threshold
from weir.lag.services.tracker import LagTracker, RunLag, stored_positions
from weir.relay.result_buffer import TopicStats
from weir.runs.models import Desired, Job, Run
from weir.runs.services import run_measures
from weir.workspaces.errors import ServiceError

_LOG: Final = logging.getLogger(__name__)
_FETCH_WAIT_S: Final = 0.05  # a healthy broker answers in less
_THREADS: Final = 64  # started one by one, as clusters of jobs need them


class HistoryRecorder:
    """Tracks the lag of every current run and stores its history."""

    def __init__(self) -> None:
        self.tracker = LagTracker(Threshold(settings.SKIPPED_SHARE, settings.SKIPPED_MINIMUM))
        self._skipping: dict[str, list[dict[str, Any]]] = {}  # run → alerts, as stored in the run table
        self._streams: dict[str, dict[str, str]] = {}  # run → source → registered name
        self._profiles: dict[str, ClusterProfile] = {}
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="ends")
        self._fetches: dict[
            str, Future[tuple[int, dict[tuple[str, int], int]]]
        ] = {}  # cluster id → at most one
        self._last: dict[
            str, tuple[int, int, dict[str, int]]
        ] = {}  # run → (time, rows read, counters) at the last look
        self._points: dict[str, PointBuffer] = {}  # run → its point of the present
        self._live: set[str] = set()
        self._idle_us: dict[str, int] = {}  # run that is not live → when it was measured last
        self._read: dict[str, tuple[int, int]] = {}  # run → epoch and revision of which its sources were read
        self._stored_lag: dict[str, tuple[float | None, ...]] = {}  # run → epoch and figures in the run table

    def apply(self, reports: Sequence[Report]) -> None:
        """Apply reports."""
        for report in reports:
            if isinstance(report, PositionsReport | ProgressReport):
                self.tracker.apply(report)
            elif isinstance(report, CopyReport):
                self.tracker.apply_copy(report)

    def follow_runs(self) -> None:
        """Follow the run of each job's current generation, and no others: history has one point of a job for
        each time, and a run that was replaced would be measured for as long as its job exists.

        Runs are followed every second, those of stopped jobs, too: the contracts of their sources are read
        when a run is new, or is told something else.
        """
        current = Run.objects.current().exclude(generation__job__desired=Desired.DELETED)
        found = {run.pk: run for run in current.only("epoch", "revision", "observed")}
        changed = [pk for pk, run in found.items() if self._read.get(pk) != (run.epoch, run.revision)]
        for run in current.filter(pk__in=changed).select_related("generation"):
            try:
                self._follow(run)
            except (KeyError, TypeError) as error:
                _LOG.warning("run %s isn't measured, its sources can't be read: %r", run.pk, error)
            self._read[run.pk] = run.epoch, run.revision
        self._live = {run_id for run_id, run in found.items() if run.observed in LIVE}
        self._unfollow(self._read.keys() - found.keys())
        # As clusters are registered now: a stopped job was given a connection that may be outdated.
        self._profiles = profiles_of_all()

    def _follow(self, run: Run) -> None:
        sources = run.generation.sources
        topics = {
            name: (source["cluster"]["cluster_id"], source["topic"]) for name, source in sources.items()
        }
        streams = {name: source["stream"] for name, source in sources.items()}
        counts, positions = None, stored_positions(run.positions)
        if run.pk not in self.tracker.runs:  # first: followed without them, it would count from nothing
            counts = history.stored_counts(run.generation.job_id, run.pk)
            self._points[run.pk] = history.stored_point(run.generation.job_id, time.time_ns() // 1000)
        self._skipping.setdefault(run.pk, run.skipping)
        self._streams[run.pk] = streams
        followed = self.tracker.follow(run.pk, run.generation.job_id, run.epoch, topics)
        if counts is not None:
            followed.positions, followed.counts = positions, counts
            for alert in run.skipping:
                if alert["source"] in topics:
                    skips = SourceSkips.of_alert(alert, time.time_ns() // 1000)
                    followed.skips[alert["source"]] = skips

    def _unfollow(self, run_ids: set[str]) -> None:
        """Forget these runs, and delete the lag of jobs that do not exist any more.

        It was deleted with the job, but a point may have been written after that, before this call.
        """
        jobs = {self.tracker.runs[run_id].job_id for run_id in run_ids & self.tracker.runs.keys()}
        for run_id in run_ids:
            self._read.pop(run_id, None)
            self._stored_lag.pop(run_id, None)
            self.tracker.unfollow(run_id)
            self._last.pop(run_id, None)
            self._points.pop(run_id, None)
            self._idle_us.pop(run_id, None)
            self._skipping.pop(run_id, None)
            self._streams.pop(run_id, None)
        if jobs:
            for job_id in jobs - set(Job.objects.filter(pk__in=jobs).values_list("id", flat=True)):
                history.delete_lag(job_id)

    def refresh_end_offsets(self, now_us: int) -> None:
        """Fetch the end offsets that recent reports did not contain, in one request per cluster.

        The requests run in threads and their results are applied by a later call, because a cluster that does
        not answer must delay neither reports and results nor the ends of other clusters.
        """
        by_cluster: dict[str, list[tuple[str, int]]] = {}
        for cluster_id, topic, partition in self.tracker.stale_partitions(self.tracker.runs, now_us):
            if cluster_id in self._profiles and cluster_id not in self._fetches:
                by_cluster.setdefault(cluster_id, []).append((topic, partition))
        for cluster_id, partitions in by_cluster.items():
            profile = self._profiles[cluster_id]
            self._fetches[cluster_id] = self._pool.submit(_fetch_end_offsets, profile, partitions)
        wait(self._fetches.values(), _FETCH_WAIT_S)
        for cluster_id in [each for each, fetch in self._fetches.items() if fetch.done()]:
            fetched_us, found = self._fetches.pop(cluster_id).result()
            for (topic, partition), end in found.items():
                self.tracker.observe_end((cluster_id, topic), partition, fetched_us, end)

    def store(self, now_us: int, stats: dict[str, TopicStats], freshness_ms: dict[str, int]) -> None:
        """Measure every run that has positions, and write the points of the present.

        Args:
            now_us: the current time.
            stats: job id → statistics of its result topic since the last call.
            freshness_ms: run id → age of the newest input in its results.
        """
        points, payloads = [], {}
        measured = {run_id: run for run_id, run in self.tracker.runs.items() if self._is_due(run_id, now_us)}
        for run_id, run in measured.items():
            payload = self.tracker.payload(run_id, now_us)
            if payload is None or not run.positions:
                continue
            of_results = stats.get(run.job_id, TopicStats())
            payloads[run.job_id] = {
                **payload,
                "run_id": run_id,
                "counts": run.counts.as_json(),
                "latency_ms": of_results.latency_ms_p50,
            }
            points.append(self._point(run_id, run, now_us, of_results, freshness_ms.get(run_id)))
        # Of what lists show first: it is in another database than history, which may be away.
        for run_id, run in measured.items():
            totals = self.tracker.totals(run_id, now_us)
            figures = totals.records, totals.seconds, run.read.per_second(now_us)
            if self._stored_lag.get(run_id) != (run.epoch, *figures):  # a new epoch begins without
                run_measures.record_lag(run_id, *figures)
                self._stored_lag[run_id] = run.epoch, *figures
            self._store_skipping(run_id)
        if points:
            history.record(points, payloads, now_us)

    def _is_due(self, run_id: str, now_us: int) -> bool:
        """Whether to measure a run now: one that is not live for each point of its history only. Most jobs of
        a workspace are stopped, and results wait while runs are measured.
        """
        if run_id in self._live:
            self._idle_us.pop(run_id, None)
            return True
        if 0 <= now_us - self._idle_us.get(run_id, 0) < FINEST_S * 1_000_000:
            return False
        self._idle_us[run_id] = now_us
        return True

    def _store_skipping(self, run_id: str) -> None:
        """Store which sources skip too many records, if that changed. Sources without reports since this
        process started keep their stored alert while they are read.
        """
        before = {alert["source"]: alert for alert in self._skipping.get(run_id, [])}
        found = {name: alert for name, alert in before.items() if name in self._streams[run_id]}
        for source, skips in self.tracker.runs[run_id].skips.items():
            alert = skips.alert(source)
            if alert is None:
                found.pop(source, None)
            else:
                found[source] = {
                    **alert,
                    "stream": self._streams[run_id].get(source, source),
                    "since": before.get(source, alert)["since"],
                }
        if found != before:
            self._skipping[run_id] = list(found.values())
            run_measures.record_skipping(run_id, self._skipping[run_id])

    def _point(
        self, run_id: str, run: RunLag, now_us: int, stats: TopicStats, freshness_ms: int | None
    ) -> LagPoint:
        read = run.passed.total()
        counted = run.counted
        # counts from before a run's first look belong to its first point
        at_us, read_before, before = self._last.get(run_id, (0, read, dict.fromkeys(counted, 0)))
        self._last[run_id] = (now_us, read, counted)
        span = (now_us - at_us) / 1e6 if 0 < at_us < now_us else None
        totals = self.tracker.totals(run_id, now_us)
        measures: dict[str, float | None] = {
            "lag_records": totals.records,
            "lag_seconds": totals.seconds,
            "freshness_seconds": None if freshness_ms is None else freshness_ms / 1e3,
            "latency_ms": stats.latency_ms_p50,
        }
        if (
            run_id in self._live
        ):  # of another one the engine says nothing: what it said last is no measurement
            measures |= {
                "rows_in_per_second": (read - read_before) / span if span else None,
                "rows_out_per_second": run.given.written_per_second(now_us),
                "watermark_delay_seconds": None
                if run.watermark_us is None
                else (now_us - run.watermark_us) / 1e6,
                "state_rows": run.state_rows,
                "state_bytes": run.state_bytes,
            }
        buffer = self._points.setdefault(run_id, PointBuffer())
        buffer.add(now_us, measures, {name: count - before[name] for name, count in counted.items()})
        return LagPoint(job_id=run.job_id, **buffer.columns())


def _fetch_end_offsets(
    profile: ClusterProfile, partitions: list[tuple[str, int]]
) -> tuple[int, dict[tuple[str, int], int]]:
    """Time of the request, and end offsets by (topic, partition); none where the cluster does not answer."""
    fetched_us = time.time_ns() // 1000
    try:
        return fetched_us, end_offsets(profile, partitions)
    except (ServiceError, KafkaException) as error:
        _LOG.info("ends of cluster %s: %s", profile.cluster_id, error)
    except Exception:  # noqa: BLE001 - the relay is everybody's: nothing that one cluster answers may end it
        _LOG.exception("ends of cluster %s", profile.cluster_id)
    return fetched_us, {}
