"""Records: browse, search, one in full, export, produce; for streams and for bare topics."""

import math
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_of
from jobs.base.problems import Problem
from weir.clusters.services.clusters import get_cluster
from weir.streams.api.record_serializers import (
    ORIGINS,
    BrowseSerializer,
    ExportSerializer,
    ProducedSerializer,
    ProduceSerializer,
    RecordCheckSerializer,
    RecordDetailSerializer,
    RecordPageSerializer,
)
from weir.streams.models import Stream
from weir.streams.services.browse import browse, get_record, scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.export import FORMATS, export
from weir.streams.services.producer import produce, require_valid
from weir.streams.services.record_input import NewRecord, parse_records
from weir.streams.services.scan import Budget
from weir.streams.services.streams import confirm_topics, get_readable_stream, get_stream
from weir.streams.services.topic_ref import TopicRef, stream_ref
from weir.streams.services.topics import topic_ref
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.api.parsing import RecordParser
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Membership
from weir.workspaces.roles import Right


def _parse(stream: Stream, wanted: dict[str, Any]) -> tuple[list[NewRecord], list[Problem]]:
    def parse() -> tuple[list[NewRecord], list[Problem]]:
        return parse_records(stream, wanted["records"], wanted["first_record_number"])

    found, known = parse(), stream.partitions
    if any(error.path[-1] == "partition" for error in found[1]):
        confirm_topics([stream])  # its topic may have got partitions outside Weir
    return found if stream.partitions == known else parse()


FROM = OpenApiParameter(
    "from", enum=ORIGINS, description="start position; newest reads backwards, the others forwards"
)


def _which(wanted: dict[str, Any]) -> dict[str, Any]:
    if wanted["from"] == "time" and wanted["time"] is None:
        raise ServiceError("TIME_MISSING", "Select a start time.")
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
    budget = Budget(wanted["max_records"], wanted["max_bytes"], wanted["seconds"])
    return Response(
        browse(
            ref, BrowseQuery(**_which(wanted), limit=wanted["limit"], cursor=wanted["cursor"], budget=budget)
        )
    )


def _file(request: Request, ref: TopicRef, name: str, member: Membership) -> StreamingHttpResponse:
    form = ExportSerializer(data={"from": "earliest", **request.query_params.dict()})
    form.is_valid(raise_exception=True)
    wanted = form.validated_data
    query = BrowseQuery(**_which(wanted), limit=1)
    scan_page(ref, query)  # an invalid query must be an error response, not a truncated file
    response = StreamingHttpResponse(
        export(wanted["format"], ref, query, wanted["limit"], member),
        content_type=FORMATS[wanted["format"]],
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.{wanted["format"]}"'
    return response


_FILES = {(200, "application/x-ndjson"): OpenApiTypes.BINARY, (200, "text/csv"): OpenApiTypes.BINARY}


class RecordsView(WorkspaceView):
    """The records of a stream."""

    turns = SCANS
    parser_classes = [RecordParser]

    @extend_schema(
        operation_id="streams_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of records, and the extent of the scan."""
        return _page(request, stream_ref(get_readable_stream(self.workspace, name)))

    @extend_schema(
        operation_id="streams_produce", request=ProduceSerializer, responses={201: ProducedSerializer}
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Write records. If some are invalid, the errors are returned and none is written.

        PARTLY_WRITTEN (503): `written` has the coordinates of each record, null where Kafka did not confirm
        it, and `unsure` the indexes of those that may have been written all the same. Send only those again
        that are in neither.
        """
        stream = get_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        records, errors = _parse(stream, wanted)
        require_valid(errors, len(wanted["records"]))
        written = produce(stream, self.user, records)
        return Response(
            {"written": [{"partition": partition, "offset": offset} for partition, offset in written]},
            status=201,
        )


class CheckRecordsView(WorkspaceView):
    """Validates records before they are written."""

    parser_classes = [RecordParser]

    @extend_schema(
        operation_id="streams_check_records", request=ProduceSerializer, responses=RecordCheckSerializer
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """The invalid records, each with its reason; nothing is written."""
        stream = get_stream(self.workspace, name)
        form = ProduceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        errors = _parse(stream, wanted)[1]
        return Response(
            {"errors": [{"record": int(error.path[1]), "message": error.message} for error in errors]}
        )


class RecordView(WorkspaceView):
    """One record of a stream."""

    turns = SCANS

    @extend_schema(operation_id="streams_record", responses=RecordDetailSerializer)
    def get(self, request: Request, slug: str, name: str, partition: int, offset: int) -> Response:
        """The record in full, with its raw bytes."""
        return Response(get_record(stream_ref(get_readable_stream(self.workspace, name)), partition, offset))


class ExportView(WorkspaceView):
    """The records of a stream as a file."""

    turns = SCANS

    @extend_schema(operation_id="streams_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """As JSON lines or CSV; if not all records may have been written, the last line says so and why."""
        return _file(request, stream_ref(get_readable_stream(self.workspace, name)), name, self.membership)


class TopicRecordsView(WorkspaceView):
    """The records of a topic that need not be a stream. Editors only: without a contract
    their content is unknown.
    """

    turns = SCANS

    rights: ClassVar[dict[str, Right]] = {"GET": Right.BROWSE_TOPICS}

    @extend_schema(
        operation_id="topics_records", parameters=[BrowseSerializer, FROM], responses=RecordPageSerializer
    )
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> Response:
        """A page of records, undecoded, and the extent of the scan."""
        return _page(request, topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic))


class TopicRecordView(WorkspaceView):
    """One record of a topic."""

    turns = SCANS

    rights: ClassVar[dict[str, Right]] = {"GET": Right.BROWSE_TOPICS}

    @extend_schema(operation_id="topics_record", responses=RecordDetailSerializer)
    def get(
        self, request: Request, slug: str, cluster: str, topic: str, partition: int, offset: int
    ) -> Response:
        """The record in full, with its raw bytes."""
        return Response(
            get_record(
                topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic), partition, offset
            )
        )


class TopicExportView(WorkspaceView):
    """The records of a topic as a file."""

    turns = SCANS

    rights: ClassVar[dict[str, Right]] = {"GET": Right.BROWSE_TOPICS}

    @extend_schema(operation_id="topics_export", parameters=[ExportSerializer, FROM], responses=_FILES)
    def get(self, request: Request, slug: str, cluster: str, topic: str) -> StreamingHttpResponse:
        """As JSON lines or CSV, undecoded; if not all records may have been written, the last line says so
        and why.
        """
        ref = topic_ref(get_cluster(self.workspace, cluster), self.workspace, topic)
        return _file(request, ref, topic, self.membership)
