"""Deletes what is kept long enough (`weir.retention`), a bounded number at a time."""

from datetime import timedelta
from typing import Final

from django.db.models import Max, QuerySet
from django.utils import timezone

from weir.alerts.models import Alert, Notification, Objective, ObjectiveSlice, Silence
from weir.retention import ALERT_RETENTION, MAX_NOTIFICATIONS, NOTIFICATION_RETENTION
from weir.workspaces.models import Workspace

_BATCH: Final = 5_000


def purge() -> None:
    """Delete resolved alerts, delivered notifications, past silences and slices out of every window."""
    now = timezone.now()
    old_alerts = Alert.objects.filter(state=Alert.State.RESOLVED, resolved_at__lt=now - ALERT_RETENTION)
    _delete(old_alerts)
    ended = Notification.objects.filter(state__in=(Notification.State.SENT, Notification.State.FAILED))
    _delete(ended.filter(created_at__lt=now - NOTIFICATION_RETENTION))
    for workspace in Workspace.objects.all():
        surplus = ended.filter(workspace=workspace).order_by("-created_at")
        _delete(surplus[MAX_NOTIFICATIONS : MAX_NOTIFICATIONS + _BATCH])
    _delete(Silence.objects.filter(ends_at__lt=now - ALERT_RETENTION))
    longest = Objective.objects.aggregate(Max("window_days"))["window_days__max"]
    if longest is not None:
        _delete(ObjectiveSlice.objects.filter(began_at__lt=now - timedelta(days=longest + 1)))


def _delete(rows: QuerySet) -> None:  # type: ignore[type-arg]
    keys = list(rows.values_list("pk", flat=True)[:_BATCH])
    for at in range(0, len(keys), 400):
        rows.model._default_manager.filter(pk__in=keys[at : at + 400]).delete()
