"""Alerts, rules, channels, silences and objectives of a workspace; reads only."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from weir.alerts.models import Alert, AlertRule, Channel, Notification, Objective, Silence
from weir.alerts.services.outbox import active_silences, is_silenced
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import Workspace

PAGE: Final = 100
OPEN: Final = (Alert.State.PENDING, Alert.State.FIRING)


def alerts_of(workspace: Workspace) -> QuerySet[Alert]:
    """The alerts of this workspace, the newest first."""
    rows: QuerySet[Alert] = Alert.objects.filter(workspace=workspace).select_related("rule", "job")
    return rows


def open_counts(workspace_id: int) -> dict[str, int]:
    """How many alerts are pending and how many fire, by state; a state that none has is left out."""
    rows = Alert.objects.filter(workspace=workspace_id, state__in=OPEN).order_by()
    return dict(rows.values_list("state").annotate(Count("pk")))


def newest_firing(workspace_id: int, most: int) -> list[Alert]:
    """The newest alerts that fire, each with `silenced`."""
    rows = Alert.objects.filter(workspace=workspace_id, state=Alert.State.FIRING)
    return with_silences(workspace_id, rows[:most])


def with_silences(workspace_id: int, alerts: Iterable[Alert]) -> list[Alert]:
    """The alerts, each with `silenced`."""
    listed = list(alerts)
    silences = active_silences([workspace_id])
    for alert in listed:
        alert.silenced = alert.state in OPEN and is_silenced(alert, silences)
    return listed


def rules_of(workspace: Workspace) -> QuerySet[AlertRule]:
    """The rules of this workspace by name, with the number of their alerts that fire."""
    firing = Count("alerts", filter=Q(alerts__state=Alert.State.FIRING))
    rows: QuerySet[AlertRule] = AlertRule.objects.filter(workspace=workspace)
    return rows.select_related("changed_by", "job", "workspace").annotate(firing=firing).order_by("name")


def channels_of(workspace: Workspace) -> QuerySet[Channel]:
    """The channels of this workspace by name."""
    rows: QuerySet[Channel] = Channel.objects.filter(workspace=workspace).select_related("workspace")
    return rows


def silences_of(workspace: Workspace) -> QuerySet[Silence]:
    """Silences and maintenance windows that have not ended."""
    rows: QuerySet[Silence] = Silence.objects.filter(workspace=workspace, ends_at__gt=timezone.now())
    return rows.select_related("rule", "job", "alert", "workspace")


def objectives_of(workspace: Workspace) -> QuerySet[Objective]:
    """The objectives of this workspace by job."""
    rows: QuerySet[Objective] = Objective.objects.filter(workspace=workspace)
    return rows.select_related("job", "workspace")


def notifications_of(workspace: Workspace) -> QuerySet[Notification]:
    """The delivery log, the newest first."""
    rows: QuerySet[Notification] = Notification.objects.filter(workspace=workspace)
    return rows.select_related("channel", "alert__rule")


def found(rows: QuerySet[Any], what: str, **wanted: Any) -> Any:
    """The only one of these rows that is wanted.

    Raises:
        NotFoundError: there is none.
    """
    one = rows.filter(**wanted).first()
    if one is None:
        raise NotFoundError("NOT_FOUND", f"{what} not found, or you don't have access.")
    return one


def page_before(
    rows: QuerySet[Any], column: str, before: datetime | None
) -> tuple[list[Any], datetime | None]:
    """A page of rows by an instant, the newest first, and where the next begins; None: it is the last.

    Rows of the same instant, as of all alerts that began with one look, come on one page: the next one could
    not tell which of them it has to begin with.
    """
    narrowed = rows if before is None else rows.filter(**{f"{column}__lt": before})
    ordered = narrowed.order_by(f"-{column}", "id")
    listed = list(ordered[: PAGE + 1])
    if len(listed) <= PAGE:
        return listed, None
    last = getattr(listed[PAGE - 1], column)
    if getattr(listed[PAGE], column) != last:
        return listed[:PAGE], last
    whole = list(ordered.filter(**{f"{column}__gte": last}))
    return whole, last if narrowed.filter(**{f"{column}__lt": last}).exists() else None
