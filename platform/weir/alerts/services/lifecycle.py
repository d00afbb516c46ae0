"""What people do with alerts: acknowledge them, silence them, plan maintenance, look at them."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from weir.alerts.models import Alert, AlertRule, AlertsSeen, Notification, Silence
from weir.alerts.services.outbox import Told, find_loaded, notifications_for
from weir.runs.models import Job
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room

MAX_SILENCE: Final = timedelta(days=90)


def acknowledge(alert: Alert, actor: User) -> Alert:
    """Say that somebody looks after an alert. Channels are told once; doing it again is no error.

    Raises:
        ConflictError: NOT_FIRING, the alert is over or has not fired yet.
    """
    with transaction.atomic():
        now = timezone.now()
        # Compare-and-set: of two people one acknowledges, and channels are told of one.
        done = Alert.objects.filter(pk=alert.pk, state=Alert.State.FIRING, acknowledged_at=None).update(
            acknowledged_at=now, acknowledged_by=actor.username, changed_at=now
        )
        alert.refresh_from_db()
        if not done:
            if alert.acknowledged_at is not None:
                return alert
            raise ConflictError("NOT_FIRING", "Only an alert that fires can be acknowledged.")
        rule = find_loaded(alert.rule)
        told = [] if rule is None else [Told(alert.pk, rule, Notification.Change.ACKNOWLEDGED)]
        Notification.objects.bulk_create(notifications_for(told))
        _record(
            alert.workspace, actor, Action.ACKNOWLEDGED, f"Alert {alert.title[:200]} acknowledged", alert.pk
        )
    return alert


def create_silence(
    workspace: Workspace,
    actor: User,
    *,
    starts_at: datetime,
    ends_at: datetime,
    note: str = "",
    rule: AlertRule | None = None,
    job: Job | None = None,
    alert: Alert | None = None,
) -> Silence:
    """A time without notifications; with neither rule, job nor alert for the whole workspace.

    Raises:
        ServiceError: SILENCE_INVALID, it has no length, is over already, or is longer than 90 days;
        QUOTA_REACHED.
    """
    now = timezone.now()
    if ends_at <= max(starts_at, now):
        raise ServiceError("SILENCE_INVALID", "The end must be in the future and after the beginning.")
    if ends_at - starts_at > MAX_SILENCE:
        raise ServiceError("SILENCE_INVALID", f"A silence lasts {MAX_SILENCE.days} days at most.")
    require_room("silences", Silence.objects.filter(workspace=workspace, ends_at__gt=now).count())
    with transaction.atomic():
        made: Silence = Silence.objects.create(
            workspace=workspace,
            rule=rule,
            job=job,
            alert=alert,
            starts_at=starts_at,
            ends_at=ends_at,
            note=note.strip(),
            created_by=actor.username,
        )
        _touch(made)
        text = f"Silence from {_text(starts_at)} to {_text(ends_at)} created for {_about(made)}"
        _record(workspace, actor, Action.CREATED, text, made.pk)
    return made


def end_silence(silence: Silence, actor: User) -> None:
    """End a silence now; what still fires is told. One that is over stays as it is."""
    now = timezone.now()
    with transaction.atomic():
        if not Silence.objects.filter(pk=silence.pk, ends_at__gt=now).update(ends_at=now):
            return
        _touch(silence)
        _record(silence.workspace, actor, Action.DELETED, f"Silence for {_about(silence)} ended", silence.pk)


def mark_seen(workspace: Workspace, user: User, until: datetime | None = None) -> datetime:
    """The person has looked at the alerts that fired until then; what was seen before stays seen.

    Args:
        workspace: theirs.
        user: the person.
        until: when the newest of them fired: another may fire before it is told; None: now.
    """
    now = timezone.now()
    moment, known = min(until or now, now), seen_at(workspace, user)
    if known is not None and known >= moment:
        return known
    AlertsSeen.objects.update_or_create(workspace=workspace, user=user, defaults={"seen_at": moment})
    return moment


def seen_at(workspace: Workspace, user: User) -> datetime | None:
    """When the person last looked; None: never."""
    rows = AlertsSeen.objects.filter(workspace=workspace, user=user)
    return rows.values_list("seen_at", flat=True).first()


def _touch(silence: Silence) -> None:
    """Browsers are told of alerts that have changed; being silenced is a change."""
    alerts = Alert.objects.filter(workspace=silence.workspace_id, state=Alert.State.FIRING)
    alerts.update(changed_at=timezone.now())


def _about(silence: Silence) -> str:
    if silence.alert is not None:
        return f"alert {silence.alert.title[:200]}"
    if silence.rule is not None:
        return f"rule {silence.rule.name}"
    return f"job {silence.job.name}" if silence.job is not None else "the workspace"


def _text(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")


def _record(workspace: Workspace, actor: User, action: Action, text: str, subject: str) -> None:
    record_event(workspace, Event.Kind.ALERT, text, action=action, actor=actor.username, subject=subject)
