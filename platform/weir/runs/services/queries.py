"""JSON of jobs and engines for the API, without a query per row."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from jobs.run_states import LIVE, NEVER_STARTED
from weir.runs.models import Desired, Engine, Generation, Job, JobVersion, Run, reports_read_until
from weir.runs.services.overload import overload_json
from weir.runs.services.run_figures import NO_FIGURES, figures_json
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace


def jobs_of(workspace: Workspace) -> QuerySet[Job]:
    """The jobs that users see: without those being deleted and those of the system."""
    return Job.objects.of(workspace).user_jobs().select_related("workspace")


def get_job(workspace: Workspace, job_id: str) -> Job:
    """A job of this workspace.

    Raises:
        NotFoundError: there is none of that id.
    """
    job = jobs_of(workspace).filter(pk=job_id).first()
    if job is None:
        raise NotFoundError("NOT_FOUND", "Job not found, or you don't have access.")
    return job


def get_version(job: Job, number: int) -> JobVersion:
    """The version of this number, with who saved it.

    Raises:
        NotFoundError: there is none.
    """
    version = JobVersion.objects.filter(job=job, number=number).select_related("created_by").first()
    if version is None:
        raise NotFoundError("NOT_FOUND", f"{job.name} has no version {number}.")
    return version


def has_generation(job_id: str, generation: int | None) -> bool:
    """Whether a job is still there, with this generation as its current one.

    Args:
        job_id: of the job.
        generation: None: the job never ran.
    """
    return Job.objects.filter(pk=job_id, generation=generation).exclude(desired=Desired.DELETED).exists()


def result_fields(job: Job) -> list[str]:
    """The fields of the rows that the job's current generation writes now; rows that were written before an
    edit may have others. Empty before the first start.
    """
    generations = Generation.objects.filter(job=job, number=job.generation or 0)
    result = generations.values_list("result", flat=True).first() or {}
    return [field["name"] for field in result.get("schema", ())]


# Large columns, not needed for a list.
_LARGE_VERSION = ("document_text", "document", "result", "changes")
_LARGE_RUN = ("generation__result", "generation__sources", "positions", "avro", "replay_until")


def jobs_json(jobs: Iterable[Job]) -> list[dict[str, Any]]:
    """Jobs with their newest version's document, the run of their current generation, and
    what they put out.
    """
    listed = list(jobs)
    clock = (reports_read_until(), timezone.now())
    versions, runs = _versions_of(listed), _runs_of(listed)
    rows = []
    for job in listed:
        version, run = versions[job.id], runs.get(job.id)
        result = run.generation.result if run else version.result
        rows.append(
            _summary(job, version, run, clock)
            | {"document_text": version.document_text, "result": result, "edited_in": job.edited_in}
        )
    return rows


def job_summaries(jobs: Iterable[Job]) -> list[dict[str, Any]]:
    """Jobs without what is large: neither documents nor schemas are read from the database.

    Three queries beside the one for `jobs`, however many there are.
    """
    listed = list(jobs)
    clock = (reports_read_until(), timezone.now())
    versions, runs = _versions_of(listed, _LARGE_VERSION), _runs_of(listed, _LARGE_RUN)
    return [_summary(job, versions[job.id], runs.get(job.id), clock) for job in listed]


def _versions_of(jobs: list[Job], without: tuple[str, ...] = ()) -> dict[str, JobVersion]:
    """The newest version by job id."""
    rows = JobVersion.objects.filter(job__in=jobs, number=F("job__version")).defer(*without)
    return {row.job_id: row for row in rows}


def _runs_of(jobs: list[Job], without: tuple[str, ...] = ()) -> dict[str, Run]:
    """The run of the current generation by job id."""
    rows = Run.objects.filter(generation__job__in=jobs, generation__number=F("generation__job__generation"))
    return {row.generation.job_id: row for row in rows.select_related("generation", "engine").defer(*without)}


def _summary(
    job: Job, version: JobVersion, run: Run | None, clock: tuple[datetime | None, datetime]
) -> dict[str, Any]:
    row = {
        "id": job.id,
        "name": job.name,
        "description": job.description,
        "created_at": job.created_at,
        "version": version.number,  # as the document: another may have been saved since the job was read
        "desired": job.desired,
        "generation": job.generation,
    }
    if run is None:
        return row | {
            "running_version": None,
            "observed": NEVER_STARTED,
            "observed_since": None,
            "last_seen_at": None,
            "failure": None,
            "retry_at": None,
            "mode": {"mode": version.mode, "reasons": version.mode_reasons},
            "rate_limit": None,
            "engine": None,
            "epoch": None,
            **NO_FIGURES,
        }
    shown = run.shown_state(*clock)
    return row | {
        "running_version": run.version if run.observed in LIVE else None,
        "observed": shown,
        "observed_since": run.observed_since,
        "last_seen_at": run.last_seen_at,
        "failure": run.failure,
        "retry_at": run.retry_at,
        "mode": {"mode": run.mode, "reasons": run.mode_reasons},
        "rate_limit": run.rate_limit,
        "engine": {"id": run.engine.id, "kind": run.engine.kind, "state": run.engine.state}
        if run.engine
        else None,
        "epoch": run.epoch,
        **figures_json(run, shown, clock[1]),
    }


def engines_json(workspace: Workspace) -> list[dict[str, Any]]:
    """The engines that serve this workspace, with the jobs of this workspace on them.

    Host and pid of an engine that others use, too, are left out: they are its administrator's.
    """
    runs: dict[str, list[str]] = {}
    jobs = jobs_of(workspace)
    expected = Run.objects.filter(generation__job__in=jobs, observed__in=LIVE, engine__isnull=False)
    for engine_id, job_id in expected.values_list("engine_id", "generation__job_id"):
        runs.setdefault(str(engine_id), []).append(job_id)
    mine = Engine.objects.filter(kind=Engine.Kind.SHARED) | Engine.objects.filter(pk__in=runs)
    rows, now = [], timezone.now()
    for engine in mine.order_by("id"):
        handle = (engine.handle or {}) if engine.kind == Engine.Kind.DEDICATED else {}
        rows.append(
            {
                "id": engine.id,
                "kind": engine.kind,
                "state": engine.state,
                "should_run": engine.should_run,
                "standby": engine.standby,
                "successor": engine.successor_id,
                "incarnation": engine.incarnation,
                "ready": engine.ready,
                "slots": engine.slots,
                "slots_used": engine.slots_used,
                "memory_bytes": engine.memory_bytes,
                "cpu_cores": engine.cpu_cores,
                "host_cpu_cores": engine.host_cpu_cores,
                "host_cores": engine.host_cores,
                "last_seen_at": engine.last_seen_at,
                "host": handle.get("host"),
                "pid": handle.get("pid"),
                "failure": engine.failure,
                "retry_at": engine.retry_at
                if engine.state in (Engine.State.LOST, Engine.State.FAILED)
                else None,
                "overload": overload_json(engine, now),
                "runs": runs.get(engine.id, []),
            }
        )
    return rows
