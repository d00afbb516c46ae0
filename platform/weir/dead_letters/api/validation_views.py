"""View of a stream's contract validation."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.dead_letters.api.base_view import StreamScopedView
from weir.dead_letters.api.serializers import ValidationSerializer, ValidationSwitchSerializer
from weir.dead_letters.services import queries
from weir.dead_letters.services.lifecycle import disable, enable


class ValidationView(StreamScopedView):
    """Contract validation of a stream."""

    @extend_schema(operation_id="validation_get", responses=ValidationSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """State, counts and number of dead letters."""
        return Response(ValidationSerializer(queries.validation_json(self.stream(name))).data)

    @extend_schema(
        operation_id="validation_update", request=ValidationSwitchSerializer, responses=ValidationSerializer
    )
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Turn it on or off. It stays on while running jobs require it."""
        stream = self.stream(name)
        form = ValidationSwitchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if form.validated_data["on"]:
            enable(stream, self.user, form.validated_data["from"])
        else:
            disable(stream, self.user)
        return Response(ValidationSerializer(queries.validation_json(stream)).data)
