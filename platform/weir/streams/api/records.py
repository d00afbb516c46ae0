"""Records: browse, search, one of them whole, export, produce. Serializers and views for streams and for bare topics."""

import math
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_of
from jobs.base.problems import Problem
from weir.clusters.services import find_cluster
from weir.streams.browsing import Question, browse, look, one_record
from weir.streams.exporting import FORMATS, MOST_RECORDS, export
from weir.streams.matching import KEYS_AS
from weir.streams.models import Stream
from weir.streams.new_records import NewRecord, UnfitError, read_records
from weir.streams.places import Place, place_of
from weir.streams.producing import produce, require_fit
from weir.streams.record_lines import given_of
from weir.streams.scanning import MAX_BYTES, MAX_RECORDS, TIMEOUT_S, Budget
from weir.streams.services import find_stream
from weir.streams.topics import topic_place
from weir.workspaces.models import Role
from weir.workspaces.refusals import RefusalError
from weir.workspaces.scope import WorkspaceView

ORIGINS = ["newest", "earliest", "offset", "time"]


class ScannedSerializer(serializers.Serializer[Any]):
    """How far one partition was looked at: from (included) to (not included), of what the broker holds (`start` to `end`).

    `first` to `last` (not included) is the stretch that the question is about, by its offset and times.
    """

    partition = serializers.IntegerField()
    to = serializers.IntegerField()
    first = serializers.IntegerField()
    last = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class LookedSerializer(serializers.Serializer[Any]):
    """How far was looked, and why it ended there. `records` and `bytes` count what was read, found or not."""

    partitions = ScannedSerializer(many=True)
    records = serializers.IntegerField()
    bytes = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    stopped_because = serializers.ChoiceField(choices=["limit", "end", "time", "bytes", "records", "timeout"])


class MalformedSerializer(serializers.Serializer[Any]):
    """Why a record is no row."""

    reason = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)


class HeaderSerializer(serializers.Serializer[Any]):
    """A header; a value that is no text is base64."""

    name = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_null=True, allow_blank=True)
    value_is_text = serializers.BooleanField()


class RecordSerializer(serializers.Serializer[Any]):
    """A record. What is no text is base64; long values are cut (`truncated`), `size` is of the whole.

    `timestamp_type`: whose clock `timestamp` is, the broker's (`log_append_time`) or the producer's (`create_time`).
    """

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()
    timestamp = serializers.CharField()
    timestamp_type = serializers.ChoiceField(choices=["log_append_time", "create_time"])
    key = serializers.CharField(allow_null=True)
    key_is_text = serializers.BooleanField()
    value = serializers.CharField(allow_null=True)
    value_is_text = serializers.BooleanField()
    truncated = serializers.BooleanField()
    size = serializers.IntegerField()
    key_fields = serializers.DictField(allow_null=True, help_text="the key's fields; null where none is read from it, or not readable")
    headers = HeaderSerializer(many=True)
    row = serializers.DictField(allow_null=True)
    event_time = serializers.CharField(allow_null=True)
    malformed = MalformedSerializer(allow_null=True)


class WholeRecordSerializer(RecordSerializer):
    """A record with nothing cut, its raw bytes, and its decoded parts as indented JSON with every digit.

    `row_json`: all declared fields, null where it is malformed. `value_json`: all that the value holds, declared or not, null for
    plain text. `key_json`: the key's fields, null where none is read from it.
    """

    key_base64 = serializers.CharField(allow_null=True)
    value_base64 = serializers.CharField(allow_null=True)
    row_json = serializers.CharField(allow_null=True)
    value_json = serializers.CharField(allow_null=True)
    key_json = serializers.CharField(allow_null=True)


class RecordPageSerializer(serializers.Serializer[Any]):
    """A page of records; `next` is null at the end, and otherwise goes on exactly where this look stopped."""

    records = RecordSerializer(many=True)
    looked = LookedSerializer()
    next = serializers.CharField(allow_null=True)


class WhichSerializer(serializers.Serializer[Any]):
    """Which records."""

    partition = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False, allow_null=True, default=None)
    offset = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False, default=0)
    time = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Kafka timestamp: where `time` begins, and where `newest` ends"
    )
    until = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Kafka timestamp that records must be below")
    key = serializers.CharField(required=False, allow_null=True, default=None, max_length=2_000, trim_whitespace=False)
    key_as = serializers.ChoiceField(
        choices=list(KEYS_AS),
        required=False,
        default="text",
        help_text="format of `key`: its text, the values of the key's fields as JSON, or its bytes",
    )
    where = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=5_000,
        help_text=("filter over the decoded record, in the language of job expressions"),
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.ChoiceField(choices=ORIGINS, required=False, default="newest")}


