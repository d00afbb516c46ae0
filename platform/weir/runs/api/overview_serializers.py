"""Serializers of a workspace at a glance."""

from typing import Any

from rest_framework import serializers

from weir.runs.api.engine_serializers import EngineSerializer
from weir.workspaces.models import Event


class JobCountsSerializer(serializers.Serializer[Any]):
    """How many jobs are in which state."""

    running = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    stopped = serializers.IntegerField()
    total = serializers.IntegerField()


class AttentionSerializer(serializers.Serializer[Any]):
    """A job that needs attention, and the reason."""

    job_id = serializers.CharField()
    name = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    reason = serializers.CharField()


class EventSerializer(serializers.Serializer[Any]):
    """An event; `job_id` is null when it is about no job."""

    at = serializers.DateTimeField()
    kind = serializers.CharField()
    text = serializers.CharField()
    actor = serializers.CharField(allow_blank=True)
    job_id = serializers.SerializerMethodField()

    def get_job_id(self, event: Event) -> str | None:
        """The job of the event."""
        return event.subject if event.kind == "job" else None


class BrokerSerializer(serializers.Serializer[Any]):
    """Whether the home cluster answered when last asked."""

    reachable = serializers.BooleanField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class OverviewSerializer(serializers.Serializer[Any]):
    """The workspace at a glance; never waits for a broker."""

    jobs = JobCountsSerializer()
    attention = AttentionSerializer(many=True)
    rows_per_second = serializers.FloatField(allow_null=True)
    unmeasured_jobs = serializers.IntegerField()
    max_lag_seconds = serializers.FloatField(allow_null=True)
    unmeasured_lags = serializers.IntegerField()
    events = EventSerializer(many=True)
    engines = EngineSerializer(many=True)
    broker = BrokerSerializer()
