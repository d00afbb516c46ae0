"""How often a rule would have fired over what is stored: rows of a result, an hour of a job's history."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from jobs.base.instants import Instant, datetime_of, nearest_instant
from weir.alerts.services.alert_states import FIRING
from weir.alerts.services.book import Book, LoadedRule
from weir.alerts.services.metric_rules import observation
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.row_evaluation import ResultRules
from weir.alerts.services.rule_check import result_of_job
from weir.alerts.services.rule_costs import RuleCosts
from weir.alerts.services.rule_document import MetricWatch, RuleDocument
from weir.lag.services.history import JOB_POINTS
from weir.lag.services.history_tables import FINEST_S
from weir.results.services.queries import read_snapshot
from weir.runs.models import Job
from weir.runs.services import planning
from weir.runs.services.queries import jobs_of
from weir.workspaces.models import Workspace

MAX_ROWS: Final = 5_000
MAX_CHARACTERS: Final = 8 * 1024 * 1024  # of rows: one may have a megabyte
MAX_POINTS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Preview:
    """What would have happened.

    Attributes:
        fired: how often the rule would have fired; None: no history tells.
        groups: how many of these alerts would still be open.
        looked_at: rows or points that were looked at.
        since: the earliest of them; None: there is none.
        note: why nothing is known, or what was left out; empty otherwise.
    """

    fired: int | None
    groups: int = 0
    looked_at: int = 0
    since: datetime | None = None
    note: str = ""


def preview(workspace: Workspace, document: RuleDocument) -> Preview:
    """Play a checked rule over what is stored, in order of arrival, with its hold in that time."""
    rule = LoadedRule.of("preview", workspace.pk, "preview", document)
    if isinstance(document.watch, MetricWatch):
        return _over_points(workspace, rule, document.watch)
    job = jobs_of(workspace).get(pk=document.watch.job)
    if job.generation is None:
        return Preview(None, note="The job has never run.")
    return _over_rows(rule, job, job.generation)


def _over_rows(rule: LoadedRule, job: Job, generation: int) -> Preview:
    """Over the newest rows. One budget for all of them: that of checking a document."""
    stored = read_snapshot(job.pk, generation, MAX_ROWS, max_characters=MAX_CHARACTERS)
    listed = stored.rows[::-1]
    costs = RuleCosts(planning.CHECK_TIMEOUT_S, interval_s=float("inf"))
    rules = ResultRules(job.pk, generation, job.name, result_of_job(job), [rule], costs)
    counter = _Counter()
    looked_at = 0
    for row in listed:
        if not rules.rules:
            break
        counter.at(rule, row.newest_input_us)
        looked_at += rules.evaluate([row], counter.book, row.newest_input_us)
    if listed and looked_at == len(listed):
        counter.at(rule, listed[-1].newest_input_us)
    since = datetime_of(nearest_instant(listed[0].newest_input_us)) if listed else None
    note = "No rows are stored." if not listed else ""
    if listed and (problem := rules.problems[rule.id]):
        note = f"{problem} {looked_at:,} of {len(listed):,} rows were looked at."
    elif not stored.ended:
        note = f"The newest {len(listed):,} rows were looked at."
    return counter.preview(rule, looked_at, since, note)


def _over_points(workspace: Workspace, rule: LoadedRule, watch: MetricWatch) -> Preview:
    measure = BY_NAME[watch.metric].history
    if not measure:
        return Preview(None, note="No history of this metric is kept.")
    column = f"{measure}_max" if watch.above is not None else f"{measure}_min"
    jobs = jobs_of(workspace) if watch.job is None else jobs_of(workspace).filter(pk=watch.job)
    points = JOB_POINTS.rows.filter(job_id__in=list(jobs.values_list("pk", flat=True)), resolution_s=FINEST_S)
    listed = list(points.order_by("-at_us").values_list("job_id", "at_us", column)[:MAX_POINTS])[::-1]
    counter = _Counter()
    for job_id, at_us, value in listed:
        if value is not None:
            counter.at(rule, at_us)
            counter.book.observe(rule, {"job": job_id}, "", observation(watch, float(value)), at_us, job_id)
    since = datetime_of(Instant(listed[0][1])) if listed else None
    return counter.preview(rule, len(listed), since, "" if listed else "No history is stored.")


class _Counter:
    """A book in memory that counts what fires."""

    def __init__(self) -> None:
        self.book = Book()
        self._fired = 0

    def at(self, rule: LoadedRule, now_us: int) -> None:
        """Let time pass."""
        if rule.metric is None:
            self.book.elapse(rule, now_us)
        self._count(self.book.changed)

    def _count(self, changed: Mapping[str, Any]) -> None:
        self._fired += sum(alert.path.count(FIRING) for alert in changed.values())
        self.book.stored()

    def preview(self, rule: LoadedRule, looked_at: int, since: datetime | None, note: str) -> Preview:
        """What was counted."""
        self._count(self.book.changed)
        still: Iterable[Any] = self.book.of(rule.id).values()
        return Preview(self._fired, sum(one.state == FIRING for one in still), looked_at, since, note)