class BrowseSerializer(WhichSerializer):
    """Where to look, for what, and how far at once."""

    limit = serializers.IntegerField(min_value=1, max_value=500, required=False, default=50)
    cursor = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=20_000,
        help_text="`next` of the previous page; repeat the other parameters",
    )
    max_records = serializers.IntegerField(min_value=1, max_value=MAX_RECORDS, required=False, default=MAX_RECORDS)
    max_bytes = serializers.IntegerField(min_value=1, max_value=8 * MAX_BYTES, required=False, default=MAX_BYTES)
    seconds = serializers.FloatField(min_value=0.1, max_value=10, required=False, default=TIMEOUT_S)


class ExportSerializer(WhichSerializer):
    """What to export; without `from`, from the beginning."""

    format = serializers.ChoiceField(choices=list(FORMATS), default="jsonl")
    limit = serializers.IntegerField(min_value=1, max_value=MOST_RECORDS, required=False, default=10_000)


class NewHeaderSerializer(serializers.Serializer[Any]):
    """A header to write: a text, or bytes as base64; neither: null."""

    name = serializers.CharField(max_length=255, trim_whitespace=False)
    value = serializers.CharField(required=False, allow_null=True, max_length=10_000, allow_blank=True, trim_whitespace=False)
    value_base64 = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=14_000)


class NewRecordSerializer(serializers.Serializer[Any]):
    """A record to write. `value` is a JSON value, or a text that is taken as it is; `…_base64` are bytes; neither: null.

    An object for a stream whose records are Avro or framed JSON is written by the stream's schema, its values in the form in which rows
    show them; of change events it is the whole envelope. `value_json` is the same as a text, so that no digit is lost on the way.
    `key_json` holds the values of the key's fields as JSON, written as the contract says. `line`, alone: a line of a file, as a value,
    as an object of these parts, or as our export wrote it.
    """

    value = serializers.JSONField(required=False, allow_null=True)
    value_json = serializers.CharField(required=False, allow_null=True, max_length=1_500_000)
    value_base64 = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=1_500_000)
    key = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=100_000, trim_whitespace=False)
    key_json = serializers.CharField(required=False, allow_null=True, max_length=100_000)
    key_base64 = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=140_000)
    headers = NewHeaderSerializer(many=True, required=False)
    partition = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=1_000_000)


class RecordOrLineSerializer(NewRecordSerializer):
    """A record to write, or a line of a file."""

    line = serializers.CharField(required=False, max_length=3_000_000, trim_whitespace=False)


class ProduceSerializer(serializers.Serializer[Any]):
    """Records to write; all of them fit the contract, or none is written. `first`: the number of the first of them, for messages."""

    records = serializers.ListField(child=RecordOrLineSerializer(), min_length=1, max_length=1_000)
    first = serializers.IntegerField(required=False, default=1, min_value=1, max_value=2**53)


class FaultSerializer(serializers.Serializer[Any]):
    """A record that does not fit: its place in the request, from 0, and why."""

    record = serializers.IntegerField()
    message = serializers.CharField()


class CheckedSerializer(serializers.Serializer[Any]):
    """Which records of a request do not fit the contract; nothing is written."""

    faults = FaultSerializer(many=True)


class WrittenSerializer(serializers.Serializer[Any]):
    """Where a record lies now."""

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class ProducedSerializer(serializers.Serializer[Any]):
    """What was written, in the order of the request."""

    written = WrittenSerializer(many=True)


def _read(stream: Stream, wanted: dict[str, Any]) -> tuple[list[NewRecord], list[Problem]]:
    return read_records(stream, wanted["records"], _of_line, wanted["first"])


def _of_line(line: str, structured: bool) -> dict[str, Any]:
    """What a line means, in the form of the API and checked as such."""
    form = NewRecordSerializer(data=given_of(line, structured=structured))
    if not form.is_valid():
        raise UnfitError("line", f"has invalid parts: {', '.join(form.errors)}.")
    return dict(form.validated_data)


FROM = OpenApiParameter("from", enum=ORIGINS, description="start position; newest reads backwards, the others forwards")


