"""What happened around a job or a consumer group, as marks on its charts: versions that began to run, starts,
restarts and stops, alerts, and offsets that were moved. Reads only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, Literal

from django.db.models import Q, QuerySet

from jobs.base.instants import Instant, datetime_of
from weir.alerts.models import Alert
from weir.consumer_groups.services.visible_groups import VisibleGroup
from weir.lag.services.history_reading import HistoryRange
from weir.runs.models import Execution, Job, Observed
from weir.workspaces.models import Action, Event, Workspace

MAX_MARKS: Final = 200  # of each kind of source: the newest
MarkKind = Literal["deployment", "start", "restart", "stop", "alert", "offsets"]
KINDS: Final[tuple[MarkKind, ...]] = ("deployment", "start", "restart", "stop", "alert", "offsets")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened.

    Attributes:
        kind: what kind of thing.
        at: when it began.
        until: when it was over; None: it was over at once, or has not ended.
        title: in words.
        alert: id of the alert that it is; empty for other marks.
        severity: of the alert; empty for other marks.
        open: an alert that has not ended.
    """

    kind: MarkKind
    at: datetime
    title: str
    until: datetime | None = None
    alert: str = ""
    severity: str = ""
    open: bool = False


def job_marks(job: Job, asked: HistoryRange) -> list[Mark]:
    """The marks of a job in a range, oldest first.

    Args:
        job: the job.
        asked: the range.
    """
    alerts = Alert.objects.filter(workspace=job.workspace_id, job=job)
    return _ordered([*_of_executions(job, asked), *_of_alerts(alerts, asked)])


def group_marks(workspace: Workspace, seen: VisibleGroup, asked: HistoryRange) -> list[Mark]:
    """The marks of a consumer group in a range, oldest first; of a mirror, those of its job too.

    Args:
        workspace: whose alerts and whose moves are shown.
        seen: the group.
        asked: the range.
    """
    begin, end = _bounds(asked)
    moves = Event.objects.filter(
        workspace=workspace,
        kind=Event.Kind.CONSUMER_GROUP,
        subject=seen.group.name[:80],
        cluster=seen.cluster.pk,  # another one may have a group of this name
        action=Action.CHANGED,
        at__gte=begin,
        at__lt=end,
    )
    alerts = Alert.objects.filter(
        workspace=workspace, group__group=seen.group.name, group__cluster=seen.cluster.pk
    )
    found = [
        *(Mark("offsets", event.at, event.text) for event in moves.order_by("-at")[:MAX_MARKS]),
        *_of_alerts(alerts, asked),
    ]
    job = Job.objects.filter(workspace=workspace, pk=seen.job_id).first() if seen.job_id else None
    return _ordered([*found, *(job_marks(job, asked) if job else [])])


def _ordered(marks: Iterable[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: mark.at)


def _bounds(asked: HistoryRange) -> tuple[datetime, datetime]:
    return datetime_of(Instant(asked.from_us)), datetime_of(Instant(asked.until_us))


def _of_alerts(alerts: QuerySet[Alert], asked: HistoryRange) -> list[Mark]:
    """Alerts that fired at any time of the range."""
    begin, end = _bounds(asked)
    rows = alerts.filter(Q(resolved_at=None) | Q(resolved_at__gte=begin), fired_at__lt=end)
    return [
        Mark(
            "alert",
            alert.fired_at or alert.since,
            f"{alert.rule.name}: {alert.title}",
            until=alert.resolved_at,
            alert=alert.pk,
            severity=alert.severity,
            open=alert.resolved_at is None,
        )
        for alert in rows.select_related("rule").order_by("-fired_at")[:MAX_MARKS]
    ]


def _of_executions(job: Job, asked: HistoryRange) -> list[Mark]:
    begin, end = _bounds(asked)
    rows = Execution.objects.filter(run__generation__job=job)
    inside = list(rows.filter(started_at__gte=begin, started_at__lt=end).order_by("-started_at")[:MAX_MARKS])
    first = inside[-1].started_at if inside else begin
    before = rows.filter(started_at__lt=first).order_by("-started_at").first()
    listed = [before, *reversed(inside)]
    marks = [_began(now, earlier) for earlier, now in pairwise(listed) if now is not None]
    ended = rows.filter(ended_at__gte=begin, ended_at__lt=end, state=Observed.STOPPED, end_reason="Stopped.")
    stops = ended.order_by("-ended_at").values_list("ended_at", flat=True)[:MAX_MARKS]
    return [*marks, *(Mark("stop", at, "Stopped") for at in stops if at is not None)]


def _began(now: Execution, earlier: Execution | None) -> Mark:
    """What the beginning of an execution is, by the one before it."""
    if earlier is None or earlier.version != now.version:
        return Mark("deployment", now.started_at, f"Version {now.version} started")
    if earlier.run_id == now.run_id and earlier.end_reason != "Stopped.":
        return Mark("restart", now.started_at, earlier.end_reason or "Restarted.")
    return Mark("start", now.started_at, f"Started, version {now.version}")
