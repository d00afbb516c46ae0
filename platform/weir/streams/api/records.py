"""Records: browse, search, one in full, export, produce. Serializers and views for streams and for bare topics."""

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
from weir.clusters.services import get_cluster
from weir.streams.browse import BrowseQuery, browse, get_record, scan_page
from weir.streams.export import FORMATS, MAX_EXPORT_RECORDS, export
from weir.streams.jsonl_records import parse_line
from weir.streams.models import Stream
from weir.streams.producer import produce, require_valid
from weir.streams.record_filter import KEYS_AS
from weir.streams.record_input import InvalidRecordError, NewRecord, parse_records
from weir.streams.scan import MAX_BYTES, MAX_RECORDS, TIMEOUT_S, Budget
from weir.streams.services import get_stream
from weir.streams.topic_ref import TopicRef, stream_ref
from weir.streams.topics import topic_ref
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Role

ORIGINS = ["newest", "earliest", "offset", "time"]


class PartitionScanSerializer(serializers.Serializer[Any]):
    """The offsets of one partition that were scanned: `from` (included) to `to` (excluded). The broker retains `log_start` to `log_end`.

    `range_start` to `range_end` (excluded) is what the query covers, by its offset and times.
    """

    partition = serializers.IntegerField()
    to = serializers.IntegerField()
    range_start = serializers.IntegerField()
    range_end = serializers.IntegerField()
    log_start = serializers.IntegerField()
    log_end = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """`from` is a word of Python, so it is added here."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class ScanSerializer(serializers.Serializer[Any]):
    """The extent of a scan, and why it stopped. `records` and `bytes` count what was read, whether it matched or not."""

    partitions = PartitionScanSerializer(many=True)
    records = serializers.IntegerField()
    bytes = serializers.IntegerField()
    elapsed_ms = serializers.IntegerField()
    stop_reason = serializers.ChoiceField(choices=["limit", "end", "time", "bytes", "records", "timeout"])


class MalformedSerializer(serializers.Serializer[Any]):
    """Why a record does not become a row."""

    reason = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)


class HeaderSerializer(serializers.Serializer[Any]):
    """A header; a value that is no text is base64."""

    name = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_null=True, allow_blank=True)
    value_is_text = serializers.BooleanField()


class RecordSerializer(serializers.Serializer[Any]):
    """A record. Values that are not text are base64; long ones are `truncated`, `size` is the full one.

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


class RecordDetailSerializer(RecordSerializer):
    """A record in full, its raw bytes, and its decoded parts as indented JSON with every digit.

    `row_json`: all declared fields, null if it is malformed. `value_json`: all fields of the value, declared or not, null for plain
    text. `key_json`: the key's fields, null if the contract reads none.
    """

    key_base64 = serializers.CharField(allow_null=True)
    value_base64 = serializers.CharField(allow_null=True)
    row_json = serializers.CharField(allow_null=True)
    value_json = serializers.CharField(allow_null=True)
    key_json = serializers.CharField(allow_null=True)


class RecordPageSerializer(serializers.Serializer[Any]):
    """A page of records; `next` is null at the end, and otherwise continues where this scan stopped."""

    records = RecordSerializer(many=True)
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)


class RecordFilterSerializer(serializers.Serializer[Any]):
    """A filter of records."""

    partition = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False, allow_null=True, default=None)
    offset = serializers.IntegerField(min_value=0, max_value=2**63 - 1, required=False, default=0)
    time = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Kafka timestamp: where `time` starts, and where `newest` ends"
    )
    until = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="upper bound of the timestamp, excluded")
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


class BrowseSerializer(RecordFilterSerializer):
    """What to browse, and the limits of one scan."""

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


class ExportSerializer(RecordFilterSerializer):
    """What to export; `from` is `earliest` by default."""

    format = serializers.ChoiceField(choices=list(FORMATS), default="jsonl")
    limit = serializers.IntegerField(min_value=1, max_value=MAX_EXPORT_RECORDS, required=False, default=10_000)


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
    """Records to write; if one is invalid, none is written. `first_record_number`: the number of the first record, for messages."""

    records = serializers.ListField(child=RecordOrLineSerializer(), min_length=1, max_length=1_000)
    first_record_number = serializers.IntegerField(required=False, default=1, min_value=1, max_value=2**53)


class RecordErrorSerializer(serializers.Serializer[Any]):
    """An invalid record: its index in the request, and the reason."""

    record = serializers.IntegerField()
    message = serializers.CharField()


class RecordCheckSerializer(serializers.Serializer[Any]):
    """The invalid records of a request; nothing is written."""

    errors = RecordErrorSerializer(many=True)  # type: ignore[assignment]  # a field of the API, no serializer error


class WrittenSerializer(serializers.Serializer[Any]):
    """The coordinates of a record."""

    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class ProducedSerializer(serializers.Serializer[Any]):
    """What was written, in the order of the request."""

    written = WrittenSerializer(many=True)


