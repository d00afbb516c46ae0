"""Views of the sample that is stored with a stream."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import instant_of, instant_text
from weir.streams.models import StoredSample
from weir.streams.services.stored_samples import MAX_CHARACTERS, save_sample, stored_sample
from weir.streams.services.streams import get_stream
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.api.request_fields import StrictSerializer


class SampleLinesSerializer(StrictSerializer):
    """JSON values, or lines of an export, one a line; empty deletes the sample."""

    lines = serializers.CharField(allow_blank=True, max_length=MAX_CHARACTERS, trim_whitespace=False)


class StoredSampleSerializer(serializers.Serializer[Any]):
    """The sample; without one, `lines` is empty and the rest null."""

    lines = serializers.CharField(allow_blank=True)
    records = serializers.IntegerField()
    changed_at = serializers.CharField(allow_null=True)
    changed_by = serializers.CharField(allow_null=True)


class StoredSampleView(WorkspaceView):
    """Records to try a stream's jobs with."""

    @extend_schema(operation_id="stream_sample_get", responses=StoredSampleSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The sample that is stored with the stream."""
        return Response(_json(stored_sample(get_stream(self.workspace, name))))

    @extend_schema(
        operation_id="stream_sample_put", request=SampleLinesSerializer, responses=StoredSampleSerializer
    )
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Store a sample in place of the one before."""
        stream = get_stream(self.workspace, name)
        form = SampleLinesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(_json(save_sample(stream, form.validated_data["lines"], self.user)))


def _json(sample: StoredSample | None) -> dict[str, Any]:
    if sample is None:
        return {"lines": "", "records": 0, "changed_at": None, "changed_by": None}
    return {
        "lines": sample.lines,
        "records": sample.records,
        "changed_at": instant_text(instant_of(sample.changed_at)),
        "changed_by": sample.changed_by,
    }
