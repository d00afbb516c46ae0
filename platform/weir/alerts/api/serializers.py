"""Serializers of alerts, silences and the delivery log."""

from typing import Any

from rest_framework import serializers

from weir.alerts.models import Alert, Notification, Severity
from weir.alerts.services.messages import alert_condition_text, document_of
from weir.alerts.services.metrics import BY_NAME
from weir.alerts.services.rule_document import MetricWatch
from weir.workspaces.api.request_fields import StrictSerializer


class AlertSerializer(serializers.Serializer[Any]):
    """An alert. `value` has the metric's `unit`; `row` is the result row that met the condition."""

    id = serializers.CharField()
    title = serializers.CharField()
    rule_id = serializers.CharField()
    rule = serializers.CharField(source="rule.name")
    job_id = serializers.CharField(allow_null=True)
    job = serializers.CharField(source="job.name", allow_null=True, default=None)
    severity = serializers.ChoiceField(Severity.choices)
    state = serializers.ChoiceField(Alert.State.choices)
    condition = serializers.SerializerMethodField()
    group = serializers.DictField()
    value = serializers.FloatField(allow_null=True)
    unit = serializers.SerializerMethodField()
    row = serializers.DictField(allow_null=True)
    since = serializers.DateTimeField()
    fired_at = serializers.DateTimeField(allow_null=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolved_because = serializers.CharField()
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = serializers.CharField()
    silenced = serializers.BooleanField()

    def get_condition(self, alert: Alert) -> str:
        """The condition of its rule when it began, in words, with the value that met it."""
        return alert_condition_text(alert)

    def get_unit(self, alert: Alert) -> str:
        """The unit of `value`; empty where there is none."""
        document = document_of(alert)
        watch = None if document is None else document.watch
        return BY_NAME[watch.metric].unit if isinstance(watch, MetricWatch) else ""


class AlertListSerializer(serializers.Serializer[Any]):
    """A page of alerts, the newest first. `next` is `before` of the next page; null: there is none."""

    results = AlertSerializer(many=True)
    next = serializers.DateTimeField(allow_null=True)


class BeforeSerializer(serializers.Serializer[Any]):
    """Where a page begins."""

    before = serializers.DateTimeField(
        required=False, help_text="`next` of the page before; UTC where it names no zone"
    )


class SeenSerializer(serializers.Serializer[Any]):
    """Until when the person has looked at the alerts; null: never."""

    seen_at = serializers.DateTimeField(allow_null=True)


class NewSeenSerializer(StrictSerializer):
    """The alerts that fired until this moment were looked at; without it: all that have fired."""

    until = serializers.DateTimeField(required=False, allow_null=True, default=None)


class SilenceSerializer(serializers.Serializer[Any]):
    """A time without notifications; without rule, job and alert it holds for the whole workspace."""

    id = serializers.CharField()
    rule_id = serializers.CharField(allow_null=True)
    rule = serializers.CharField(source="rule.name", allow_null=True, default=None)
    job_id = serializers.CharField(allow_null=True)
    job = serializers.CharField(source="job.name", allow_null=True, default=None)
    alert_id = serializers.CharField(allow_null=True)
    alert = serializers.CharField(source="alert.title", allow_null=True, default=None)
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    note = serializers.CharField()
    created_by = serializers.CharField()


class SilenceListSerializer(serializers.Serializer[Any]):
    """Silences and maintenance windows that have not ended, the first to end first."""

    results = SilenceSerializer(many=True)


class NewSilenceSerializer(StrictSerializer):
    """A time without notifications. At most one of rule, job and alert is given."""

    rule_id = serializers.CharField(required=False, allow_null=True, default=None)
    job_id = serializers.CharField(required=False, allow_null=True, default=None)
    alert_id = serializers.CharField(required=False, allow_null=True, default=None)
    starts_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Null: now."
    )
    ends_at = serializers.DateTimeField()
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """At most one object."""
        if sum(attrs[name] is not None for name in ("rule_id", "job_id", "alert_id")) > 1:
            raise serializers.ValidationError("Give at most one of rule_id, job_id and alert_id.")
        return attrs


class NotificationSerializer(serializers.Serializer[Any]):
    """One line of the delivery log. `alert` is null for a test message."""

    id = serializers.CharField()
    channel_id = serializers.CharField()
    channel = serializers.CharField(source="channel.name")
    alert_id = serializers.CharField(allow_null=True)
    alert = serializers.CharField(source="alert.title", allow_null=True, default=None)
    change = serializers.ChoiceField(Notification.Change.choices)
    state = serializers.ChoiceField(Notification.State.choices)
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    due_at = serializers.DateTimeField()
    attempts = serializers.IntegerField()
    error = serializers.CharField()


class NotificationListSerializer(serializers.Serializer[Any]):
    """A page of the delivery log, the newest first. `next` is `before` of the next page; null: none."""

    results = NotificationSerializer(many=True)
    next = serializers.DateTimeField(allow_null=True)
