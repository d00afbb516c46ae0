"""Current rows of a table: serializers and views."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.streams.api.records import ScanSerializer
from weir.streams.scan import MAX_BYTES, MAX_RECORDS, TIMEOUT_S, Budget
from weir.streams.services import get_stream
from weir.streams.tables.browse import table_page, table_row
from weir.workspaces.base_view import WorkspaceView


class ScanBudgetSerializer(serializers.Serializer[Any]):
    """Limits of one scan, and where to continue."""

    cursor = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=20_000, help_text="`next` of the previous answer"
    )
    max_records = serializers.IntegerField(min_value=1, max_value=MAX_RECORDS, required=False, default=MAX_RECORDS)
    max_bytes = serializers.IntegerField(min_value=1, max_value=8 * MAX_BYTES, required=False, default=8 * MAX_BYTES)
    seconds = serializers.FloatField(min_value=0.1, max_value=10, required=False, default=TIMEOUT_S)


class TableQuerySerializer(ScanBudgetSerializer):
    """Which rows."""

    limit = serializers.IntegerField(min_value=1, max_value=100, required=False, default=50)


class TableKeySerializer(ScanBudgetSerializer):
    """Which key."""

    key = serializers.CharField(
        max_length=10_000, trim_whitespace=False, help_text="JSON: an object or list of the key fields, or the value of one"
    )


class TableEntrySerializer(serializers.Serializer[Any]):
    """The newest record of a key; `key` is its identity as JSON, `row` null where it was deleted."""

    key = serializers.CharField()
    row = serializers.DictField(allow_null=True)
    event_time = serializers.CharField()
    timestamp = serializers.CharField()
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class SizeSerializer(serializers.Serializer[Any]):
    """How many rows a table has; an estimate errs by some per cent."""

    rows = serializers.IntegerField()
    exact = serializers.BooleanField()


class TablePageSerializer(serializers.Serializer[Any]):
    """Rows in the order of their keys. Until `complete` there are none, and `next` continues the scan.

    `size` comes with the first page, when it is complete. `newest` is when the newest record seen arrived.
    """

    complete = serializers.BooleanField()
    rows = TableEntrySerializer(many=True)
    size = SizeSerializer(allow_null=True)
    newest = serializers.CharField(allow_null=True)
    malformed = serializers.IntegerField()
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)


class TableRowSerializer(serializers.Serializer[Any]):
    """The current row of a key: searching means that the scan is not complete, and `next` continues it."""

    state = serializers.ChoiceField(choices=["found", "deleted", "absent", "searching"])
    entry = TableEntrySerializer(allow_null=True)
    scan = ScanSerializer()
    next = serializers.CharField(allow_null=True)


def _budget(wanted: dict[str, Any]) -> Budget:
    return Budget(wanted["max_records"], wanted["max_bytes"], wanted["seconds"])


class TableView(WorkspaceView):
    """The rows of a table."""

    @extend_schema(operation_id="tables_rows", parameters=[TableQuerySerializer], responses=TablePageSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The next rows by key. Each page needs a scan of the whole topic, in as many requests as it takes."""
        stream = get_stream(self.workspace, name)
        form = TableQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        return Response(table_page(stream, wanted["limit"], wanted["cursor"], _budget(wanted)))


class TableRowView(WorkspaceView):
    """One row of a table."""

    @extend_schema(operation_id="tables_row", parameters=[TableKeySerializer], responses=TableRowSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The current row of a key, searched from the newest record backwards."""
        stream = get_stream(self.workspace, name)
        form = TableKeySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        return Response(table_row(stream, wanted["key"], wanted["cursor"], _budget(wanted)))
