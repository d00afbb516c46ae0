"""Views of dead letters: groups, list, detail, edit preview, discard."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.dead_letters.api.base_view import StreamScopedView
from weir.dead_letters.api.selection_serializers import (
    DiscardedSerializer,
    DiscardSerializer,
    EditPreviewSerializer,
    EditSelectionSerializer,
    selection_of,
)
from weir.dead_letters.api.serializers import (
    DeadLetterDetailSerializer,
    DeadLetterGroupListSerializer,
    DeadLetterPageSerializer,
    DeadLetterQuerySerializer,
)
from weir.dead_letters.models import DeadLetter
from weir.dead_letters.services import queries
from weir.dead_letters.services.discard import discard
from weir.dead_letters.services.editing import preview
from weir.dead_letters.services.edits import parse_edit
from weir.workspaces.api.parsing import RecordParser

_PAGE_SIZE = 50


class DeadLetterGroupsView(StreamScopedView):
    """Dead letters by reason."""

    @extend_schema(operation_id="dead_letters_groups", responses=DeadLetterGroupListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """All reasons with samples."""
        return Response(
            DeadLetterGroupListSerializer({"results": queries.group_json(self.stream(name))}).data
        )


class DeadLettersView(StreamScopedView):
    """Dead letters."""

    @extend_schema(
        operation_id="dead_letters_list",
        parameters=[DeadLetterQuerySerializer],
        responses=DeadLetterPageSerializer,
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of dead letters, newest first."""
        form = DeadLetterQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        dead_letters = DeadLetter.objects.filter(validator__stream=self.stream(name))
        filters = {"reason": data["reason"], "state": data["state"], "pk__lt": data["before"]}
        rows = list(
            dead_letters.filter(**{field: value for field, value in filters.items() if value}).order_by(
                "-pk"
            )[: _PAGE_SIZE + 1]
        )
        page = {
            "results": [queries.dead_letter_json(row) for row in rows[:_PAGE_SIZE]],
            "next": rows[_PAGE_SIZE - 1].pk if len(rows) > _PAGE_SIZE else None,
        }
        return Response(DeadLetterPageSerializer(page).data)


class DeadLetterView(StreamScopedView):
    """One dead letter."""

    @extend_schema(operation_id="dead_letters_get", responses=DeadLetterDetailSerializer)
    def get(self, request: Request, slug: str, name: str, dead_letter_id: int) -> Response:
        """A dead letter with its complete record, checked against the stream's current contract."""
        return Response(
            DeadLetterDetailSerializer(
                queries.get_dead_letter(queries.get_validator(self.stream(name)), dead_letter_id)
            ).data
        )


class EditPreviewView(StreamScopedView):
    """Preview of an edit."""

    parser_classes = [RecordParser]

    @extend_schema(
        operation_id="dead_letters_preview", request=EditSelectionSerializer, responses=EditPreviewSerializer
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Apply an edit to the newest of the selected dead letters, without sending them."""
        validator = queries.get_validator(self.stream(name))
        form = EditSelectionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        target = self.target(validator, data["to"])
        return Response(
            EditPreviewSerializer(
                preview(validator, selection_of(data), target, parse_edit(data["edit"]))
            ).data
        )


class DiscardView(StreamScopedView):
    """Discarding dead letters."""

    @extend_schema(
        operation_id="dead_letters_discard", request=DiscardSerializer, responses=DiscardedSerializer
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Discard waiting dead letters. Kafka keeps their bytes until the topic's retention ends."""
        validator = queries.get_validator(self.stream(name))
        form = DiscardSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(
            {
                "discarded": discard(
                    validator, self.user, selection_of(form.validated_data), form.validated_data["note"]
                )
            }
        )
