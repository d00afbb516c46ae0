"""Views of results: a page of rows, and everything as a file."""

import json
import time
from functools import partial
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.identities import identity_parts
from jobs.base.instants import Instant, instant_text
from weir.results.api.serializers import PageQuerySerializer, ResultPageSerializer
from weir.results.services.cursors import Cursor, CursorError, decode_page, encode_cursor, encode_page
from weir.results.services.export import FORMATS, export
from weir.results.services.queries import PAGE_CHARACTERS, Snapshot, StoredRow, read_snapshot
from weir.runs.models import Job
from weir.runs.services.queries import get_job, has_generation, result_fields
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.errors import ServiceError


class ResultsView(WorkspaceView):
    """Rows of a job's current generation."""

    @extend_schema(
        operation_id="results_list", parameters=[PageQuerySerializer], responses=ResultPageSerializer
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """A page of rows, newest first; shorter than `limit` where rows are large."""
        form = PageQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        limit, after = form.validated_data["limit"], form.validated_data.get("after")
        job = get_job(self.workspace, job_id)
        if job.generation is None:
            return Response(
                {
                    "generation": None,
                    "rows": [],
                    "total": 0,
                    "total_exact": True,
                    "cursor": None,
                    "next": None,
                }
            )
        position = None if after is None else _page(after, job.generation)
        found = read_snapshot(job.pk, job.generation, limit, position, PAGE_CHARACTERS)
        last = None if found.ended else found.rows[-1]
        return Response(
            {
                "generation": job.generation,
                "rows": [_row(row) for row in found.rows],
                "total": found.total,
                "total_exact": found.total_exact,
                "cursor": _cursor(job, found),
                "next": encode_page(job.generation, last.newest_input_us, last.digest) if last else None,
            }
        )


class ExportView(WorkspaceView):
    """Everything as a file."""

    @extend_schema(
        operation_id="results_export",
        parameters=[OpenApiParameter("format", OpenApiTypes.STR, enum=list(FORMATS))],
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.BINARY,
            (200, "text/csv"): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Request, slug: str, job_id: str) -> StreamingHttpResponse:
        """All rows, as JSON lines or CSV."""
        name = request.query_params.get("format", "jsonl")
        if name not in FORMATS:
            raise ServiceError("FORMAT_UNKNOWN", f"Supported export formats: {' and '.join(FORMATS)}.")
        job = get_job(self.workspace, job_id)
        body = export(
            name,
            job.pk,
            job.generation or 0,
            self.membership,
            result_fields(job),
            partial(has_generation, job.pk, job.generation),
        )
        response = StreamingHttpResponse(body, content_type=FORMATS[name])
        response["Content-Disposition"] = f'attachment; filename="{job.pk}.{name}"'
        return response


def _page(after: str, generation: int) -> tuple[int, str]:
    try:
        return decode_page(after, generation)
    except CursorError as error:
        raise ServiceError("CURSOR_INVALID", "Cursor expired or invalid. Restart without it.") from error


def _row(row: StoredRow) -> dict[str, Any]:
    return {
        "key": identity_parts(row.key),
        "value": json.loads(row.value),
        "newest_input_us": row.newest_input_us,
        "partial": row.partial,
        "updated_at": instant_text(Instant(row.timestamp_ms * 1000)),
    }


def _cursor(job: Job, found: Snapshot) -> str | None:
    if not found.topic_id:
        return None
    return encode_cursor(Cursor(job.generation or 0, found.topic_id, found.offsets, time.time_ns() // 1000))
