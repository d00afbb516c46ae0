"""Streams and topics: serializers and views."""

from collections import defaultdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_of
from weir.clusters.clients import home_profile
from weir.clusters.services import profile_of
from weir.clusters.topics import list_topics
from weir.streams import services
from weir.streams.browsing import Question, browse
from weir.streams.models import Stream, StreamUse
from weir.streams.sampling import infer_topic
from weir.streams.traffic import Traffic, traffic
from weir.workspaces.refusals import RefusalError
from weir.workspaces.scope import WorkspaceView


class EventTimeSerializer(serializers.Serializer[Any]):
    """Where a record's event time comes from."""

    kind = serializers.ChoiceField(choices=["append", "field"])
    field = serializers.CharField(allow_null=True, required=False)
    unit = serializers.ChoiceField(choices=["s", "ms", "us", "ns"], allow_null=True, required=False)
    format = serializers.CharField(allow_null=True, required=False)
    zone = serializers.CharField(required=False)
    on_missing = serializers.ChoiceField(choices=["malformed", "append"], required=False)


class FieldSerializer(serializers.Serializer[Any]):
    """A declared field; `type` is a type's text form."""

    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField(required=False)


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
    """A registered topic. `records` and `rate_per_second` are null while the broker does not say."""

    name = serializers.CharField()
    description = serializers.CharField()
    topic = serializers.CharField()
    topic_id = serializers.CharField()
    partitions = serializers.IntegerField()
    contract = ContractSerializer()
    kind = serializers.ChoiceField(choices=["stream"])
    used_by = UseSerializer(many=True)
    created_at = serializers.DateTimeField()
    records = serializers.IntegerField(allow_null=True)
    rate_per_second = serializers.FloatField(allow_null=True)


class StreamListSerializer(serializers.Serializer[Any]):
    """The streams; `error` says why the broker gave no numbers, null when it did."""

    results = StreamSerializer(many=True)
    error = serializers.CharField(allow_null=True)


class CreateTopicSerializer(serializers.Serializer[Any]):
    """How to create the topic."""

    partitions = serializers.IntegerField(min_value=1, max_value=256)
    retention_ms = serializers.IntegerField(min_value=60_000, allow_null=True, required=False)


class NewStreamSerializer(serializers.Serializer[Any]):
    """A topic to register; `create` null: it exists."""

    name = serializers.CharField(max_length=63)
    description = serializers.CharField(max_length=500, allow_blank=True, required=False, default="")
    topic = serializers.CharField(max_length=249)
    create = CreateTopicSerializer(allow_null=True, required=False)  # type: ignore[assignment]  # the contract's own word
    contract = serializers.JSONField()


class ChangedStreamSerializer(serializers.Serializer[Any]):
    """What to change; what is left out stays."""

    description = serializers.CharField(max_length=500, allow_blank=True, required=False)
    contract = serializers.JSONField(required=False)


class ScannedSerializer(serializers.Serializer[Any]):
    """How far one partition was looked at: from (included) to (not included), of what the broker holds."""

    partition = serializers.IntegerField()
    to = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class LookedSerializer(serializers.Serializer[Any]):
    """How far was looked, and why it ended there."""

    partitions = ScannedSerializer(many=True)
    records = serializers.IntegerField()
    bytes = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    stopped_because = serializers.ChoiceField(choices=["limit", "end", "time", "bytes", "timeout"])


class MalformedSerializer(serializers.Serializer[Any]):
    """Why a record is no row."""

    reason = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)


class RecordSerializer(serializers.Serializer[Any]):
    """A record. What is no text is base64; long values are cut (`truncated`), `size` is of the whole."""

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    append_time = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    key_is_text = serializers.BooleanField()
    value = serializers.CharField(allow_null=True)
    value_is_text = serializers.BooleanField()
    truncated = serializers.BooleanField()
    size = serializers.IntegerField()
    headers = serializers.ListField(child=serializers.ListField(child=serializers.CharField(allow_null=True)))
    row = serializers.DictField(allow_null=True)
    event_time = serializers.CharField(allow_null=True)
    malformed = MalformedSerializer(allow_null=True)


class RecordPageSerializer(serializers.Serializer[Any]):
    """A page of records; `next` is null at the end."""

    records = RecordSerializer(many=True)
    looked = LookedSerializer()
    next = serializers.CharField(allow_null=True)


class BrowseSerializer(serializers.Serializer[Any]):
    """Where to look."""

    partition = serializers.IntegerField(min_value=0, required=False, allow_null=True, default=None)
    offset = serializers.IntegerField(min_value=0, required=False, default=0)
    time = serializers.DateTimeField(required=False, allow_null=True, default=None)
    limit = serializers.IntegerField(min_value=1, max_value=500, required=False, default=50)
    cursor = serializers.CharField(required=False, allow_null=True, default=None, max_length=20_000)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        origins = ["newest", "earliest", "offset", "time"]
        return {**super().get_fields(), "from": serializers.ChoiceField(choices=origins, required=False, default="newest")}


class InferSerializer(serializers.Serializer[Any]):
    """Which topic to sample, and how many records at most."""

    topic = serializers.CharField(max_length=249)
    limit = serializers.IntegerField(min_value=1, max_value=2000, required=False, default=500)


class InferredFieldSerializer(serializers.Serializer[Any]):
    """A field that the sample shows."""

    name = serializers.CharField()
    type = serializers.CharField()
    nullable = serializers.BooleanField()
    notes = serializers.ListField(child=serializers.CharField())
    examples = serializers.ListField(child=serializers.CharField())


