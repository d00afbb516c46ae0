"""Current rows of a table."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.streams.api.table_serializers import (
    TableKeySerializer,
    TablePageSerializer,
    TableQuerySerializer,
    TableRowSerializer,
)
from weir.streams.services.scan import Budget
from weir.streams.services.streams import get_readable_stream
from weir.streams.services.tables.browse import table_page, table_row
from weir.workspaces.api.base_view import SCANS, WorkspaceView


def _budget(wanted: dict[str, Any]) -> Budget:
    return Budget(wanted["max_records"], wanted["max_bytes"], wanted["seconds"])


class TableView(WorkspaceView):
    """The rows of a table."""

    turns = SCANS

    @extend_schema(
        operation_id="tables_rows", parameters=[TableQuerySerializer], responses=TablePageSerializer
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The next rows by key. Each page needs a scan of the whole topic, in as many
        requests as it takes.
        """
        stream = get_readable_stream(self.workspace, name)
        form = TableQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        return Response(table_page(stream, wanted["limit"], wanted["cursor"], _budget(wanted)))


class TableRowView(WorkspaceView):
    """One row of a table."""

    turns = SCANS

    @extend_schema(operation_id="tables_row", parameters=[TableKeySerializer], responses=TableRowSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The current row of a key, searched from the newest record backwards."""
        stream = get_readable_stream(self.workspace, name)
        form = TableKeySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        return Response(table_row(stream, wanted["key"], wanted["cursor"], _budget(wanted)))
