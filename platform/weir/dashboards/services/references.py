"""Checks that the jobs, outputs and fields that panels name exist."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from jobs.base.problems import Problem, problem
from weir.dashboards.services.document import DashboardDocument
from weir.dashboards.services.panels import Panel
from weir.runs.models import Generation, JobVersion
from weir.runs.services.queries import jobs_of
from weir.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class _LiveOutput:
    """A job's live result: its name in the document, the fields of the newest version and of what runs."""

    job_name: str
    output: str | None
    fields: frozenset[str]


def reference_problems(
    workspace: Workspace, document: DashboardDocument, before: DashboardDocument | None
) -> list[Problem]:
    """Problems of panels that name what is not there.

    Panels that did not change are not checked again: a job that was deleted, or that lost a field, must not
    prevent changes of other panels.

    Args:
        workspace: whose jobs may be named.
        document: the new document.
        before: the stored one; None for a new dashboard.
    """
    known = {panel.id: _reads(panel) for panel in before.panels} if before else {}
    changed = {at: panel for at, panel in enumerate(document.panels) if known.get(panel.id) != _reads(panel)}
    outputs = _live_outputs(workspace, {panel.job for panel in changed.values()})
    return [
        found for at, panel in changed.items() for found in _panel_problems(at, panel, outputs.get(panel.job))
    ]


def _reads(panel: Panel) -> tuple[str, str, Mapping[tuple[str, ...], str]]:
    return panel.job, panel.output, panel.fields()


def _panel_problems(at: int, panel: Panel, output: _LiveOutput | None) -> Iterable[Problem]:
    path = ("panels", str(at))
    if output is None:
        # The same words for a job of another workspace and for none.
        yield problem("PARAMETER_RANGE", (*path, "job"), f"Job {panel.job} not found.", "Choose another job.")
        return
    if panel.output != output.output:
        message = f"Job {output.job_name} has no live result named {panel.output!r}."
        hint = f"Use {output.output!r}." if output.output else "Add an output `to: result` to the job."
        yield problem("PARAMETER_RANGE", (*path, "output"), message, hint)
    for place, name in panel.fields().items():
        # A filter may name a field that is gone; rows simply do not match.
        if name not in output.fields:
            message = f"The result of {output.job_name} has no field {name!r}."
            yield problem("FIELD_UNKNOWN", (*path, *place), message, _fields_hint(output.fields))


def _fields_hint(fields: frozenset[str]) -> str:
    return f"Fields: {', '.join(sorted(fields)[:20])}."


def _live_outputs(workspace: Workspace, job_ids: set[str]) -> dict[str, _LiveOutput]:
    jobs = {job.pk: job.name for job in jobs_of(workspace).filter(pk__in=job_ids)}
    versions = JobVersion.objects.filter(job__in=jobs, number=F("job__version"))
    running = Generation.objects.filter(job__in=jobs, number=F("job__generation"))
    fields = {generation.job_id: _names(generation.result) for generation in running}
    return {
        version.job_id: _LiveOutput(
            jobs[version.job_id],
            live_output(version.document),
            _names(version.result) | fields.get(version.job_id, frozenset()),
        )
        for version in versions
    }


def live_output(document: Mapping[str, Any]) -> str | None:
    """The name of the output of a job document that is its live result; None where it has none."""
    outputs = document.get("outputs", {}).items()
    return next((name for name, output in outputs if output.get("to") == "result"), None)


def _names(result: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(field["name"] for field in result.get("schema", ()))