class InferredTimeSerializer(EventTimeSerializer):
    """A candidate for the event time, best first."""

    why = serializers.CharField()


class InferenceSerializer(serializers.Serializer[Any]):
    """What a sample shows; `examples` are JSON texts, `malformed` counts records that are no objects."""

    fields = InferredFieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
    event_time = InferredTimeSerializer(many=True)
    malformed = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField())
    looked = LookedSerializer()


class TopicSerializer(serializers.Serializer[Any]):
    """A topic of the home cluster; `stream` is the name under which it is registered here, if it is."""

    name = serializers.CharField()
    partitions = serializers.IntegerField()
    records = serializers.IntegerField(allow_null=True)
    internal = serializers.BooleanField()
    stream = serializers.CharField(allow_null=True)


class TopicListSerializer(serializers.Serializer[Any]):
    """The topics."""

    results = TopicSerializer(many=True)


def _rows(streams: list[Stream], measured: dict[str, Traffic]) -> list[dict[str, Any]]:
    uses: dict[int, list[dict[str, str]]] = defaultdict(list)
    for use in StreamUse.objects.filter(stream__in=[stream.pk for stream in streams]).order_by("job_name"):
        uses[use.stream_id].append({"job_id": use.job_id, "job_name": use.job_name})
    return [
        {
            "name": stream.name,
            "description": stream.description,
            "topic": stream.topic,
            "topic_id": stream.topic_id,
            "partitions": stream.partitions,
            "contract": stream.contract,
            "kind": "stream",
            "used_by": uses[stream.pk],
            "created_at": serializers.DateTimeField().to_representation(stream.created_at),
            "records": measured[stream.topic].records if stream.topic in measured else None,
            "rate_per_second": measured[stream.topic].rate_per_second if stream.topic in measured else None,
        }
        for stream in streams
    ]


def _measured(streams: list[Stream]) -> tuple[dict[str, Traffic], str | None]:
    """Traffic of the streams' topics; when the broker or a topic does not answer, none and why."""
    if not streams:
        return {}, None
    try:
        return traffic(profile_of(streams[0].cluster), {stream.topic: stream.partitions for stream in streams}), None
    except RefusalError as error:
        return {}, error.detail


class StreamsView(WorkspaceView):
    """The registered streams."""

    @extend_schema(operation_id="streams_list", responses=StreamListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All streams; a broker that does not answer only costs their numbers."""
        streams = list(Stream.objects.of(self.workspace).select_related("cluster"))
        measured, error = _measured(streams)
        return Response({"results": _rows(streams, measured), "error": error})

    @extend_schema(operation_id="streams_create", request=NewStreamSerializer, responses={201: StreamSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Register a topic, or create it first."""
        form = NewStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        create = wanted.get("create")
        stream = services.register_stream(
            self.workspace,
            self.person,
            name=wanted["name"],
            topic=wanted["topic"],
            contract=wanted["contract"],
            description=wanted["description"],
            create=(create["partitions"], create.get("retention_ms")) if create else None,
        )
        return Response(_rows([stream], {})[0], status=201)


class StreamView(WorkspaceView):
    """One stream."""

    @extend_schema(operation_id="streams_get", responses=StreamSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The stream, its contract and who uses it."""
        stream = services.find_stream(self.workspace, name)
        return Response(_rows([stream], _measured([stream])[0])[0])

    @extend_schema(operation_id="streams_change", request=ChangedStreamSerializer, responses=StreamSerializer)
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Change description or contract."""
        stream = services.find_stream(self.workspace, name)
        form = ChangedStreamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(_rows([services.change_stream(stream, self.person, **form.validated_data)], {})[0])

    @extend_schema(operation_id="streams_delete", responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Forget the stream; its topic stays."""
        services.delete_stream(services.find_stream(self.workspace, name), self.person)
        return Response(status=204)


class InferView(WorkspaceView):
    """Fields and types from a sample."""

    @extend_schema(operation_id="streams_infer", request=InferSerializer, responses=InferenceSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Sample the newest records of a topic and say what they look like."""
        form = InferSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(infer_topic(form.validated_data["topic"], form.validated_data["limit"]))


class RecordsView(WorkspaceView):
    """The records of a stream."""

    @extend_schema(
        operation_id="streams_records",
        parameters=[
            BrowseSerializer,
            OpenApiParameter("from", enum=["newest", "earliest", "offset", "time"], description="where to begin; newest goes backwards"),
        ],
        responses=RecordPageSerializer,
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of records, and how far was looked for it."""
        stream = services.find_stream(self.workspace, name)
        form = BrowseSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        question = Question(
            origin=wanted["from"],
            partition=wanted["partition"],
            offset=wanted["offset"],
            time_ms=instant_of(wanted["time"]) // 1000 if wanted["time"] else 0,
            limit=wanted["limit"],
            cursor=wanted["cursor"],
        )
        return Response(browse(stream, question))


class TopicsView(WorkspaceView):
    """The topics of the home cluster."""

    @extend_schema(operation_id="topics_list", responses=TopicListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All topics that are not Weir's own, at most a few seconds old."""
        names = dict(Stream.objects.of(self.workspace).values_list("topic", "name"))
        rows = [(name, count) for name, count in list_topics(home_profile()) if not services.is_internal(name)]
        measured = traffic(home_profile(), dict(rows[:200]))  # beyond that a page would wait for its numbers
        return Response(
            {
                "results": [
                    {
                        "name": name,
                        "partitions": count,
                        "records": measured[name].records if name in measured else None,
                        "internal": False,
                        "stream": names.get(name),
                    }
                    for name, count in rows
                ]
            }
        )
