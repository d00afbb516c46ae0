"""Validation of a sample of records against a contract: serializers and view."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.models import HOME
from weir.clusters.services import get_cluster
from weir.streams.api.records import ScanSerializer
from weir.streams.sample_validation import validate_sample
from weir.workspaces.base_view import WorkspaceView


class SampleValidationRequestSerializer(serializers.Serializer[Any]):
    """Which topic to sample, by which contract, and how many records at most."""

    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    contract = serializers.JSONField()
    limit = serializers.IntegerField(min_value=1, max_value=2000, required=False, default=500)


class MalformedReasonSerializer(serializers.Serializer[Any]):
    """Number of malformed records with one reason, and the coordinates of one of them."""

    reason = serializers.CharField()
    records = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True)
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class SampleValidationSerializer(serializers.Serializer[Any]):
    """Of `records`, `valid` become rows and `skipped` are neither row nor malformed; `malformed`: the others by reason.
    `error`: why the contract is not valid, in which case nothing was read."""

    records = serializers.IntegerField()
    valid = serializers.IntegerField()
    skipped = serializers.IntegerField()
    malformed = MalformedReasonSerializer(many=True)
    scan = ScanSerializer(allow_null=True)
    error = serializers.CharField(allow_null=True)


class SampleValidationView(WorkspaceView):
    """Validates records of a topic against a contract."""

    @extend_schema(operation_id="streams_validate", request=SampleValidationRequestSerializer, responses=SampleValidationSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Validate the newest records of a topic against a contract, value and key. An invalid contract gives 200 with `error`."""
        form = SampleValidationRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        cluster = get_cluster(self.workspace, wanted["cluster"])
        return Response(validate_sample(cluster, self.workspace, wanted["topic"], wanted["contract"], wanted["limit"]))
