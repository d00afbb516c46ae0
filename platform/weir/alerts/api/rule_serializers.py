"""Serializers of rules, metrics and previews."""

from typing import Any

from rest_framework import serializers

from weir.alerts.api.document_fields import RuleDocumentField
from weir.alerts.models import AlertRule
from weir.alerts.services.messages import stored_condition_text
from weir.runs.api.document_serializers import ProblemSerializer
from weir.workspaces.api.request_fields import StrictSerializer
from weir.workspaces.services.events import name_of


class RuleSerializer(serializers.Serializer[Any]):
    """A rule. `template` is empty for one that a person wrote; `problem` says why it can't be evaluated,
    `turned_off` why Weir turned it off; `firing` is how many of its alerts fire. `changed_by` is empty when
    that user is gone.
    """

    id = serializers.CharField()
    name = serializers.CharField()
    document = RuleDocumentField()
    condition = serializers.SerializerMethodField()
    enabled = serializers.BooleanField()
    template = serializers.CharField()
    problem = serializers.CharField()
    turned_off = serializers.ChoiceField(choices=AlertRule.TurnedOff.choices)
    firing = serializers.IntegerField(default=0)
    revision = serializers.IntegerField()
    changed_at = serializers.DateTimeField()
    changed_by = serializers.SerializerMethodField()

    def get_condition(self, rule: AlertRule) -> str:
        """What it watches, in words."""
        return stored_condition_text(rule.document)

    def get_changed_by(self, rule: AlertRule) -> str:
        """The username of who changed it last."""
        return name_of(rule.changed_by)


class RuleListSerializer(serializers.Serializer[Any]):
    """The rules of a workspace, by name."""

    results = RuleSerializer(many=True)


class NewRuleSerializer(StrictSerializer):
    """A name and a document."""

    name = serializers.CharField(max_length=100)
    document = RuleDocumentField()
    enabled = serializers.BooleanField(default=True)


class RuleChangeSerializer(NewRuleSerializer):
    """Name, document and whether it is evaluated, and the revision that the change was made on."""

    revision = serializers.IntegerField(min_value=1)


class RuleCheckSerializer(StrictSerializer):
    """A document to check."""

    document = RuleDocumentField()


class RulePreviewSerializer(serializers.Serializer[Any]):
    """How often a rule would have fired over what is stored; `fired` null: no history tells, see `note`."""

    fired = serializers.IntegerField(allow_null=True)
    groups = serializers.IntegerField(help_text="How many of these alerts would still be open.")
    looked_at = serializers.IntegerField(help_text="Rows or points of the history that were looked at.")
    since = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField()


class RuleCheckResultSerializer(serializers.Serializer[Any]):
    """The problems of a rule; without any, its condition in words and a preview."""

    problems = ProblemSerializer(many=True)
    condition = serializers.CharField()
    preview = RulePreviewSerializer(allow_null=True)


class MetricSerializer(serializers.Serializer[Any]):
    """A metric that rules can watch. A share is 0 to 1; yes is 1."""

    name = serializers.CharField()
    scope = serializers.CharField()
    unit = serializers.CharField()
    title = serializers.CharField()
    help = serializers.CharField()


class MetricListSerializer(serializers.Serializer[Any]):
    """Every metric that rules can watch."""

    results = MetricSerializer(many=True)
