"""Views of previews."""

from typing import ClassVar, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.preview.api.serializers import (
    CancelPreviewSerializer,
    PreviewRequestSerializer,
    PreviewSerializer,
    WaitingPreviewSerializer,
)
from weir.preview.services.preview import Asked, EngineComingError, cancel, preview
from weir.preview.services.samples import SourceChoice
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.services.turns import ThreadTurns

# A newer preview ends the older one, so that one must not wait for the turn of the other.
PREVIEWS: Final = ThreadTurns(per_person=3, waiting=8)


class PreviewView(WorkspaceView):
    """The rows of a document before it is started."""

    turns: ClassVar[ThreadTurns] = PREVIEWS

    @extend_schema(
        operation_id="documents_preview",
        request=PreviewRequestSerializer,
        responses={200: PreviewSerializer, 202: WaitingPreviewSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Play a document on an engine over records of its sources, and return what each step gives.

        While an engine starts nothing is played, and the answer is 202: ask again after some seconds.
        """
        form = PreviewRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        sources = {name: SourceChoice(**choice) for name, choice in data["sources"].items()}
        asked = Asked(data["document"], sources, self._owner(data["page"]), data["reading"])
        try:
            return Response(preview(self.workspace, asked))
        except EngineComingError as coming:
            return Response({"waiting": str(coming)}, status=202)

    def _owner(self, page: str) -> str:
        return owner_of(self.workspace.slug, self.user.pk, page)


class CancelPreviewView(WorkspaceView):
    """Ending previews."""

    @extend_schema(
        operation_id="documents_preview_cancel", request=CancelPreviewSerializer, responses={204: None}
    )
    def post(self, request: Request, slug: str) -> Response:
        """End the previews of a page."""
        form = CancelPreviewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        cancel(self.workspace, owner_of(self.workspace.slug, self.user.pk, form.validated_data["page"]))
        return Response(status=204)


def owner_of(workspace: str, user_id: int, page: str) -> str:
    """Whose preview it is; nobody can end another person's."""
    return f"{workspace}/{user_id}/{page}"