def _parse(stream: Stream, wanted: dict[str, Any]) -> tuple[list[NewRecord], list[Problem]]:
    return parse_records(stream, wanted["records"], _parse_line, wanted["first_record_number"])


def _parse_line(line: str, structured: bool) -> dict[str, Any]:
    """Parse a line into the API's form of a record, and validate it."""
    form = NewRecordSerializer(data=parse_line(line, structured=structured))
    if not form.is_valid():
        raise InvalidRecordError("line", f"has invalid parts: {', '.join(form.errors)}.")
    return dict(form.validated_data)


FROM = OpenApiParameter("from", enum=ORIGINS, description="start position; newest reads backwards, the others forwards")


def _which(wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        "origin": wanted["from"],
        "partition": wanted["partition"],
        "offset": wanted["offset"],
        "time_ms": instant_of(wanted["time"]) // 1000 if wanted["time"] else None,
        # Exclusive and in milliseconds: rounded up, so that a time within a millisecond still includes it.
        "until_ms": math.ceil(instant_of(wanted["until"]) / 1000) if wanted["until"] else None,
        "key": wanted["key"],
        "key_as": wanted["key_as"],
        "where": wanted["where"],
    }


def _page(request: Request, ref: TopicRef) -> Response:
    form = BrowseSerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    wanted = form.validated_data
    if wanted["from"] == "time" and wanted["time"] is None:
        raise ServiceError("TIME_MISSING", "Select a start time.")
    budget = Budget(wanted["max_records"], wanted["max_bytes"], wanted["seconds"])
    return Response(browse(ref, BrowseQuery(**_which(wanted), limit=wanted["limit"], cursor=wanted["cursor"], budget=budget)))


def _file(request: Request, ref: TopicRef, name: str) -> StreamingHttpResponse:
    form = ExportSerializer(data={"from": "earliest", **request.query_params.dict()})
    form.is_valid(raise_exception=True)
    wanted = form.validated_data
    query = BrowseQuery(**_which(wanted), limit=1)
    scan_page(ref, query)  # an invalid query must be an error response, not a truncated file
    response = StreamingHttpResponse(export(wanted["format"], ref, query, wanted["limit"]), content_type=FORMATS[wanted["format"]])
    response["Content-Disposition"] = f'attachment; filename="{name}.{wanted["format"]}"'
    return response


_FILES = {(200, "application/x-ndjson"): OpenApiTypes.BINARY, (200, "text/csv"): OpenApiTypes.BINARY}


class RecordsView(WorkspaceView):
    """The records of a stream."""

    @extend_schema(operation_id="streams_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of records, and the extent of the scan."""
        return _page(request, stream_ref(get_stream(self.workspace, name)))

    @extend_schema(operation_id="streams_produce", request=ProduceSerializer, responses={201: ProducedSerializer})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Write records. If some are invalid, the errors are returned and none is written."""
        stream = get_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        records, errors = _parse(stream, wanted)
        require_valid(errors, len(wanted["records"]))
        written = produce(stream, self.user, records)
        return Response({"written": [{"partition": partition, "offset": offset} for partition, offset in written]}, status=201)


class CheckRecordsView(WorkspaceView):
    """Validates records before they are written."""

    @extend_schema(operation_id="streams_check_records", request=ProduceSerializer, responses=RecordCheckSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """The invalid records, each with its reason; nothing is written."""
        stream = get_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        errors = _parse(stream, wanted)[1]
        return Response({"errors": [{"record": int(error.path[1]), "message": error.message} for error in errors]})


class RecordView(WorkspaceView):
    """One record of a stream."""

    @extend_schema(operation_id="streams_record", responses=RecordDetailSerializer)
    def get(self, request: Request, slug: str, name: str, partition: int, offset: int) -> Response:
        """The record in full, with its raw bytes."""
        return Response(get_record(stream_ref(get_stream(self.workspace, name)), partition, offset))


class ExportView(WorkspaceView):
    """The records of a stream as a file."""

    @extend_schema(operation_id="streams_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """As JSON lines or CSV; if there are more records than were written, the last line says so."""
        return _file(request, stream_ref(get_stream(self.workspace, name)), name)


class TopicRecordsView(WorkspaceView):
    """The records of a topic that need not be a stream. Editors only: without a contract their content is unknown."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """A page of records, undecoded, and the extent of the scan."""
        return _page(request, topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic))


class TopicRecordView(WorkspaceView):
    """One record of a topic."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_record", responses=RecordDetailSerializer)
    def get(self, request: Request, slug: str, cluster: str, topic: str, partition: int, offset: int) -> Response:
        """The record in full, with its raw bytes."""
        return Response(get_record(topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic), partition, offset))


class TopicExportView(WorkspaceView):
    """The records of a topic as a file."""

    roles: ClassVar[dict[str, Role]] = {"GET": Role.EDITOR}

    @extend_schema(operation_id="topics_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> StreamingHttpResponse:
        """As JSON lines or CSV, undecoded; if there are more records than were written, the last line says so."""
        return _file(request, topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic), topic)
