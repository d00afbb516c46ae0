"""The outbox: which channels are told of a change, and which of these notifications are due.

A change is told once to each channel. What a silence or a maintenance window holds back is owed: it is told
at the end, if the alert still fires then.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import CharField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.utils import timezone

from weir.alerts.models import Alert, AlertRule, Channel, Notification, Severity, Silence
from weir.alerts.services.book import LoadedRule
from weir.alerts.services.rule_document import UNREADABLE, RuleDocument, find_document
from weir.outgoing.retries import GIVE_UP_AFTER, wait_seconds
from weir.retention import ALERT_RETENTION

SEND_TIMEOUT: Final = timedelta(seconds=60)  # a worker that took a notification is believed dead after it
EMAIL_TIMEOUT: Final = timedelta(minutes=6)  # likewise: an SMTP server may take its time for each recipient
MAX_BATCH: Final = 50
_MAX_ERROR: Final = 1_000
WAIT_FOR_END: Final = timedelta(hours=1)  # a deleted job's row, for a channel that does not learn of the end
MAX_OWED: Final = 500  # changes that are told at once; the next look tells more


@dataclass(frozen=True, slots=True)
class Told:
    """A change of an alert that people should learn of."""

    alert_id: str
    rule: LoadedRule
    change: Notification.Change


def notifications_for(told: Sequence[Told]) -> list[Notification]:
    """The notifications of these changes, not saved yet; the alerts note what they have told.

    Nothing is told of the end of an alert whose beginning was not told. Call it in the transaction that
    stores the changes.
    """
    if not told:
        return []
    alerts = Alert.objects.in_bulk({one.alert_id for one in told})
    before = {key: alert.told for key, alert in alerts.items()}
    silences = active_silences({one.rule.workspace_id for one in told})
    channels = _channels({one.rule.workspace_id for one in told})
    began = _told_of_beginning({one.alert_id for one in told if one.change != Notification.Change.FIRED})
    found: list[Notification] = []
    for one in told:
        alert = alerts[one.alert_id]
        # Who knows that it fires learns that somebody looks after it, or they would send for others.
        is_held = one.change != Notification.Change.ACKNOWLEDGED and is_silenced(alert, silences)
        if is_held or not _is_news(alert, one.change):
            continue
        if one.change in (Notification.Change.FIRED, Notification.Change.RESOLVED):
            alert.told = Alert.Told.FIRING if one.change == Notification.Change.FIRED else Alert.Told.RESOLVED
        taking = told_channels(channels[alert.workspace_id], one.rule.document)
        if one.change == Notification.Change.FIRED:
            began[alert.pk] = {channel.pk for channel in taking}
        else:
            # Whatever the rule says by now: a receiver that never learns of the end shows the alert for ever.
            knowing = began[alert.pk]
            taking = [each for each in channels[alert.workspace_id] if each.enabled and each.pk in knowing]
        told_now = [one.change]
        if one.change == Notification.Change.FIRED and alert.acknowledged_at is not None:
            told_now.append(Notification.Change.ACKNOWLEDGED)  # while a silence held back that it fires
        found += [
            Notification(workspace_id=alert.workspace_id, channel=channel, alert=alert, change=change)
            for change in told_now
            for channel in taking
        ]
    changed = [alert for alert in alerts.values() if alert.told != before[alert.pk]]
    Alert.objects.bulk_update(changed, ["told"], batch_size=200)
    return found


def _told_of_beginning(alert_ids: Collection[str]) -> defaultdict[str, set[str]]:
    """Ids of the channels that were told that these fired; that is kept until they are told of the end."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    if alert_ids:
        fired = Notification.objects.filter(alert__in=alert_ids, change=Notification.Change.FIRED)
        for alert_id, channel_id in fired.values_list("alert_id", "channel_id"):
            found[alert_id].add(channel_id)
    return found


def tell_owed() -> int:
    """Tell what silences held back and is still so; returns how many notifications were written."""
    with transaction.atomic():
        owed = _owed(timezone.now()).select_related("rule")[:MAX_OWED]
        told = [
            Told(
                alert.pk,
                rule,
                Notification.Change.FIRED
                if alert.state == Alert.State.FIRING
                else Notification.Change.RESOLVED,
            )
            for alert in owed
            if (rule := find_loaded(alert.rule)) is not None
        ]
        found = notifications_for(told)
        Notification.objects.bulk_create(found)
    return len(found)


