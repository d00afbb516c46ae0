"""Inference of fields from a sample of a topic."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.services.clusters import get_cluster
from weir.streams.api.inference_serializers import InferenceSerializer, InferSerializer
from weir.streams.services.sampling import infer_topic
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.services.turns import ThreadTurns


class InferView(WorkspaceView):
    """Fields and types from a sample."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(operation_id="streams_infer", request=InferSerializer, responses=InferenceSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Infer fields, event time and key from the newest records of a topic."""
        form = InferSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        return Response(
            infer_topic(
                get_cluster(self.workspace, wanted["cluster"]),
                self.workspace,
                wanted["topic"],
                wanted["limit"],
                wanted["encoding"],
            )
        )
