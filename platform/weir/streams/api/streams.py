"""Streams: serializers and views."""

from collections import defaultdict
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.connections import ClusterProfile
from weir.clusters.models import HOME
from weir.clusters.services import get_cluster, profile_of
from weir.clusters.topic_settings import CLEANUPS
from weir.streams import services
from weir.streams.models import Stream, StreamUse
from weir.streams.topic_stats import Traffic, fetch_within
from weir.workspaces.base_view import WorkspaceView


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


@extend_schema_field({"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "nullable": True})
class PathField(serializers.JSONField):
    """Where a field is read from: names of members, as they are written, and indexes of array elements."""


class FieldSerializer(serializers.Serializer[Any]):
    """A declared field; `type` is a type's text form, `path` where it is read from; without one it is the member of its own name."""

    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField(required=False)
    path = PathField(required=False)


class ContractSerializer(serializers.Serializer[Any]):
    """What every record of a stream must be; checked by `jobs.formats.contract`, which knows the rules."""

    kind = serializers.ChoiceField(choices=["stream", "table"], required=False)
    format = serializers.ChoiceField(choices=["json", "avro", "csv", "text", "debezium"], required=False)
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
    """A registered topic. `records` and `rate_per_second` are null while the broker does not answer."""

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
    records = serializers.IntegerField(allow_null=True)
    rate_per_second = serializers.FloatField(allow_null=True)


class StreamListSerializer(serializers.Serializer[Any]):
    """The streams; `error` says why the broker gave no numbers, null when it did."""

    results = StreamSerializer(many=True)
    error = serializers.CharField(allow_null=True)


class CreateTopicSerializer(serializers.Serializer[Any]):
    """How to create the topic. Retention in ms, -1 for ever. Null: what the stream's kind needs, and else the cluster's default."""

    partitions = serializers.IntegerField(min_value=1, max_value=256)
    retention_ms = serializers.IntegerField(min_value=-1, max_value=2**53, allow_null=True, required=False)
    cleanup = serializers.ChoiceField(choices=list(CLEANUPS), allow_null=True, required=False)


class NewStreamSerializer(serializers.Serializer[Any]):
    """A topic to register; `create` null: it exists."""

    name = serializers.CharField(max_length=63)
    description = serializers.CharField(max_length=500, allow_blank=True, required=False, default="")
    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    create = CreateTopicSerializer(allow_null=True, required=False)  # type: ignore[assignment]  # the contract's own word
    contract = serializers.JSONField()


class ChangedStreamSerializer(serializers.Serializer[Any]):
    """What to change; what is left out stays. `force`: even where it breaks jobs."""

    description = serializers.CharField(max_length=500, allow_blank=True, required=False)
    contract = serializers.JSONField(required=False)
    force = serializers.BooleanField(required=False, default=False)


def _without_writers(contract: dict[str, Any]) -> dict[str, Any]:
    """A contract without writer schemas, which are read from its subjects again whenever it is saved; there may be many."""
    return {key: _without_writers(value) if isinstance(value, dict) else value for key, value in contract.items() if _stays(key, contract)}


def _stays(key: str, holder: dict[str, Any]) -> bool:
    return key != "writers" or not holder.get("subject")


def _streams_json(streams: list[Stream], measured: dict[int, Traffic]) -> list[dict[str, Any]]:
    uses: dict[int, list[dict[str, str]]] = defaultdict(list)
    for use in StreamUse.objects.filter(stream__in=[stream.pk for stream in streams]).order_by("job_name"):
        uses[use.stream_id].append({"job_id": use.job_id, "job_name": use.job_name})
    return [
        {
            "name": stream.name,
            "description": stream.description,
            "cluster": stream.cluster_id,
            "cluster_name": stream.cluster.name,
            "topic": stream.topic,
            "topic_id": stream.topic_id,
            "partitions": stream.partitions,
            "contract": _without_writers(stream.contract),
            "kind": stream.stream_contract.kind,
            "used_by": uses[stream.pk],
            "created_at": serializers.DateTimeField().to_representation(stream.created_at),
            "records": measured[stream.pk].records if stream.pk in measured else None,
            "rate_per_second": measured[stream.pk].rate_per_second if stream.pk in measured else None,
        }
        for stream in streams
    ]


def _measured(streams: list[Stream]) -> tuple[dict[int, Traffic], str | None]:
    """Traffic by stream, and an error message if a cluster did not answer in time."""
    topics: dict[ClusterProfile, dict[str, int]] = {}
    profiles: dict[int, ClusterProfile] = {}
    errors: list[str] = []
    for stream in streams:
        profiles[stream.pk] = profile = profile_of(stream.cluster)
        topics.setdefault(profile, {})[stream.topic] = stream.partitions
    found, failed = fetch_within(topics)
    for stream in streams:
        reason = failed.get(profiles[stream.pk])
        if reason is not None and reason not in errors:
            errors.append(reason)
    measured = {
        stream.pk: found[profiles[stream.pk]][stream.topic] for stream in streams if stream.topic in found.get(profiles[stream.pk], {})
    }
    return measured, " ".join(errors) or None


class StreamsView(WorkspaceView):
    """The registered streams."""

    @extend_schema(operation_id="streams_list", responses=StreamListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All streams; a broker that does not answer only costs their numbers."""
        streams = list(Stream.objects.of(self.workspace).select_related("cluster"))
        measured, error = _measured(streams)
        return Response({"results": _streams_json(streams, measured), "error": error})

    @extend_schema(operation_id="streams_create", request=NewStreamSerializer, responses={201: StreamSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Register a topic, or create it first."""
        form = NewStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        create = wanted.get("create")
        stream = services.register_stream(
            self.workspace,
            self.user,
            name=wanted["name"],
            cluster=get_cluster(self.workspace, wanted["cluster"]),
            topic=wanted["topic"],
            contract=wanted["contract"],
            description=wanted["description"],
            create=services.NewTopic(create["partitions"], create.get("retention_ms"), create.get("cleanup")) if create else None,
        )
        return Response(_streams_json([stream], {})[0], status=201)


class StreamView(WorkspaceView):
    """One stream."""

    @extend_schema(operation_id="streams_get", responses=StreamSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The stream, its contract and the jobs that use it."""
        stream = services.get_stream(self.workspace, name)
        return Response(_streams_json([stream], _measured([stream])[0])[0])

    @extend_schema(operation_id="streams_change", request=ChangedStreamSerializer, responses=StreamSerializer)
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Change description or contract."""
        stream = services.get_stream(self.workspace, name)
        form = ChangedStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(_streams_json([services.change_stream(stream, self.user, **form.validated_data)], {})[0])

    @extend_schema(operation_id="streams_delete", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete the stream, but not its topic."""
        services.delete_stream(services.get_stream(self.workspace, name), self.user)
        return Response(status=204)
