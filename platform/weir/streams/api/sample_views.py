"""Views of what a sample of a stream's newest records tells."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_text, nearest_instant
from weir.streams.api.sample_serializers import (
    LatenessSerializer,
    SampleQuerySerializer,
    StreamProfileSerializer,
)
from weir.streams.services.field_profiles import field_profiles
from weir.streams.services.lateness import SECOND, lateness
from weir.streams.services.row_sample import row_sample
from weir.streams.services.slices import read_slices
from weir.streams.services.streams import get_readable_stream
from weir.streams.services.topic_ref import stream_ref
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.services.turns import ThreadTurns


def _records(request: Request) -> int:
    form = SampleQuerySerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    return int(form.validated_data["records"])


class StreamProfileView(WorkspaceView):
    """Values of a stream's fields."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(
        operation_id="stream_profile", parameters=[SampleQuerySerializer], responses=StreamProfileSerializer
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Nulls, distinct values, range and most frequent values of each field, in the newest records."""
        stream = get_readable_stream(self.workspace, name)
        sample = row_sample(stream_ref(stream), _records(request))
        return Response(
            {
                "records": sample.read,
                "rows": len(sample.rows),
                "malformed": sample.malformed_count,
                "newest": _instant(sample.newest_us),
                "oldest": _instant(sample.oldest_us),
                "fields": [
                    profile.as_json()
                    for profile in field_profiles(stream.stream_contract.schema_of_rows, sample)
                ],
            }
        )


class LatenessView(WorkspaceView):
    """Disorder of a stream."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(
        operation_id="stream_lateness", parameters=[SampleQuerySerializer], responses=LatenessSerializer
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """How far out of order records come, and how many any delay would make late.

        Reads up to `records` records, at eight places of the last six hours.
        """
        stream = get_readable_stream(self.workspace, name)
        contract = stream.stream_contract
        delay = contract.delay_duration.us if contract.delay is not None else None
        found = lateness(read_slices(stream_ref(stream), _records(request)), contract.key, delay)
        return Response(found.as_json() | {"delay_seconds": None if delay is None else delay / SECOND})


def _instant(us: int | None) -> str | None:
    return None if us is None else instant_text(nearest_instant(us))
