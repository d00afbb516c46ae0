"""The rule document in the OpenAPI document: its own JSON Schema, so that the client has its types."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers

from weir.alerts.services.rule_document import RuleDocument
from weir.dashboards.api.document_fields import openapi_schema


class RuleDocumentField(serializers.JSONField):
    """A rule document; checked by its own model (`services/rule_document.py`), which names all problems."""


class RuleDocumentFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # of the library
    """The document as a component of its own; found by drf_spectacular because it is imported."""

    target_class = "weir.alerts.api.document_fields.RuleDocumentField"

    def get_name(self) -> str:
        """The component's name."""
        return "AlertRuleDocument"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Its schema; requests have the same."""
        return openapi_schema(RuleDocument)
