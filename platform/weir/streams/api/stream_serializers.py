"""Serializers of streams and their contracts."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.formats.record_formats import VALUE_FORMATS
from weir.clusters.models import HOME
from weir.clusters.services.topic_settings import CLEANUPS
from weir.workspaces.api.request_fields import StrictSerializer


class TimeFormatSerializer(serializers.Serializer[Any]):
    """How a value holds an instant: a number's unit, a text's format, the zone of what says none."""

    unit = serializers.ChoiceField(choices=["s", "ms", "us", "ns"], allow_null=True, required=False)
    format = serializers.CharField(allow_null=True, required=False)
    zone = serializers.CharField(required=False)


class TimeFieldSerializer(TimeFormatSerializer):
    """A declared field that holds an instant."""

    field = serializers.CharField()


class EventTimeSerializer(TimeFormatSerializer):
    """Where a record's event time comes from."""

    kind = serializers.ChoiceField(choices=["kafka_timestamp", "field", "change", "corrected"])
    field = serializers.CharField(allow_null=True, required=False)
    device = TimeFieldSerializer(allow_null=True, required=False)
    sent = TimeFieldSerializer(allow_null=True, required=False)
    received = TimeFieldSerializer(allow_null=True, required=False)
    on_missing = serializers.ChoiceField(choices=["malformed", "kafka_timestamp"], required=False)


@extend_schema_field(
    {"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "nullable": True}
)
class PathField(serializers.JSONField):
    """Where a field is read from: names of members, as they are written, and indexes of array elements."""


class FieldSerializer(serializers.Serializer[Any]):
    """A declared field; `type` is a type's text form, `path` where it is read from; without one it is
    the member of its own name.
    """

    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField(required=False)
    path = PathField(required=False)


class ContractSerializer(serializers.Serializer[Any]):
    """What every record of a stream must be; checked by `jobs.formats.contract`, which knows the rules."""

    kind = serializers.ChoiceField(choices=["stream", "table"], required=False)
    format = serializers.ChoiceField(choices=VALUE_FORMATS, required=False)
    encoding = serializers.JSONField(required=False)
    fields = FieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
    key = serializers.ListField(child=serializers.CharField(), required=False)
    key_encoding = serializers.JSONField(required=False)
    version_by = serializers.ChoiceField(choices=["offset", "event_time"], required=False)
    event_time = EventTimeSerializer(required=False)
    delay = serializers.CharField(allow_null=True, required=False)
    max_ahead = serializers.CharField(allow_null=True, required=False)


class UseSerializer(serializers.Serializer[Any]):
    """A job that reads the stream."""

    job_id = serializers.CharField()
    job_name = serializers.CharField()


class StreamSerializer(serializers.Serializer[Any]):
    """A registered topic. `records` and `rate_per_second` are null while a partition has no leader or the
    broker does not answer; then `partitions` is the last known number.
    """

    name = serializers.CharField()
    description = serializers.CharField()
    cluster = serializers.CharField()
    cluster_name = serializers.CharField()
    topic = serializers.CharField()
    topic_id = serializers.CharField()
    partitions = serializers.IntegerField()
    contract = ContractSerializer()
    kind = serializers.ChoiceField(choices=["stream", "table"])
    used_by = UseSerializer(many=True)
    created_at = serializers.DateTimeField()
    revision = serializers.IntegerField()
    records = serializers.IntegerField(allow_null=True)
    rate_per_second = serializers.FloatField(allow_null=True)


class StreamListSerializer(serializers.Serializer[Any]):
    """The streams; `error` says why the broker gave no numbers, null when it did."""

    results = StreamSerializer(many=True)
    error = serializers.CharField(allow_null=True)


class CreateTopicSerializer(StrictSerializer):
    """How to create the topic. Retention in ms, -1 for ever. Null: what the stream's kind needs, and
    else the cluster's default.
    """

    partitions = serializers.IntegerField(min_value=1, max_value=256)
    retention_ms = serializers.IntegerField(min_value=-1, max_value=2**53, allow_null=True, required=False)
    cleanup = serializers.ChoiceField(choices=list(CLEANUPS), allow_null=True, required=False)


class NewStreamSerializer(StrictSerializer):
    """A topic to register; `create` null: it exists."""

    name = serializers.CharField(max_length=63)
    description = serializers.CharField(max_length=500, allow_blank=True, required=False, default="")
    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    create = CreateTopicSerializer(allow_null=True, required=False)  # type: ignore[assignment]  # the contract's own word
    contract = serializers.JSONField()


class ChangedStreamSerializer(StrictSerializer):
    """What to change; what is left out stays. `force`: even where it breaks jobs or resets state. With
    `revision`, that the change was made on, it is refused once somebody else changed the stream.
    """

    description = serializers.CharField(max_length=500, allow_blank=True, required=False)
    contract = serializers.JSONField(required=False)
    force = serializers.BooleanField(required=False, default=False)
    revision = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
