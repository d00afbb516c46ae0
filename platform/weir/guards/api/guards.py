"""A stream's guard: what it does and counted, on and off."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.guards import showing
from weir.guards.api.of_stream import OfStreamView
from weir.guards.api.shapes import GuardSerializer, SwitchSerializer
from weir.guards.services.switching import switch_off, switch_on


class GuardView(OfStreamView):
    """A stream's guard."""

    @extend_schema(operation_id="guards_get", responses=GuardSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """What it does, what it counted, how many letters there are."""
        return Response(GuardSerializer(showing.guard_row(self.stream(name))).data)

    @extend_schema(operation_id="guards_switch", request=SwitchSerializer, responses=GuardSerializer)
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Switch it on or off; one that running jobs need stays on."""
        stream = self.stream(name)
        form = SwitchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if form.validated_data["on"]:
            switch_on(stream, self.user, form.validated_data["from"])
        else:
            switch_off(stream, self.user)
        return Response(GuardSerializer(showing.guard_row(stream)).data)
