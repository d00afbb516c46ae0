"""Stores what the evaluator has found: alerts, the notifications that they cause, and how far rows were
evaluated, in one transaction. Killed anywhere, it goes on from there: nothing is lost, nothing is told twice.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from jobs.base.instants import Instant, datetime_of, instant_of
from jobs.base.set_back_clock import latest_us
from weir.alerts.models import Alert, AlertRule, EvaluatedOffset, Evaluator, Notification
from weir.alerts.services.alert_states import DROPPED, FIRING, RESOLVED, OpenAlert
from weir.alerts.services.book import MAX_TITLE, LoadedRule
from weir.alerts.services.outbox import Told, notifications_for

LEASE: Final = timedelta(seconds=10)
_MAX_ORDER: Final = 100  # characters

Offsets = Mapping[tuple[str, int, int], tuple[int, int]]
"""(job id, generation, partition) → (id of the stored topic, next offset)."""


class LostLeaseError(Exception):
    """Another relay evaluates now; nothing was stored."""


class StaleAlertError(Exception):
    """An alert is not as this process knows it; nothing was stored. Load all of them again."""


def hold_lease(holder: str) -> int | None:
    """Take or extend the right to evaluate.

    Returns:
        For how many µs nobody may have evaluated; None while another relay has the right.
    """
    before, _ = Evaluator.objects.get_or_create(pk=1)
    now = timezone.now()
    # One that lasts longer than any may is of a clock that was set back since.
    longest = datetime_of(Instant(latest_us())) + LEASE
    free = Q(holder=holder) | Q(until__lte=now) | Q(until__gt=longest)
    if not Evaluator.objects.filter(free, pk=1).update(holder=holder, until=now + LEASE):
        return None
    heard = before.until - LEASE if before.holder else before.until
    return max(0, instant_of(now) - instant_of(heard))


def release_lease(holder: str) -> None:
    """Let another relay evaluate at once."""
    Evaluator.objects.filter(pk=1, holder=holder).update(holder="", until=timezone.now())


def open_alerts() -> list[OpenAlert]:
    """All alerts that are pending or firing."""
    return [_loaded(row) for row in Alert.objects.filter(state__in=(Alert.State.PENDING, Alert.State.FIRING))]


def evaluated_offsets() -> dict[tuple[str, int, int], tuple[int, int]]:
    """How far rows have been evaluated."""
    rows = EvaluatedOffset.objects.values_list("job_id", "generation", "partition", "topic_pk", "next_offset")
    return {
        (job, generation, partition): (topic, offset) for job, generation, partition, topic, offset in rows
    }


def write(
    holder: str,
    rules: Mapping[str, LoadedRule],
    changed: Collection[OpenAlert],
    offsets: Offsets,
    moved: Collection[OpenAlert] = (),
) -> int:
    """Store changes and offsets.

    Args:
        holder: this process, which has the lease.
        rules: by id; alerts of a rule that is gone are left out.
        changed: alerts of `Book.changed`, in order.
        moved: other alerts, of which only when they were last met is stored.
        offsets: those that moved.

    Returns:
        How many notifications were written.

    Raises:
        LostLeaseError: the lease ran out and another relay has it.
        StaleAlertError: an alert was changed or deleted by somebody else.
    """
    now = timezone.now()
    with transaction.atomic():
        if not Evaluator.objects.filter(pk=1, holder=holder, until__gt=now).update(until=now + LEASE):
            raise LostLeaseError
        alive = set(
            AlertRule.objects.filter(pk__in={a.rule_id for a in changed}).values_list("pk", flat=True)
        )
        written = [alert for alert in changed if alert.rule_id in alive]
        _write_alerts(rules, written)
        _write_last_rows(moved)
        told = [
            Told(alert.id, rules[alert.rule_id], change) for alert in written for change in _changes(alert)
        ]
        notifications = notifications_for(told)
        Notification.objects.bulk_create(notifications)
        _write_offsets(offsets)
    return len(notifications)


def _changes(alert: OpenAlert) -> Iterable[Notification.Change]:
    if FIRING in alert.path:
        yield Notification.Change.FIRED
    if RESOLVED in alert.path:
        yield Notification.Change.RESOLVED


def _write_alerts(rules: Mapping[str, LoadedRule], changed: list[OpenAlert]) -> None:
    for alert in changed:
        if not alert.stored_state:
            continue
        # Compare-and-set, as two processes may believe that they evaluate.
        row = Alert.objects.filter(pk=alert.id, state=alert.stored_state)
        done = row.delete()[0] if alert.state == DROPPED else row.update(**_columns(alert))
        if not done:
            raise StaleAlertError
    # Last: one may be of a group whose alert has just ended, and a group has one open alert.
    new = [alert for alert in changed if not alert.stored_state and alert.state != DROPPED]
    Alert.objects.bulk_create([_row(alert, rules[alert.rule_id]) for alert in new])


def _write_last_rows(moved: Collection[OpenAlert]) -> None:
    rows = [
        Alert(
            pk=alert.id,
            since=datetime_of(Instant(alert.since_us)),
            last_met_at=datetime_of(Instant(alert.last_met_us)),
            order=alert.order[:_MAX_ORDER],
        )
        for alert in moved
    ]
    Alert.objects.bulk_update(rows, ["since", "last_met_at", "order"], batch_size=200)


def _row(alert: OpenAlert, rule: LoadedRule) -> Alert:
    return Alert(
        id=alert.id,
        workspace_id=rule.workspace_id,
        rule_id=rule.id,
        job_id=alert.job_id,
        generation=alert.generation,
        severity=rule.document.severity,
        digest=alert.digest,
        group=alert.group,
        title=alert.title[:MAX_TITLE],
        watch=alert.watch,
        watched=rule.document.watch.model_dump(mode="json", exclude_defaults=True),
        **_columns(alert),
    )


def _columns(alert: OpenAlert) -> dict[str, object]:
    return {
        "state": alert.state,
        "since": _moment(alert.since_us),
        "fired_at": _moment(alert.fired_us),
        "resolved_at": _moment(alert.resolved_us),
        "resolved_because": alert.because,
        "last_met_at": _moment(alert.last_met_us),
        "order": alert.order[:_MAX_ORDER],
        "value": alert.value,
        "row": alert.row,
        "changed_at": timezone.now(),
    }


def _moment(us: int | None) -> object:
    return None if us is None else datetime_of(Instant(us))


def _write_offsets(offsets: Offsets) -> None:
    EvaluatedOffset.objects.bulk_create(
        [
            EvaluatedOffset(
                job_id=job, generation=generation, partition=partition, topic_pk=topic, next_offset=offset
            )
            for (job, generation, partition), (topic, offset) in offsets.items()
        ],
        update_conflicts=True,
        unique_fields=["job_id", "generation", "partition"],
        update_fields=["topic_pk", "next_offset"],
    )


def _loaded(row: Alert) -> OpenAlert:
    return OpenAlert(
        id=row.pk,
        rule_id=row.rule_id,
        digest=row.digest,
        group=row.group,
        title=row.title,
        since_us=instant_of(row.since),
        last_met_us=instant_of(row.last_met_at),
        job_id=row.job_id,
        generation=row.generation,
        watch=row.watch,
        state=str(row.state),
        order=row.order,
        value=row.value,
        row=row.row,
        fired_us=None if row.fired_at is None else instant_of(row.fired_at),
        told=row.told,
        stored_state=str(row.state),
        stored_since_us=instant_of(row.since),
        stored_met_us=instant_of(row.last_met_at),
        stored_order=row.order,
    )
