"""Views of the diagnosis, and of what made a row."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.diagnosis.api.serializers import (
    DiagnosisQuerySerializer,
    DiagnosisSerializer,
    RowInputsSerializer,
    RowKeySerializer,
)
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.gather import evidence_of
from weir.diagnosis.services.row_inputs import row_inputs
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.roles import Right
from weir.workspaces.services.turns import ThreadTurns


class DiagnosisView(WorkspaceView):
    """Why a job gives no output."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(
        operation_id="job_diagnosis", parameters=[DiagnosisQuerySerializer], responses=DiagnosisSerializer
    )
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Walk from the job's sources to an output, and stop at the first cause.

        Reads the newest records of each source, and with `key` up to 20,000 more. Steps are judged by what
        the run has counted, where it counts them.
        """
        form = DiagnosisQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        evidence = evidence_of(get_job(self.workspace, job_id), asked["key"], asked["output"])
        return Response(diagnose(evidence).as_json())


class RowInputsView(WorkspaceView):
    """What made a row of a result."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="job_row_inputs", request=RowKeySerializer, responses=RowInputsSerializer)
    def post(self, request: Request, slug: str, job_id: str) -> Response:
        """The newest input records that made a row, as far as Kafka keeps them.

        Looks at 100,000 records of all sources together at most, for 3 s each. What can't be followed is
        named, not guessed.
        """
        form = RowKeySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = row_inputs(get_job(self.workspace, job_id), form.validated_data["key"])
        return Response(found)
