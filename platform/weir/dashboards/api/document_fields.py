"""The dashboard document in the OpenAPI document: its own JSON Schema, so that the client has its types."""

from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from pydantic import BaseModel
from rest_framework import serializers

from weir.dashboards.services.document import DashboardDocument


def document_schema() -> dict[str, Any]:
    """The schema of a dashboard document as it is stored."""
    return openapi_schema(DashboardDocument)


def openapi_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model as it is stored, in the dialect of OpenAPI 3.0: no references, no ``const``,
    ``nullable`` instead of a type null.
    """
    schema = model.model_json_schema(mode="serialization")
    definitions = schema.pop("$defs", {})
    found: dict[str, Any] = _openapi(schema, definitions)
    return found


# The kinds of panels are told apart by their `kind`; a discriminator would name definitions that are gone.
_LEFT_OUT: Final = frozenset({"discriminator", "title", "default"})


def _openapi(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_openapi(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _openapi(definitions[value["$ref"].rpartition("/")[2]], definitions)
    if isinstance(value.get("const"), int):
        return {"type": "integer", "minimum": value["const"], "maximum": value["const"]}
    if "const" in value:
        return {"type": value["type"], "enum": [value["const"]]}
    if value.get("anyOf", [])[1:] == [{"type": "null"}]:
        return {**_openapi(value["anyOf"][0], definitions), "nullable": True}
    if "properties" in value:
        names = value["properties"].items()
        members = {name: _openapi(one, definitions) for name, one in names}
        return {**_openapi(_without(value, "properties"), definitions), "properties": members}
    return {name: _openapi(one, definitions) for name, one in value.items() if name not in _LEFT_OUT}


def _without(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: one for key, one in value.items() if key != name}


class DocumentField(serializers.JSONField):
    """A dashboard document; checked by its own model (`services/document.py`), which names all problems."""


class DocumentFieldExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # of the library
    """The document as a component of its own; found by drf_spectacular because it is imported."""

    target_class = "weir.dashboards.api.document_fields.DocumentField"

    def get_name(self) -> str:
        """The component's name."""
        return "DashboardDocument"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        """Its schema; requests have the same."""
        return document_schema()
