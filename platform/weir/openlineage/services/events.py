"""What an event says, as OpenLineage's own classes, and its JSON."""

import uuid
from datetime import datetime
from typing import Final

from openlineage.client.event_v2 import Job, Run, RunEvent, RunState, set_producer
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    documentation_job,
    error_message_run,
    job_type_job,
    source_code_job,
)
from openlineage.client.serde import Serde

from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services.datasets import datasets_of
from weir.runs.models import JobVersion

# Of run ids: changing it would make every run another one.
_RUNS: Final = uuid.UUID("6a1d1c52-5c0e-5d0b-9f43-3f2b0c6f7e21")
set_producer("urn:weir")


def event_json(receiver: LineageReceiver, event: LineageEvent) -> str:
    """The event as its receiver gets it.

    Args:
        receiver: with the namespace of jobs.
        event: with its job, where that was not deleted; without it the event says nothing of datasets.
    """
    version = JobVersion.objects.filter(job=event.job, number=event.version).first() if event.job else None
    inputs, outputs = datasets_of(event, version) if version is not None else ([], [])
    return Serde.to_json(
        RunEvent(
            eventType=RunState[event.type],
            eventTime=_instant(event.at),
            run=Run(runId=str(run_uuid(event)), facets=_run_facets(event)),
            job=Job(namespace=receiver.namespace, name=event.job_name, facets=_job_facets(event, version)),
            inputs=inputs,
            outputs=outputs,
        )
    )


def run_uuid(event: LineageEvent) -> uuid.UUID:
    """The id of OpenLineage's run: the same for all events of an execution, another for each execution."""
    return uuid.uuid5(_RUNS, f"{event.run_id}/{event.epoch}")


def _instant(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _run_facets(event: LineageEvent) -> dict[str, RunFacet]:
    if not event.reason:
        return {}
    return {
        "errorMessage": error_message_run.ErrorMessageRunFacet(
            message=event.reason, programmingLanguage="Python"
        )
    }


def _job_facets(event: LineageEvent, version: JobVersion | None) -> dict[str, JobFacet]:
    found: dict[str, JobFacet] = {
        "jobType": job_type_job.JobTypeJobFacet(processingType="STREAMING", integration="WEIR", jobType="JOB")
    }
    if event.job is not None and event.job.description:
        found["documentation"] = documentation_job.DocumentationJobFacet(description=event.job.description)
    if version is not None:
        found["sourceCode"] = source_code_job.SourceCodeJobFacet(
            language="YAML", sourceCode=version.document_text
        )
    return found
