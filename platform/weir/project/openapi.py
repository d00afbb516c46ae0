"""How routes are described in the OpenAPI document."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from weir.project.api_areas import area_of
from weir.project.problem_details import CONTENT_TYPE


class ProblemDetailsSerializer(serializers.Serializer[Any]):
    """Any error, as RFC 9457 problem details. `code` names the problem, `detail` says it in a sentence. Some
    codes have further members. After 429 and 503 the header `Retry-After` may say in how many seconds to try
    again.
    """

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    problems = serializers.ListField(
        child=serializers.DictField(), required=False, help_text="Of a document: as a check gives them."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `errors`, which is a name of serializers' own."""
        errors = serializers.DictField(required=False, help_text="Of `INVALID`: messages by field.")
        return {**super().get_fields(), "errors": errors}


class AreaSchema(AutoSchema):
    """One tag per area, instead of the first word after the common prefix, and the errors of every route."""

    def get_tags(self) -> list[str]:
        """The area that the route belongs to."""
        return [area_of(self.path)]

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        problem = self.resolve_serializer(ProblemDetailsSerializer, "response").ref
        return bodies | {
            "default": {"description": "An error.", "content": {CONTENT_TYPE: {"schema": problem}}}
        }
