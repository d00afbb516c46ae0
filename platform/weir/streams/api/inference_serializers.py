"""Serializers of what is inferred from a topic's records."""

from typing import Any

from rest_framework import serializers

from weir.clusters.models import HOME
from weir.streams.api.record_serializers import ScanSerializer
from weir.streams.api.stream_serializers import EventTimeSerializer, PathField
from weir.workspaces.api.request_fields import StrictSerializer


class InferSerializer(StrictSerializer):
    """Which topic to sample, how many records at most, and how they are written: JSON, CSV
    or change events in JSON.
    """

    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    limit = serializers.IntegerField(min_value=1, max_value=2000, required=False, default=500)
    encoding = serializers.JSONField(
        required=False, allow_null=True, default=None, help_text="as in a contract; null: plain JSON"
    )


class KindSerializer(serializers.Serializer[Any]):
    """A kind of value, and in how many records it was seen."""

    kind = serializers.CharField()
    count = serializers.IntegerField()


class FieldHintSerializer(serializers.Serializer[Any]):
    """A guess what a field means beyond its type; `values`: the distinct ones if they are few."""

    kind = serializers.ChoiceField(choices=["time", "id", "enum"])
    reason = serializers.CharField()
    values = serializers.ListField(child=serializers.CharField())


class InferredFieldSerializer(serializers.Serializer[Any]):
    """A field that the sample shows, and how sure that is: `present` of `records` records had
    a value, of these `kinds`.

    `path`: where it is read from; null: the member of its own name. `name` is proposed where the
    record's own cannot be one.
    """

    name = serializers.CharField()
    path = PathField(allow_null=True)
    type = serializers.CharField()
    nullable = serializers.BooleanField()
    notes = serializers.ListField(child=serializers.CharField())
    examples = serializers.ListField(child=serializers.CharField())
    present = serializers.IntegerField()
    kinds = KindSerializer(many=True)
    hints = FieldHintSerializer(many=True)


class InferredTimeSerializer(EventTimeSerializer):
    """A candidate for the event time, best first."""

    reason = serializers.CharField()


class InferredKeySerializer(serializers.Serializer[Any]):
    """How keys are written: `present` of `records` records had one. `encoding` as a contract's
    `key_encoding`, without a schema; null where none is known. `members`: of keys that are JSON objects.
    """

    encoding = serializers.DictField(child=serializers.CharField(), allow_null=True)
    records = serializers.IntegerField()
    present = serializers.IntegerField()
    reason = serializers.CharField()
    members = serializers.ListField(child=serializers.CharField(allow_blank=True))
    examples = serializers.ListField(child=serializers.CharField(allow_blank=True))


class InferenceSerializer(serializers.Serializer[Any]):
    """What a sample shows; `examples` are JSON texts, `records` were read as rows,
    `malformed` could not be.
    """

    fields = InferredFieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
    event_time_candidates = InferredTimeSerializer(many=True)
    records = serializers.IntegerField()
    malformed = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField())
    key = InferredKeySerializer()
    scan = ScanSerializer()
