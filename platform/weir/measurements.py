"""What is measured of everything now: what Prometheus is told, and what rules of alerts look at. It is read
from the database with the same number of queries however many jobs there are.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from jobs.base.instants import instant_of
from jobs.run_states import LIVE
from weir.clusters.models import HOME, Cluster
from weir.dead_letters.models import CountedRange
from weir.lag.models import CurrentLag
from weir.lag.services.history_tables import ALIAS
from weir.runs.models import Engine, Job, Run, reports_read_until
from weir.workspaces.models import Workspace

MAX_AGE_US: Final = 30_000_000
"""The relay stores lag every two seconds. What is older is no measurement of the present and is left out."""

_UNUSED_RUN_COLUMNS: Final = (
    "generation__result",
    "positions",
    "avro",
    "replay_until",
    "mode_reasons",
    "failure",
)


@dataclass(frozen=True, slots=True)
class MeasuredJob:
    """A job with what was measured of it.

    Attributes:
        job: with its workspace.
        run: of its current generation, with that; None before the first start.
        payload: stored lag and counts of this run (`weir.lag.models.CurrentLag`); None: nothing was stored.
        is_current: the run is live and its lag was stored within `MAX_AGE_US`.
        latency_ms: end-to-end latency, median; None: no result was written lately.
    """

    job: Job
    run: Run | None
    payload: dict[str, Any] | None
    is_current: bool
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class ValidatedStream:
    """What a stream's validator has counted: records by outcome. `workspace` is the slug."""

    workspace_id: int
    workspace: str
    stream: str
    outcomes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that metrics are made of.

    Attributes:
        now: when it was read.
        reports_read_until: reports sent before this are stored; None: the relay has not said yet.
        jobs: by workspace and name.
        streams: those with a validator that has counted something.
        engines: those that run or should run.
        clusters: the home cluster and those of the workspaces.
    """

    now: datetime
    reports_read_until: datetime | None
    jobs: list[MeasuredJob]
    streams: list[ValidatedStream]
    engines: list[Engine]
    clusters: list[Cluster]


def read_snapshot(workspace: Workspace | None) -> Snapshot:
    """Seven queries.

    Args:
        workspace: whose objects are read; None: those of all workspaces.
    """
    now = timezone.now()
    jobs = _jobs(workspace)
    return Snapshot(
        now=now,
        reports_read_until=reports_read_until(),
        jobs=_measured(jobs, workspace, instant_of(now)),
        streams=_streams(workspace),
        engines=list(_engines(workspace, jobs)),
        clusters=list(_clusters(workspace)),
    )


def _jobs(workspace: Workspace | None) -> QuerySet[Job]:
    """Jobs of users, as lists show them."""
    jobs = Job.objects.user_jobs().select_related("workspace")
    scoped = jobs if workspace is None else jobs.filter(workspace=workspace)
    return scoped.order_by("workspace__slug", "name")


def _measured(jobs: QuerySet[Job], workspace: Workspace | None, now_us: int) -> list[MeasuredJob]:
    listed = list(jobs)
    runs = _runs(jobs)
    lags = _lags(None if workspace is None else [job.pk for job in listed])
    found = []
    for job in listed:
        run, lag = runs.get(job.pk), lags.get(job.pk)
        if run is None or lag is None or lag.payload.get("run_id") != run.pk:
            found.append(MeasuredJob(job, run, None, is_current=False, latency_ms=None))
            continue
        is_current = run.observed in LIVE and now_us - lag.at_us <= MAX_AGE_US
        latency_ms = lag.payload.get("latency_ms") if is_current else None
        found.append(MeasuredJob(job, run, lag.payload, is_current, latency_ms))
    return found


def _runs(jobs: QuerySet[Job]) -> dict[str, Run]:
    """The run of the current generation by job id."""
    runs = Run.objects.filter(
        generation__job__in=jobs.order_by(), generation__number=F("generation__job__generation")
    )
    rows = runs.select_related("generation").defer(*_UNUSED_RUN_COLUMNS)
    return {run.generation.job_id: run for run in rows}


def _lags(job_ids: list[str] | None) -> dict[str, CurrentLag]:
    """Stored lag by job id; None: of all jobs."""
    lags = CurrentLag.objects.using(ALIAS)
    return {lag.job_id: lag for lag in (lags.all() if job_ids is None else lags.filter(pk__in=job_ids))}


def _streams(workspace: Workspace | None) -> list[ValidatedStream]:
    ranges = CountedRange.objects.all()
    scoped = ranges if workspace is None else ranges.filter(validator__workspace=workspace)
    names = ("validator__workspace", "validator__workspace__slug", "validator__stream__name")
    rows = (
        scoped.values_list(*names)
        .annotate(Sum("valid"), Sum("malformed"), Sum("skipped"))
        .order_by(*names[1:])
    )
    return [
        ValidatedStream(
            workspace_id, slug, stream, {"valid": valid, "malformed": malformed, "skipped": skipped}
        )
        for workspace_id, slug, stream, valid, malformed, skipped in rows
    ]


def _engines(workspace: Workspace | None, jobs: QuerySet[Job]) -> QuerySet[Engine]:
    """Engines that run or should run; of a workspace, those that serve it."""
    engines = Engine.objects.filter(Q(should_run=True) | ~Q(state=Engine.State.STOPPED)).order_by("id")
    if workspace is None:
        return engines
    serving = Run.objects.filter(generation__job__in=jobs.order_by(), observed__in=LIVE).values("engine")
    shared = Q(kind=Engine.Kind.SHARED) & (Q(workspace=None) | Q(workspace=workspace))
    return engines.filter(shared | Q(pk__in=serving))


def _clusters(workspace: Workspace | None) -> QuerySet[Cluster]:
    clusters = Cluster.objects.select_related("workspace").defer("ca", "password").order_by("id")
    return clusters if workspace is None else clusters.filter(Q(pk=HOME) | Q(workspace=workspace))
