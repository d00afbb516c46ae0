"""Serializers of engines."""

from typing import Any

from rest_framework import serializers

from weir.runs.api.job_serializers import FailureSerializer, OverloadSerializer
from weir.runs.models import Engine


class EngineSerializer(serializers.Serializer[Any]):
    """An engine and what it runs."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=Engine.Kind.choices)
    state = serializers.ChoiceField(choices=Engine.State.choices)
    should_run = serializers.BooleanField()
    standby = serializers.BooleanField(help_text="Without runs, to take over those of an engine that dies.")
    successor = serializers.CharField(
        allow_null=True, help_text="The engine that its runs are moving to, after which it is started again."
    )
    incarnation = serializers.CharField(allow_blank=True)
    ready = serializers.BooleanField()
    slots = serializers.IntegerField()
    slots_used = serializers.IntegerField()
    memory_bytes = serializers.IntegerField()
    cpu_cores = serializers.FloatField(
        allow_null=True,
        help_text="Processor time per second of the engine over the last 20 s; null: unknown.",
    )
    host_cpu_cores = serializers.FloatField(
        allow_null=True, help_text="The same of everything on its host; null: unknown."
    )
    host_cores = serializers.IntegerField(help_text="Cores of its host; 0: unknown.")
    last_seen_at = serializers.DateTimeField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    pid = serializers.IntegerField(allow_null=True)
    failure = FailureSerializer(allow_null=True)
    retry_at = serializers.DateTimeField(
        allow_null=True, help_text="It is not started before; null: at once, or it runs."
    )
    overload = OverloadSerializer(allow_null=True)
    runs = serializers.ListField(child=serializers.CharField())


class ReplacedEngineSerializer(serializers.Serializer[Any]):
    """The engine that gets the runs."""

    successor = serializers.CharField()


class EngineListSerializer(serializers.Serializer[Any]):
    """The engines."""

    results = EngineSerializer(many=True)