def _owed(now: datetime):  # type: ignore[no-untyped-def]  # a query set
    """Alerts whose change was not told, the oldest first; not what is held back now, however much that is."""
    held = Silence.objects.filter(
        Q(alert=None) | Q(alert=OuterRef("pk")),
        Q(rule=None) | Q(rule=OuterRef("rule")),
        Q(job=None) | Q(job=OuterRef("job")),
        workspace=OuterRef("workspace"),
        starts_at__lte=now,
        ends_at__gt=now,
    )
    changed = Q(state=Alert.State.FIRING, told=Alert.Told.NOTHING) | Q(
        state=Alert.State.RESOLVED, told=Alert.Told.FIRING, resolved_at__gt=now - ALERT_RETENTION
    )
    unreadable = Q(rule__problem=UNREADABLE)
    return Alert.objects.filter(changed, ~Exists(held)).exclude(unreadable).order_by("since", "pk")


def is_end_owed(alerts: QuerySet[Alert]) -> bool:
    """Whether a channel that is on was told that one of these fires, and is still to be told of its end.
    Alerts of a rule that can't be read don't end.
    """
    change = Notification.Change
    told = Notification.objects.filter(alert__in=alerts, channel__enabled=True)
    fires = Q(change=change.FIRED, alert__told=Alert.Told.FIRING)
    owed = told.filter(fires | Q(change=change.RESOLVED, state__in=UNSENT))
    return bool(owed.exclude(alert__rule__problem=UNREADABLE).exists())


def is_end_of_job_owed(job_id: str) -> bool:
    """Whether alerts that would go with a job's row have an end that is still to be told. What could not be
    told within `WAIT_FOR_END` of the end is not waited for.
    """
    recent = Q(resolved_at=None) | Q(resolved_at__gt=timezone.now() - WAIT_FOR_END)
    return is_end_owed(Alert.objects.filter(recent, Q(job=job_id) | Q(rule__job=job_id)))


def find_loaded(rule: AlertRule) -> LoadedRule | None:
    """A stored rule; None: it can't be read, as when an older version of Weir has saved it."""
    document = find_document(rule.document)
    if document is None:
        return None
    return LoadedRule.of(rule.pk, rule.workspace_id, rule.name, document, rule.problem, rule.revision)


def told_channels(channels: Sequence[Channel], document: RuleDocument) -> list[Channel]:
    """The channels that are told of the alerts of a rule: those that it names or, where it names none or all
    of them were deleted, those that take its severity.

    Args:
        channels: of the workspace, also those that are turned off.
        document: of the rule.
    """
    named = [channel for channel in channels if channel.pk in document.channels]
    rank = Severity(document.severity).rank
    taking = named or [one for one in channels if rank >= Severity(one.least_severity).rank]
    return [channel for channel in taking if channel.enabled]


def active_silences(workspace_ids: Iterable[int], now: datetime | None = None) -> list[Silence]:
    """The silences and maintenance windows that hold now."""
    at = now or timezone.now()
    rows = Silence.objects.filter(workspace__in=list(workspace_ids), starts_at__lte=at, ends_at__gt=at)
    return list(rows)


def is_silenced(alert: Alert, silences: Iterable[Silence]) -> bool:
    """Whether nothing is told of an alert now."""
    return any(_covers(silence, alert) for silence in silences)


def _covers(silence: Silence, alert: Alert) -> bool:
    if silence.workspace_id != alert.workspace_id:
        return False
    return all(
        wanted is None or wanted == has
        for wanted, has in (
            (silence.alert_id, alert.pk),
            (silence.rule_id, alert.rule_id),
            (silence.job_id, alert.job_id),
        )
    )


def _is_news(alert: Alert, change: str) -> bool:
    if change == Notification.Change.FIRED:
        return alert.told == Alert.Told.NOTHING
    return alert.told == Alert.Told.FIRING


def _channels(workspace_ids: Iterable[int]) -> dict[int, list[Channel]]:
    found: defaultdict[int, list[Channel]] = defaultdict(list)
    for channel in Channel.objects.filter(workspace__in=list(workspace_ids)):
        found[channel.workspace_id].append(channel)
    return found


def due_channels(now: datetime | None = None) -> list[str]:
    """Ids of channels with notifications that are due."""
    rows = _due(now or timezone.now())
    return list(rows.order_by().values_list("channel_id", flat=True).distinct())


UNSENT: Final = (Notification.State.WAITING, Notification.State.SENDING)


