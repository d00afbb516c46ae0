"""Sending letters again: asking for it, how far it is, calling it off."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.guards import showing
from weir.guards.api.choice_shapes import NewRedriveSerializer, RedriveListSerializer, RedriveSerializer, choice_of, record_of, value_of
from weir.guards.api.of_stream import OfStreamView
from weir.guards.edits import read_edit
from weir.guards.models import Redrive
from weir.guards.services.redriving import begin_redrive, cancel_redrive, find_redrive


class RedrivesView(OfStreamView):
    """Sending letters again."""

    @extend_schema(operation_id="redrives_list", responses=RedriveListSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The newest redrives with their progress."""
        rows = Redrive.objects.select_related("target").filter(guard__stream=self.stream(name))[:20]
        return Response(RedriveListSerializer({"results": [showing.redrive_row(row) for row in rows]}).data)

    @extend_schema(operation_id="redrives_create", request=NewRedriveSerializer, responses={201: RedriveSerializer})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Send waiting letters again, each once."""
        guard = showing.find_guard(self.stream(name))
        form = NewRedriveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        target = self.target(guard, wanted["to"])
        made = begin_redrive(
            guard,
            self.user,
            choice_of(wanted),
            target=target,
            rate=wanted["rate"],
            value=value_of(wanted),
            record=record_of(wanted, target),
            edit=read_edit(wanted["edit"]),
        )
        return Response(RedriveSerializer(showing.redrive_row(made)).data, status=201)


class RedriveView(OfStreamView):
    """One redrive."""

    @extend_schema(operation_id="redrives_get", responses=RedriveSerializer)
    def get(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """How far it is."""
        return Response(RedriveSerializer(showing.redrive_row(find_redrive(showing.find_guard(self.stream(name)), redrive_id))).data)


class CancelView(OfStreamView):
    """Calling a redrive off."""

    @extend_schema(operation_id="redrives_cancel", request=None, responses=RedriveSerializer)
    def post(self, request: Request, slug: str, name: str, redrive_id: str) -> Response:
        """Send no more; what was not sent waits again."""
        redrive = find_redrive(showing.find_guard(self.stream(name)), redrive_id)
        return Response(RedriveSerializer(showing.redrive_row(cancel_redrive(redrive, self.user))).data)
