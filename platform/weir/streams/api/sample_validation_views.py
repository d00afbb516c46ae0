"""Validation of a sample of records against a contract."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.clusters.services.clusters import get_cluster
from weir.streams.api.sample_validation_serializers import (
    SampleValidationRequestSerializer,
    SampleValidationSerializer,
)
from weir.streams.services.sample_validation import validate_sample
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.services.turns import ThreadTurns


class SampleValidationView(WorkspaceView):
    """Validates records of a topic against a contract."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(
        operation_id="streams_validate",
        request=SampleValidationRequestSerializer,
        responses=SampleValidationSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Validate the newest records of a topic against a contract, value and key. An invalid
        contract gives 200 with `error`.
        """
        form = SampleValidationRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        cluster = get_cluster(self.workspace, wanted["cluster"])
        return Response(
            validate_sample(cluster, self.workspace, wanted["topic"], wanted["contract"], wanted["limit"])
        )