def _due(now: datetime):  # type: ignore[no-untyped-def]  # a query set
    """Those that may be sent, but for changes of an alert of which the channel was not told an earlier one
    yet: a receiver that learned of the end before the beginning would show the alert for ever. Recipients of
    an e-mail that refuse one keep none from those who got it.

    An alert fires, is acknowledged and resolved once each, in this order, whatever the clocks of the hosts
    say that noted it.
    """
    change = Notification.Change
    unsent = Notification.objects.filter(
        channel=OuterRef("channel"), alert=OuterRef("alert"), state__in=UNSENT, refused={}
    ).annotate(of=ExpressionWrapper(OuterRef("change"), output_field=CharField()))
    earlier = unsent.filter(
        Q(change=change.FIRED, of__in=(change.ACKNOWLEDGED, change.RESOLVED))
        | Q(change=change.ACKNOWLEDGED, of=change.RESOLVED)
    )
    return Notification.objects.filter(~Exists(earlier), state__in=UNSENT, due_at__lte=now)


def give_up(channel: Channel) -> None:
    """Send nothing any more of what waits for a channel that was turned off, but test messages."""
    Notification.objects.filter(channel=channel, alert__isnull=False, state__in=UNSENT).update(
        state=Notification.State.FAILED, error="The channel was turned off."
    )


def take(channel: Channel, most: int) -> list[Notification]:
    """Take notifications of a channel: those of one rule, change, severity, person who acknowledged, and
    `refused`, the oldest first.

    Two workers never take the same: each is taken by compare-and-set. One whose worker never came back is due
    again after `SEND_TIMEOUT`, or `EMAIL_TIMEOUT`, with the same id, so that a receiver can tell that it
    knows it.
    """
    now = timezone.now()
    rows = _due(now).filter(channel=channel).select_related("alert__rule", "alert__job", "workspace")
    listed = list(rows.order_by("created_at", "id")[: 4 * MAX_BATCH])
    if not listed:
        return []
    first = listed[0]
    alike = [one for one in listed if _kin(one) == _kin(first)][:most]
    timeout = EMAIL_TIMEOUT if channel.kind == Channel.Kind.EMAIL else SEND_TIMEOUT
    return [one for one in alike if _claim(one, now, timeout)]


def _kin(one: Notification) -> tuple[str, str, str, str, list[tuple[str, int]]]:
    alert = one.alert
    about, severity = (one.pk, "") if alert is None else (alert.rule_id, alert.severity)
    is_acknowledged = alert is not None and one.change == Notification.Change.ACKNOWLEDGED
    by = alert.acknowledged_by if alert is not None and is_acknowledged else ""
    return (about, one.change, severity, by, sorted(one.refused.items()))


def _claim(one: Notification, now: datetime, timeout: timedelta) -> bool:
    taken = Notification.objects.filter(pk=one.pk, state=one.state, due_at=one.due_at).update(
        state=Notification.State.SENDING, due_at=now + timeout, attempts=one.attempts + 1
    )
    one.attempts += 1
    return bool(taken)


def sent(taken: Sequence[Notification]) -> None:
    """They arrived."""
    Notification.objects.filter(pk__in=[one.pk for one in taken]).update(
        state=Notification.State.SENT, sent_at=timezone.now(), error="", refused={}
    )


def note_refused(taken: Sequence[Notification], refused: Mapping[str, int]) -> None:
    """Note the recipients of an e-mail that did not get it when others did, with the SMTP server's answers:
    it is never sent to those others again.
    """
    Notification.objects.filter(pk__in=[one.pk for one in taken]).update(refused=refused)


def not_sent(
    taken: Sequence[Notification], error: str, *, permanent: bool, retry_after_s: int | None = None
) -> int | None:
    """They did not arrive: each is given up by its own age.

    Args:
        taken: that were sent together.
        error: why they did not arrive, for people.
        permanent: trying again can't help.
        retry_after_s: for how many seconds the receiver asked to wait; None: it did not.

    Returns:
        After how many seconds to try again; None: never.
    """
    now = timezone.now()
    left = [one for one in taken if not permanent and one.created_at >= now - GIVE_UP_AFTER]
    wait_s = wait_seconds(min(one.attempts for one in left), retry_after_s) if left else None
    waiting = {one.pk for one in left}
    _note_error([one.pk for one in taken if one.pk not in waiting], Notification.State.FAILED, now, error)
    due_at = now + timedelta(seconds=wait_s or 0)
    _note_error(waiting, Notification.State.WAITING, due_at, error)
    return wait_s


def _note_error(ids: Collection[str], state: Notification.State, due_at: datetime, error: str) -> None:
    # Those of a channel that was turned off meanwhile are given up already.
    still = Notification.objects.filter(pk__in=ids, state=Notification.State.SENDING)
    still.update(state=state, due_at=due_at, error=error[:_MAX_ERROR])
