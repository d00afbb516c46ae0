"""The map of a workspace."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.run_states import DesiredState
from weir.impact.services.flow_map import flow_map
from weir.runs.api.job_serializers import OBSERVED, LagTotalsSerializer
from weir.workspaces.api.base_view import WorkspaceView


class MapJobSerializer(serializers.Serializer[Any]):
    """State and measurements of a job; null is unknown, as of a job that does not run."""

    id = serializers.CharField()
    desired = serializers.ChoiceField(choices=list(get_args(DesiredState)))
    observed = serializers.ChoiceField(choices=OBSERVED)
    lag = LagTotalsSerializer(allow_null=True)
    rows_per_second = serializers.FloatField(allow_null=True)
    state_rows = serializers.IntegerField(allow_null=True)
    state_bytes = serializers.IntegerField(allow_null=True)


class MapNodeSerializer(serializers.Serializer[Any]):
    """A stream or table with its topic, or a job. `missing`: a job names it, and it is not registered."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=["stream", "table", "missing", "job"])
    name = serializers.CharField()
    topic = serializers.CharField(allow_blank=True)
    cluster = serializers.CharField(allow_blank=True)
    cluster_name = serializers.CharField(allow_blank=True)
    job = MapJobSerializer(allow_null=True)


class MapEdgeSerializer(serializers.Serializer[Any]):
    """Rows from a stream to a job, or from a job to a stream; lag of what is read. Null: unknown."""

    to = serializers.CharField()
    rows_per_second = serializers.FloatField(allow_null=True)
    lag_records = serializers.IntegerField(allow_null=True)
    lag_seconds = serializers.FloatField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which is a keyword of Python."""
        return {"from": serializers.CharField(), **super().get_fields()}


class MapSerializer(serializers.Serializer[Any]):
    """Streams, tables and jobs of a workspace, and what flows between them."""

    nodes = MapNodeSerializer(many=True)
    edges = MapEdgeSerializer(many=True)
    jobs_left_out = serializers.BooleanField(help_text="There are more jobs than a map shows.")


class MapView(WorkspaceView):
    """The map of a workspace."""

    @extend_schema(operation_id="map_get", responses=MapSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What flows where: from topics through streams, tables and jobs to topics."""
        return Response(flow_map(self.workspace))
