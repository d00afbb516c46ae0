"""Fields that the schema of an encoding declares."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.streams.api.encoding_serializers import EncodingRequestSerializer, SchemaFieldsSerializer
from weir.streams.services.contracts import fields_of_encoding
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.roles import Right


class EncodingFieldsView(WorkspaceView):
    """Fields from a schema."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="encodings_fields", request=EncodingRequestSerializer, responses=SchemaFieldsSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """The fields that a stream of this encoding can declare: those of its schema, or of
        the newest in its subject.
        """
        form = EncodingRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = fields_of_encoding(self.workspace, form.validated_data["encoding"])
        return Response({"fields": [field.as_json() for field in found]})
