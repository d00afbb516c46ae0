"""Checks that the jobs, outputs and fields that panels name exist."""

from collections.abc import Iterable, Mapping

from jobs.base.problems import Problem, problem
from weir.dashboards.services.document import DashboardDocument
from weir.dashboards.services.outputs import LiveOutput, live_outputs
from weir.dashboards.services.panels import Panel
from weir.workspaces.models import Workspace


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
    wanted = {panel.job for panel in changed.values()}
    outputs = {one.job: one for one in live_outputs(workspace, wanted)}
    return [
        found for at, panel in changed.items() for found in _panel_problems(at, panel, outputs.get(panel.job))
    ]


def _reads(panel: Panel) -> tuple[str, str, Mapping[tuple[str, ...], str]]:
    return panel.job, panel.output, panel.fields()


def _panel_problems(at: int, panel: Panel, output: LiveOutput | None) -> Iterable[Problem]:
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