def _which(wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        "origin": wanted["from"],
        "partition": wanted["partition"],
        "offset": wanted["offset"],
        "time_ms": instant_of(wanted["time"]) // 1000 if wanted["time"] else None,
        # Exclusive and in milliseconds: rounded up, so that a moment inside a millisecond still holds it.
        "until_ms": math.ceil(instant_of(wanted["until"]) / 1000) if wanted["until"] else None,
        "key": wanted["key"],
        "key_as": wanted["key_as"],
        "where": wanted["where"],
    }


def _page(request: Request, place: Place) -> Response:
    form = BrowseSerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    wanted = form.validated_data
    if wanted["from"] == "time" and wanted["time"] is None:
        raise RefusalError("TIME_MISSING", "Select a start time.")
    budget = Budget(wanted["max_records"], wanted["max_bytes"], wanted["seconds"])
    return Response(browse(place, Question(**_which(wanted), limit=wanted["limit"], cursor=wanted["cursor"], budget=budget)))


def _file(request: Request, place: Place, name: str) -> StreamingHttpResponse:
    form = ExportSerializer(data={"from": "earliest", **request.query_params.dict()})
    form.is_valid(raise_exception=True)
    wanted = form.validated_data
    question = Question(**_which(wanted), limit=1)
    look(place, question)  # a fault of the question must be an answer, not the end of a file
    response = StreamingHttpResponse(export(wanted["format"], place, question, wanted["limit"]), content_type=FORMATS[wanted["format"]])
    response["Content-Disposition"] = f'attachment; filename="{name}.{wanted["format"]}"'
    return response


_FILES = {(200, "application/x-ndjson"): OpenApiTypes.BINARY, (200, "text/csv"): OpenApiTypes.BINARY}


class RecordsView(WorkspaceView):
    """The records of a stream."""

    @extend_schema(operation_id="streams_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of records, and how far was looked for it."""
        return _page(request, place_of(find_stream(self.workspace, name)))

    @extend_schema(operation_id="streams_produce", request=ProduceSerializer, responses={201: ProducedSerializer})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Write records; those that do not fit the contract are named, and then none is written."""
        stream = find_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        records, faults = _read(stream, wanted)
        require_fit(faults, len(wanted["records"]))
        written = produce(stream, self.person, records)
        return Response({"written": [{"partition": partition, "offset": offset} for partition, offset in written]}, status=201)


class CheckRecordsView(WorkspaceView):
    """Records before they are written."""

    @extend_schema(operation_id="streams_check_records", request=ProduceSerializer, responses=CheckedSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Which of them do not fit the contract, each with its cause; nothing is written."""
        stream = find_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        faults = _read(stream, wanted)[1]
        return Response({"faults": [{"record": int(fault.path[1]), "message": fault.message} for fault in faults]})


class RecordView(WorkspaceView):
    """One record of a stream."""

    @extend_schema(operation_id="streams_record", responses=WholeRecordSerializer)
    def get(self, request: Request, slug: str, name: str, partition: int, offset: int) -> Response:
        """The record whole, with its raw bytes."""
        return Response(one_record(place_of(find_stream(self.workspace, name)), partition, offset))


class ExportView(WorkspaceView):
    """The records of a stream as a file."""

    @extend_schema(operation_id="streams_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """As JSON lines or CSV; a last line says so when there are more than were written."""
        return _file(request, place_of(find_stream(self.workspace, name)), name)


class TopicRecordsView(WorkspaceView):
    """The records of a topic that need not be a stream. Editors only: nobody said yet what is in them."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """A page of records, undecoded, and how far was looked for it."""
        return _page(request, topic_place(find_cluster(self.workspace, cluster), self.workspace, topic))


class TopicRecordView(WorkspaceView):
    """One record of a topic."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_record", responses=WholeRecordSerializer)
    def get(self, request: Request, slug: str, cluster: str, topic: str, partition: int, offset: int) -> Response:
        """The record whole, with its raw bytes."""
        return Response(one_record(topic_place(find_cluster(self.workspace, cluster), self.workspace, topic), partition, offset))


class TopicExportView(WorkspaceView):
    """The records of a topic as a file."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> StreamingHttpResponse:
        """As JSON lines or CSV, undecoded; a last line says so when there are more than were written."""
        return _file(request, topic_place(find_cluster(self.workspace, cluster), self.workspace, topic), topic)
