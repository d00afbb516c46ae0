"""The live results that panels can show: of each job, its name in the document and its fields."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from weir.runs.models import Generation, JobVersion
from weir.runs.services.queries import jobs_of
from weir.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class LiveOutput:
    """A job's live result.

    Attributes:
        job: id.
        job_name: of the job.
        output: its name in the newest version's document; None where no output is `to: result`.
        result: kind, identity, schema and whether it is windowed (`weir.runs.services.planning.result_of`),
            of what runs, or of the newest version of a job that never ran.
        fields: names of fields of what runs and of the newest version.
    """

    job: str
    job_name: str
    output: str | None
    result: Mapping[str, Any]
    fields: frozenset[str]


def live_outputs(workspace: Workspace, job_ids: Collection[str] | None = None) -> list[LiveOutput]:
    """The live results of a workspace's jobs, by the name of the job; three queries, which read no documents.

    Args:
        workspace: of the jobs.
        job_ids: only of these; None: of all.
    """
    jobs = jobs_of(workspace) if job_ids is None else jobs_of(workspace).filter(pk__in=job_ids)
    names = dict(jobs.values_list("pk", "name"))
    versions = JobVersion.objects.filter(job__in=names, number=F("job__version"))
    running = Generation.objects.filter(job__in=names, number=F("job__generation"))
    results = dict(running.values_list("job_id", "result"))
    found = [
        _output(job, names[job], outputs or {}, result, results.get(job))
        for job, result, outputs in versions.values_list("job_id", "result", "document__outputs")
    ]
    return sorted(found, key=lambda one: one.job_name)


def _output(
    job: str,
    job_name: str,
    outputs: Mapping[str, Any],
    newest: Mapping[str, Any],
    running: Mapping[str, Any] | None,
) -> LiveOutput:
    name = next((name for name, output in outputs.items() if output.get("to") == "result"), None)
    return LiveOutput(job, job_name, name, running or newest, _names(newest) | _names(running or {}))


def _names(result: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(field["name"] for field in result.get("schema", ()))
