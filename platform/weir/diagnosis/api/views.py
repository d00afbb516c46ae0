"""View of the diagnosis."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.base.instants import Instant, instant_text
from weir.diagnosis.api.serializers import DiagnosisSerializer
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.gather import evidence_of
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import SCANS, WorkspaceView
from weir.workspaces.services.turns import ThreadTurns


class DiagnosisView(WorkspaceView):
    """Why a job gives no output."""

    turns: ClassVar[ThreadTurns] = SCANS

    @extend_schema(operation_id="job_diagnosis", responses=DiagnosisSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """Walk from the job's sources to its output, and stop at the first cause.

        Reads the newest records of each source. Steps with state are judged by what engines report.
        """
        evidence = evidence_of(get_job(self.workspace, job_id))
        return Response({"at": instant_text(Instant(evidence.now_us)), **diagnose(evidence).as_json()})
