"""Views of redrives: list, start, progress, cancel."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.dead_letters.api.base_view import StreamScopedView
from weir.dead_letters.api.selection_serializers import (
    NewRedriveSerializer,
    RedriveListSerializer,
    RedriveSerializer,
    record_of,
    selection_of,
    value_of,
)
from weir.dead_letters.models import Redrive
from weir.dead_letters.services import queries
from weir.dead_letters.services.edits import parse_edit
from weir.dead_letters.services.redrives import cancel_redrive, get_redrive, start_redrive
from weir.workspaces.api.parsing import RecordParser


class RedrivesView(StreamScopedView):
    """Redrives of a stream's dead letters."""

    parser_classes = [RecordParser]

    @extend_schema(operation_id="redrives_list", responses=RedriveListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The newest redrives with their progress."""
        rows = Redrive.objects.select_related("target").filter(validator__stream=self.stream(name))[:20]
        return Response(RedriveListSerializer({"results": [queries.redrive_json(row) for row in rows]}).data)

    @extend_schema(
        operation_id="redrives_create", request=NewRedriveSerializer, responses={201: RedriveSerializer}
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Redrive waiting dead letters, each once."""
        validator = queries.get_validator(self.stream(name))
        form = NewRedriveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        target = self.target(validator, data["to"])
        redrive = start_redrive(
            validator,
            self.user,
            selection_of(data),
            target=target,
            rate=data["rate"],
            value=value_of(data),
            record=record_of(data, target),
            edit=parse_edit(data["edit"]),
        )
        return Response(RedriveSerializer(queries.redrive_json(redrive)).data, status=201)


class RedriveView(StreamScopedView):
    """One redrive."""

    @extend_schema(operation_id="redrives_get", responses=RedriveSerializer)
    def get(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """A redrive and its progress."""
        return Response(
            RedriveSerializer(
                queries.redrive_json(get_redrive(queries.get_validator(self.stream(name)), redrive_id))
            ).data
        )


class CancelView(StreamScopedView):
    """Cancelling a redrive."""

    @extend_schema(operation_id="redrives_cancel", request=None, responses=RedriveSerializer)
    def post(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """Cancel a redrive. Dead letters that were not sent are waiting again."""
        redrive = get_redrive(queries.get_validator(self.stream(name)), redrive_id)
        return Response(RedriveSerializer(queries.redrive_json(cancel_redrive(redrive, self.user))).data)
