"""The view of where nodes of a job's drawing are."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.runs.api.drawing_serializers import DrawingSerializer, MovesSerializer
from weir.runs.services.drawing import move_nodes, positions_of
from weir.runs.services.queries import get_job
from weir.workspaces.api.base_view import WorkspaceView


class DrawingView(WorkspaceView):
    """Positions of the nodes of a job's drawing."""

    @extend_schema(operation_id="jobs_drawing", responses=DrawingSerializer)
    def get(self, request: Request, slug: str, job_id: str) -> Response:
        """The positions that people gave to nodes."""
        return Response(DrawingSerializer(positions_of(get_job(self.workspace, job_id))).data)

    @extend_schema(operation_id="jobs_drawing_move", request=MovesSerializer, responses=DrawingSerializer)
    def patch(self, request: Request, slug: str, job_id: str) -> Response:
        """Move nodes; of two moves of one node the later one wins. The job and its versions stay."""
        job = get_job(self.workspace, job_id)
        form = MovesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(DrawingSerializer(move_nodes(job, form.validated_data)).data)
