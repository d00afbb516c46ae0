"""Values of the metrics of the table, from what the relay has stored (`weir.measurements`): the same number
of queries however many jobs and rules there are.

Some metrics need a memory of the last minutes. It begins anew with the process; until it is full, such a
metric is unknown and changes no alert. What stands still is remembered in the database (`standing.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from jobs.base.instants import instant_of
from jobs.run_states import FAILED, LIVE, QUEUED, REPLAYING, RUNNING, STARTING, UNKNOWN
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.silent_partitions import SilentPartitions
from weir.alerts.services.standing import Standing
from weir.alerts.services.windows import Windows
from weir.clusters.models import HOME, Cluster
from weir.measurements import MeasuredJob, Snapshot
from weir.runs.models import Desired, Engine, Run
from weir.runs.services.lag_health import NEEDS_A_LOOK, JobHealth, Kind, current_health

MINUTES_5: Final = 300_000_000
HOUR: Final = 3_600_000_000
_MIB: Final = 1 << 20
_LEAST_SHARE: Final = 0.01
_LEAST_RECORDS: Final = 20
_TEN_MINUTES: Final = 600_000_000
_CRASHES_US: Final = 600_000_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What a reading is about: its workspace (None: all), the values that tell it apart, and its words, in
    which readings of one thing may differ.
    """

    workspace_id: int | None
    scope: str
    group: tuple[tuple[str, str], ...]
    title: str = field(compare=False)
    job_id: str | None = None


@dataclass(slots=True)
class Taken:
    """What one look has found.

    Attributes:
        subjects: all that exist and should be well, also without a value.
        values: metric → values by subject.
        over: metric → subjects of which it is known that they have no value, which ends their alerts.
    """

    subjects: set[Subject] = field(default_factory=set)
    values: dict[str, dict[Subject, float]] = field(default_factory=dict)
    over: dict[str, set[Subject]] = field(default_factory=dict)

    def put(self, metric: str, subject: Subject, value: float | None) -> None:
        """A value; None: it is unknown."""
        self.subjects.add(subject)
        if value is not None:
            self.values.setdefault(metric, {})[subject] = float(value)

    def put_over(self, metric: str, subject: Subject) -> None:
        """There is nothing to measure, and that is known."""
        self.subjects.add(subject)
        self.over.setdefault(metric, set()).add(subject)


