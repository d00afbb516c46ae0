"""What a notification says: the same facts for every channel, with a link to the place and the time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings

from jobs.base.durations import seconds_text
from weir.alerts.models import Alert, Notification
from weir.alerts.services.metrics import BY_NAME, Unit
from weir.alerts.services.rule_document import UNREADABLE, MetricWatch, RuleDocument, find_document

MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class About:
    """One alert of a message. `since`, `fired_at` and `resolved_at` are UTC."""

    id: str
    title: str
    severity: str
    condition: str
    value: float | None
    row: dict[str, Any] | None
    group: dict[str, Any]
    job: str
    since: datetime
    resolved_at: datetime | None
    because: str
    link: str


@dataclass(frozen=True, slots=True)
class Message:
    """What is told.

    Attributes:
        id: of the first notification; the same when it is sent again.
        change: fired, acknowledged, resolved or test.
        rule: its name; empty for a test.
        rule_id: empty for a test.
        workspace: slug.
        severity: of the alerts.
        by: who acknowledged them; empty otherwise.
        alerts: one or more; none for a test.
        refused: recipients of an e-mail that did not get it when others did, with the SMTP server's answer to
            each; empty: nobody got it yet.
    """

    id: str
    change: str
    rule: str
    rule_id: str
    workspace: str
    severity: str
    by: str
    alerts: tuple[About, ...]
    refused: Mapping[str, int]

    @property
    def subject(self) -> str:
        """One line."""
        if self.change == Notification.Change.TEST:
            return f"[Weir] Test message of workspace {self.workspace}"
        what = self.alerts[0].title if len(self.alerts) == 1 else f"{len(self.alerts)} alerts"
        return f"[Weir] {self.change.capitalize()} ({self.severity}): {self.rule}: {what}"

    @property
    def text(self) -> str:
        """Plain text: what happened, where, since when, and where to look."""
        if self.change == Notification.Change.TEST:
            return "This channel works. Nothing is wrong."
        lines = [line for about in self.alerts[:MAX_LISTED] for line in _lines(self, about)]
        more = len(self.alerts) - MAX_LISTED
        return "\n".join(
            [*lines, *([f"and {more} more: {alerts_link(self.workspace)}"] if more > 0 else [])]
        ).strip()


def _lines(message: Message, about: About) -> list[str]:
    state = {
        Notification.Change.FIRED: f"Fires since {_time(about.since)}",
        Notification.Change.ACKNOWLEDGED: f"Acknowledged by {message.by}",
        Notification.Change.RESOLVED: f"Resolved at {_time(about.resolved_at)}. {about.because}",
    }[Notification.Change(message.change)]
    facts = [about.title, state, f"Condition: {about.condition}"]
    if about.row is not None:
        facts.append("Row: " + ", ".join(f"{name} = {value}" for name, value in about.row.items()))
    return [*facts, about.link, ""]


def message_of(taken: Sequence[Notification]) -> Message:
    """The message of notifications that `outbox.take` took together, or of one test."""
    first = taken[0]
    if first.alert is None:
        return Message(first.pk, first.change, "", "", first.workspace.slug, "info", "", (), first.refused)
    alerts = [one.alert for one in taken if one.alert is not None]
    return Message(
        first.pk,
        first.change,
        first.alert.rule.name,
        first.alert.rule_id,
        first.workspace.slug,
        first.alert.severity,
        first.alert.acknowledged_by,
        tuple(_about(alert, first.workspace.slug) for alert in alerts),
        first.refused,
    )


def _about(alert: Alert, workspace: str) -> About:
    return About(
        alert.pk,
        alert.title,
        alert.severity,
        alert_condition_text(alert),
        alert.value,
        alert.row,
        alert.group,
        alert.job.name if alert.job is not None else "",
        alert.since,
        alert.resolved_at,
        alert.resolved_because,
        f"{alerts_link(workspace)}?alert={alert.pk}",
    )


def stored_condition_text(stored: Any) -> str:
    """The condition of a stored rule in words, as `condition_text`."""
    document = find_document(stored)
    return UNREADABLE if document is None else condition_text(document)


def alert_condition_text(alert: Alert) -> str:
    """The condition that an alert met in words, as `condition_text`, with the value that met it."""
    document = document_of(alert)
    return UNREADABLE if document is None else condition_text(document, alert.value)


def document_of(alert: Alert) -> RuleDocument | None:
    """What an alert's rule watched when it began, whatever it watches by now; None: it can't be read."""
    return find_document(alert.rule.document if alert.watched is None else {"watch": alert.watched})


def condition_text(document: RuleDocument, value: float | None = None) -> str:
    """The condition in words, with the value that met it."""
    watch = document.watch
    if not isinstance(watch, MetricWatch):
        return watch.where
    metric = BY_NAME[watch.metric]
    sign, number = ("above", watch.above) if watch.above is not None else ("below", watch.below)
    if metric.unit == "yes or no":
        return metric.help
    measured = "" if value is None else f", is {_quantity(value, metric.unit)}"
    return f"{metric.title} {sign} {_quantity(number or 0.0, metric.unit)}{measured}"


def _quantity(number: float, unit: Unit) -> str:
    """A number with its unit, as the interface writes it: ``30 min``, ``2.5%``, ``64 MiB/h``."""
    if unit == "share":
        return f"{number * 100:.3g}%"
    if unit == "s" and number >= 60:
        return seconds_text(number)
    return f"{number:.6g} {unit}".rstrip()


def alerts_link(workspace: str) -> str:
    """The page of alerts of a workspace."""
    return f"{settings.PUBLIC_URL}/w/{workspace}/alerts"


def _time(at: datetime | None) -> str:
    return "an unknown time" if at is None else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
