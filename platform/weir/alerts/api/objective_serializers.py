"""Serializers of objectives."""

from typing import Any

from rest_framework import serializers

from weir.alerts.models import Objective
from weir.workspaces.api.request_fields import StrictSerializer


class BudgetSerializer(serializers.Serializer[Any]):
    """What is known of an objective now; null: nothing was judged yet."""

    attained = serializers.FloatField(allow_null=True, help_text="Share of the judged time that was good.")
    left = serializers.FloatField(
        allow_null=True, help_text="Share of the error budget left; below 0: overspent."
    )
    fast_burn = serializers.FloatField(allow_null=True)
    slow_burn = serializers.FloatField(allow_null=True)
    judged_s = serializers.FloatField()
    bad_s = serializers.FloatField()


class ObjectiveSerializer(serializers.Serializer[Any]):
    """An objective. `output`: which of the job's; empty: the whole job. `threshold`: seconds of freshness, a
    share of completeness, null of availability.
    """

    id = serializers.CharField()
    job_id = serializers.CharField()
    job = serializers.CharField(source="job.name")
    kind = serializers.ChoiceField(Objective.Kind.choices)
    output = serializers.CharField(allow_blank=True)
    threshold = serializers.FloatField(allow_null=True)
    target = serializers.FloatField()
    window_days = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    budget = BudgetSerializer()


class ObjectiveListSerializer(serializers.Serializer[Any]):
    """The objectives of a workspace, by job."""

    results = ObjectiveSerializer(many=True)


class NewObjectiveSerializer(StrictSerializer):
    """What a job or one of its outputs should be, and how much of the time. `output`: of completeness
    alone.
    """

    job_id = serializers.CharField()
    kind = serializers.ChoiceField(Objective.Kind.choices)
    output = serializers.CharField(required=False, allow_blank=True, default="", max_length=100)
    threshold = serializers.FloatField(required=False, allow_null=True, default=None)
    target = serializers.FloatField(help_text="Share of the time, 0.5 to 0.9999.")
    window_days = serializers.IntegerField(default=28)


class ObjectivePointSerializer(serializers.Serializer[Any]):
    """A part of the window: seconds that were good, of those judged."""

    at = serializers.DateTimeField()
    good_s = serializers.FloatField()
    judged_s = serializers.FloatField()


class ObjectiveHistorySerializer(ObjectiveSerializer):
    """An objective with its history, the oldest first, in parts of `part_s` seconds."""

    part_s = serializers.IntegerField()
    history = ObjectivePointSerializer(many=True)
