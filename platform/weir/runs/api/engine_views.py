"""Views of engines."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.runs.api.engine_serializers import EngineListSerializer, EngineSerializer, ReplacedEngineSerializer
from weir.runs.services.handover import replace_engine
from weir.runs.services.queries import engines_json
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class EnginesView(WorkspaceView):
    """The engines."""

    @extend_schema(operation_id="engines_list", responses=EngineListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Engines that serve this workspace."""
        return Response({"results": EngineSerializer(engines_json(self.workspace), many=True).data})


class ReplaceEngineView(WorkspaceView):
    """The replacement of an engine by the standby."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.MANAGE_ENGINES}

    @extend_schema(operation_id="engines_replace", request=None, responses={202: ReplacedEngineSerializer})
    def post(self, request: Request, slug: str, engine_id: str) -> Response:
        """Move the engine's runs to the standby at the ends of their batches, then start it again as the next
        standby; no error while that is under way.
        """
        successor = replace_engine(self.workspace, engine_id, self.user)
        return Response({"successor": successor.id}, status=202)