class Readings:
    """Looks at snapshots one after another."""

    def __init__(self, standing: Standing | None = None) -> None:
        self._windows = Windows()
        self._standing = standing or Standing()
        self._partitions = SilentPartitions(self._standing)

    def take(self, snapshot: Snapshot) -> Taken:
        """The values of now."""
        now_us = instant_of(snapshot.now)
        taken = Taken()
        for measured in snapshot.jobs:
            if measured.job.desired == Desired.RUNNING and measured.run is not None:
                self._job(taken, measured, measured.run, snapshot.reports_read_until, snapshot.now, now_us)
        for stream in snapshot.streams:
            self._stream(taken, stream.workspace_id, stream.stream, stream.outcomes, now_us)
        for engine in snapshot.engines:
            _engine(taken, engine, snapshot)
        for cluster in snapshot.clusters:
            _cluster(taken, cluster, snapshot.now)
        self._windows.forget_before(now_us - HOUR - _TEN_MINUTES)
        self._standing.store()
        return taken

    def _job(
        self,
        taken: Taken,
        measured: MeasuredJob,
        run: Run,
        read_until: datetime | None,
        now: datetime,
        now_us: int,
    ) -> None:
        job = measured.job
        subject = Subject(job.workspace_id, "job", (("job", job.pk),), f"Job {job.name}", job.pk)
        shown = run.shown_state(read_until, now)
        values: dict[str, float | None] = {
            "job.failed": _failed(shown),
            "job.restarts": sum(at > now_us - _CRASHES_US for at in run.crashes),
            "job.unknown": float(shown == UNKNOWN),
            "job.not_running_seconds": self._not_running(run, shown, now_us),
        }
        if measured.is_current:
            values |= self._measured(measured, run, measured.payload or {}, now_us)
        else:
            self._standing.keep(f"{run.pk}/watermark")
        # While it is replaying, results and counts run backwards for a moment: its alerts wait.
        waits = shown in (STARTING, QUEUED, REPLAYING) or shown not in LIVE
        for metric, value in values.items():
            taken.put(metric, subject, value if BY_NAME[metric].while_replaying or not waits else None)
        put_lag_health(taken, subject, current_health(run, now_us), waits=waits)
        if measured.payload is not None:
            for name, source in run.generation.sources.items():
                self._source(taken, measured, run.pk, name, str(source["topic"]), now_us, waits=waits)

    def _not_running(self, run: Run, shown: str, now_us: int) -> float | None:
        """Since it was last seen running, whatever states it has gone through, as one that fails and starts
        again and again; None while it is not known whether it runs.
        """
        key = f"{run.pk}/not running"
        if shown == UNKNOWN:
            self._standing.keep(key)
            return None
        if shown == RUNNING:
            self._standing.moved(key)
            return 0.0
        stands = self._standing.seconds(key, "", now_us) or 0.0
        return max(stands, (now_us - instant_of(run.observed_since)) / 1e6, 0.0)

    def _measured(
        self, measured: MeasuredJob, run: Run, payload: dict[str, Any], now_us: int
    ) -> dict[str, float | None]:
        counts = payload.get("counts") or {}
        late = self._windows.share(
            f"{run.pk}/late", counts.get("late"), counts.get("rows_in"), now_us, MINUTES_5
        )
        failed = self._windows.share(
            f"{run.pk}/nulls", counts.get("expression_nulls"), counts.get("rows_in"), now_us, MINUTES_5
        )
        state_bytes = payload.get("state_bytes")
        growth = self._windows.least_growth(f"{run.pk}/state", state_bytes, now_us, _TEN_MINUTES, 6)
        return {
            "job.lag_seconds": run.lag_seconds,
            "job.lag_records": run.lag_records,
            "job.freshness_seconds": None if run.freshness_ms is None else run.freshness_ms / 1e3,
            "job.latency_seconds": None if measured.latency_ms is None else measured.latency_ms / 1e3,
            "job.rows_in_rate": run.rows_per_second,
            "job.watermark_standing_seconds": self._watermark(run, counts, now_us),
            "job.late_share": None if late is None else late.share,
            "job.failed_expressions_share": None if failed is None else failed.share,
            "job.state_bytes": state_bytes,
            "job.state_rows": payload.get("state_rows"),
            "job.state_growth": None if growth is None else growth * 6 / _MIB,
        }

    def _watermark(self, run: Run, counts: dict[str, Any], now_us: int) -> float | None:
        if run.watermark_us is None:
            return None
        key = f"{run.pk}/watermark"
        read = self._windows.share(f"{run.pk}/read", 0, counts.get("rows_in"), now_us, MINUTES_5)
        if read is None:
            self._standing.keep(key)
            return None
        if not read.whole:
            # Nothing is read, so nothing can move it: that is silence of a source, and no time that counts.
            self._standing.moved(key)
            return 0.0
        return self._standing.seconds(key, str(run.watermark_us), now_us)

    def _source(
        self,
        taken: Taken,
        measured: MeasuredJob,
        run_id: str,
        name: str,
        topic: str,
        now_us: int,
        *,
        waits: bool,
    ) -> None:
        job, payload = measured.job, measured.payload or {}
        subject = Subject(
            job.workspace_id,
            "source",
            (("job", job.pk), ("source", name), ("topic", topic)),
            f"Source {name} of job {job.name} (topic {topic})",
            job.pk,
        )
        lag = payload.get("sources", {}).get(name, {}) if measured.is_current else {}
        counts = (payload.get("counts") or {}).get("sources", {}).get(name, {})
        recent = self._windows.share(
            f"{run_id}/{name}/malformed", counts.get("malformed"), counts.get("records"), now_us, MINUTES_5
        )
        ends = {cell["partition"]: cell["end"] for cell in lag.get("partitions", ())}
        silent = None
        key, each_key = f"{run_id}/{name[:100]}/ends", f"{run_id}/{name[:100]}/partitions"
        if ends and None not in ends.values():
            silent = self._standing.seconds(key, str(sum(ends.values())), now_us)
            partition = self._partitions.longest(each_key, ends, now_us)
            if not waits:
                number, seconds = partition or (None, 0.0)
                taken.put("source.silent_partition_seconds", _at_partition(subject, number), seconds)
        else:
            self._standing.keep(key)
            self._partitions.keep(each_key)
        for metric, value in {
            "source.lag_seconds": lag.get("seconds"),
            "source.silent_seconds": silent,
            "source.malformed_share": None if recent is None else recent.share,
            "source.malformed_over_usual": None
            if recent is None
            else recent.over_usual(_LEAST_SHARE, _LEAST_RECORDS),
        }.items():
            taken.put(metric, subject, None if waits else value)

    def _stream(
        self, taken: Taken, workspace_id: int, stream: str, outcomes: dict[str, int], now_us: int
    ) -> None:
        subject = Subject(workspace_id, "stream", (("stream", stream),), f"Stream {stream}")
        recent = self._windows.share(
            f"{workspace_id}/{stream}/dead",
            outcomes.get("malformed"),
            sum(outcomes.values()),
            now_us,
            MINUTES_5,
        )
        value = None if recent is None else recent.over_usual(_LEAST_SHARE, _LEAST_RECORDS)
        taken.put("stream.dead_letters_over_usual", subject, value)


