"""How many records of a sample fit a contract: serializers and view."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.models import HOME
from weir.clusters.services import find_cluster
from weir.streams.api.records import LookedSerializer
from weir.streams.fitting import fit_of
from weir.workspaces.base_view import WorkspaceView


class FitRequestSerializer(serializers.Serializer[Any]):
    """Which topic to sample, by which contract, and how many records at most."""

    cluster = serializers.CharField(max_length=40, required=False, default=HOME)
    topic = serializers.CharField(max_length=249)
    contract = serializers.JSONField()
    limit = serializers.IntegerField(min_value=1, max_value=2000, required=False, default=500)


class UnfitSerializer(serializers.Serializer[Any]):
    """Malformed records of one reason, and where one of them lies."""

    reason = serializers.CharField()
    records = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True)
    partition = serializers.IntegerField()
    offset = serializers.IntegerField()


class FitSerializer(serializers.Serializer[Any]):
    """Of `records`, `fit` become rows and `skipped` are neither row nor malformed; `unfit`: the others, most frequent reason first.
    `fault`: why the contract is none; then nothing was looked at."""

    records = serializers.IntegerField()
    fit = serializers.IntegerField()
    skipped = serializers.IntegerField()
    unfit = UnfitSerializer(many=True)
    looked = LookedSerializer(allow_null=True)
    fault = serializers.CharField(allow_null=True)


class FitView(WorkspaceView):
    """Records of a topic against a contract."""

    @extend_schema(operation_id="streams_fit", request=FitRequestSerializer, responses=FitSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Sample the newest records of a topic and say how many fit a contract, value and key; 200 for a contract with faults, too."""
        form = FitRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        cluster = find_cluster(self.workspace, wanted["cluster"])
        return Response(fit_of(cluster, self.workspace, wanted["topic"], wanted["contract"], wanted["limit"]))
