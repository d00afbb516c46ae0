"""Checks a rule against its workspace: its job, fields and channels, and that it can be computed."""

from django.db.models import F

from jobs.base.problems import Problem, has_errors, problem
from weir.alerts.models import Channel
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.row_rules import compile_row_rule
from weir.alerts.services.rule_document import MetricWatch, RowWatch, RuleDocument
from weir.runs.models import Generation, Job, JobVersion
from weir.runs.services.queries import jobs_of
from weir.workspaces.models import Workspace


def rule_problems(workspace: Workspace, document: RuleDocument) -> list[Problem]:
    """The located problems of a rule that can be parsed."""
    found = _channel_problems(workspace, document)
    watch = document.watch
    if isinstance(watch, MetricWatch) and watch.group is not None and BY_NAME[watch.metric].scope != "group":
        text = f"{BY_NAME[watch.metric].title} is not measured by consumer group."
        return [*found, problem("PARAMETER_RANGE", ("watch", "group"), text, "Remove the group.")]
    if watch.job is None:
        return found
    job = jobs_of(workspace).filter(pk=watch.job).first()
    if job is None:
        # The same words for a job of another workspace and for none.
        text = f"Job {watch.job} not found."
        return [*found, problem("PARAMETER_RANGE", ("watch", "job"), text, "Choose another job.")]
    if isinstance(watch, RowWatch):
        return [*found, *row_problems(watch, job)]
    if BY_NAME[watch.metric].scope not in ("job", "source", "objective"):
        text = f"{BY_NAME[watch.metric].title} is not measured by job."
        return [*found, problem("PARAMETER_RANGE", ("watch", "job"), text, "Remove the job.")]
    return found


def row_problems(watch: RowWatch, job: Job) -> list[Problem]:
    """The problems of a condition over the rows of this job."""
    result = result_of_job(job)
    if not result.get("schema"):
        text = f"Job {job.name} has no live result."
        return [problem("PARAMETER_RANGE", ("watch", "job"), text, "Add an output `to: result` to the job.")]
    compiled, problems = compile_row_rule(watch, result)
    return [] if compiled is not None and not has_errors(problems) else problems


def result_of_job(job: Job) -> dict[str, object]:
    """What the job puts out: of the generation that runs, or of the newest version of one that never ran."""
    running = (
        Generation.objects.filter(job=job, number=F("job__generation"))
        .values_list("result", flat=True)
        .first()
    )
    if running:
        return dict(running)
    newest = JobVersion.objects.filter(job=job, number=job.version).values_list("result", flat=True).first()
    return dict(newest or {})


def _channel_problems(workspace: Workspace, document: RuleDocument) -> list[Problem]:
    known = set(
        Channel.objects.filter(workspace=workspace, pk__in=document.channels).values_list("pk", flat=True)
    )
    return [
        problem(
            "PARAMETER_RANGE", ("channels", str(at)), f"Channel {one} not found.", "Choose another channel."
        )
        for at, one in enumerate(document.channels)
        if one not in known
    ]