def put_lag_health(taken: Taken, job: Subject, health: JobHealth | None, *, waits: bool) -> None:
    """What the lag of a job means.

    Args:
        taken: to which it is added.
        job: the job.
        health: None: it is not known.
        waits: the run is replaying, or about to read: whether it keeps up is not known yet.
    """
    if health is None or health.kind == Kind.UNKNOWN:
        looked, kind = None, ""
    else:
        looked, kind = float(health.kind in NEEDS_A_LOOK), health.kind.value.replace("_", " ")
    about = replace(job, title=f"{job.title}: {kind}") if looked else job
    taken.put("job.needs_a_look", about, None if waits else looked)
    if health is None:
        return
    taken.put("job.lost_records", job, health.lost_records)
    put_loss(taken, "job.loss_seconds", job, health.loss_s, is_known=health.kind != Kind.UNKNOWN)


def put_loss(taken: Taken, metric: str, subject: Subject, loss_s: float | None, *, is_known: bool) -> None:
    """When records are lost: over where the reader is known not to be at risk.

    Args:
        taken: to which it is added.
        metric: of jobs or of groups.
        subject: the reader.
        loss_s: seconds until then; None: there is no risk, or it is not known.
        is_known: whether the reader's health is known.
    """
    taken.put(metric, subject, loss_s)
    if loss_s is None and is_known:
        taken.put_over(metric, subject)


def _at_partition(source: Subject, partition: int | None) -> Subject:
    return source if partition is None else replace(source, title=f"{source.title}: partition {partition}")


def _failed(shown: str) -> float | None:
    """1 while it has failed; unknown until the next start has come to something."""
    if shown == FAILED:
        return 1.0
    return None if shown in (STARTING, QUEUED, UNKNOWN) else 0.0


def _engine(taken: Taken, engine: Engine, snapshot: Snapshot) -> None:
    if not engine.should_run:
        return
    workspaces: Iterator[int | None]
    serving = {
        m.job.workspace_id for m in snapshot.jobs if m.run is not None and m.run.engine_id == engine.pk
    }
    workspaces = iter([engine.workspace_id] if engine.workspace_id is not None else sorted(serving))
    lost = engine.state in (Engine.State.LOST, Engine.State.FAILED)
    silent = None
    if engine.state == Engine.State.READY and engine.last_seen_at and snapshot.reports_read_until:
        silent = max(0.0, (snapshot.reports_read_until - engine.last_seen_at).total_seconds())
    for workspace_id in workspaces:
        subject = Subject(workspace_id, "engine", (("engine", engine.pk),), f"Engine {engine.pk}")
        taken.put("engine.lost", subject, float(lost))
        taken.put("engine.silent_seconds", subject, silent)
        taken.put(
            "engine.used_slots_share", subject, engine.slots_used / engine.slots if engine.slots else None
        )


def _cluster(taken: Taken, cluster: Cluster, now: datetime) -> None:
    subject = Subject(
        None if cluster.pk == HOME else cluster.workspace_id,
        "cluster",
        (("cluster", cluster.pk),),
        f"Kafka cluster {cluster.name}",
    )
    taken.put(
        "cluster.unreachable", subject, None if cluster.reachable is None else float(not cluster.reachable)
    )
    taken.put("cluster.disk_used_share", subject, cluster.disk_used_share)
    ends = cluster.certificate_expires_at
    days = None if ends is None else (ends - now).total_seconds() / 86_400
    taken.put("cluster.certificate_expires_days", subject, days)
