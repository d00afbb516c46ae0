"""Dead letters: by reason, as a list, one whole, what an edit would do to them, and giving them up."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.guards import showing
from weir.guards.api.choice_shapes import DroppedSerializer, DropSerializer, EditedChoiceSerializer, EditPreviewSerializer, choice_of
from weir.guards.api.of_stream import OfStreamView
from weir.guards.api.shapes import LetterGroupListSerializer, LetterPageSerializer, LettersQuerySerializer, WholeLetterSerializer
from weir.guards.edits import read_edit
from weir.guards.models import DeadLetter
from weir.guards.services.dropping import drop
from weir.guards.services.mending import preview

_PAGE = 50


class GroupsView(OfStreamView):
    """Dead letters by reason."""

    @extend_schema(operation_id="letters_groups", responses=LetterGroupListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """All reasons with samples; empty where nothing was quarantined."""
        return Response(LetterGroupListSerializer({"results": showing.group_rows(self.stream(name))}).data)


class LettersView(OfStreamView):
    """Dead letters."""

    @extend_schema(operation_id="letters_list", parameters=[LettersQuerySerializer], responses=LetterPageSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A page of letters, newest first."""
        form = LettersQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        letters = DeadLetter.objects.filter(guard__stream=self.stream(name))
        given = {"reason": wanted["reason"], "state": wanted["state"], "pk__lt": wanted["before"]}
        rows = list(letters.filter(**{field: value for field, value in given.items() if value}).order_by("-pk")[: _PAGE + 1])
        page = {"results": [showing.letter_row(row) for row in rows[:_PAGE]], "next": rows[_PAGE - 1].pk if len(rows) > _PAGE else None}
        return Response(LetterPageSerializer(page).data)


class LetterView(OfStreamView):
    """One dead letter."""

    @extend_schema(operation_id="letters_get", responses=WholeLetterSerializer)
    def get(self, request: Request, slug: str, name: str, letter_id: int) -> Response:
        """The letter whole, and what the stream's present contract says of it."""
        return Response(WholeLetterSerializer(showing.whole_letter(showing.find_guard(self.stream(name)), letter_id)).data)


class EditPreviewView(OfStreamView):
    """An edit, before anything is sent."""

    @extend_schema(operation_id="letters_preview", request=EditedChoiceSerializer, responses=EditPreviewSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """What it would make of the newest letters of a choice, and which of them would fit then."""
        guard = showing.find_guard(self.stream(name))
        form = EditedChoiceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        target = self.target(guard, wanted["to"])
        return Response(EditPreviewSerializer(preview(guard, choice_of(wanted), target, read_edit(wanted["edit"]))).data)


class DropView(OfStreamView):
    """Giving letters up."""

    @extend_schema(operation_id="letters_drop", request=DropSerializer, responses=DroppedSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Drop waiting letters; their bytes stay in the dead-letter topic until Kafka forgets them."""
        guard = showing.find_guard(self.stream(name))
        form = DropSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response({"dropped": drop(guard, self.user, choice_of(form.validated_data), form.validated_data["why"])})
