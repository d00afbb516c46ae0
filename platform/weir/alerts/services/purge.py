"""Deletes what is kept long enough (`weir.retention`), for a bounded time at a time."""

from datetime import timedelta
from typing import Any, Final

from django.db.models import Max, QuerySet
from django.utils import timezone

from weir.alerts.models import Alert, Notification, Objective, ObjectiveSlice, Silence
from weir.retention import ALERT_RETENTION, MAX_ALERTS, MAX_NOTIFICATIONS, NOTIFICATION_RETENTION
from weir.row_deletion import delete_in_slices
from weir.workspaces.models import Workspace

_MAX_S: Final = 20.0  # of each kind and workspace; the next purge goes on


def purge() -> None:
    """Delete resolved alerts, delivered notifications, past silences and slices out of every window."""
    now = timezone.now()
    resolved = Alert.objects.filter(state=Alert.State.RESOLVED)
    _delete(resolved.filter(resolved_at__lt=now - ALERT_RETENTION))
    ended = Notification.objects.filter(
        state__in=(Notification.State.SENT, Notification.State.FAILED)
    ).exclude(change=Notification.Change.FIRED, alert__told=Alert.Told.FIRING)  # these learn of the end
    _delete(ended.filter(created_at__lt=now - NOTIFICATION_RETENTION))
    for workspace in Workspace.objects.all():
        _delete(ended.filter(workspace=workspace).order_by("-created_at")[MAX_NOTIFICATIONS:])
        # Channels are still to learn of the end of those that were told to fire.
        told = resolved.filter(workspace=workspace).exclude(told=Alert.Told.FIRING)
        _delete(told.order_by("-since")[MAX_ALERTS:])
    _delete(Silence.objects.filter(ends_at__lt=now - ALERT_RETENTION))
    longest = Objective.objects.aggregate(Max("window_days"))["window_days__max"]
    if longest is not None:
        _delete(ObjectiveSlice.objects.filter(began_at__lt=now - timedelta(days=longest + 1)))


def _delete(rows: QuerySet[Any]) -> None:
    delete_in_slices(rows, _MAX_S)
