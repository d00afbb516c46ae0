"""How schemas come in requests and go in responses."""

import json
from typing import Any, Final

from rest_framework import serializers
from rest_framework.request import Request

from weir.schemas.errors import RegistryError
from weir.schemas.models import MAX_NUMBER, Schema, Version
from weir.schemas.services.contract_schemas import inlined_text
from weir.schemas.services.drafts import SchemaDraft
from weir.workspaces.api.request_fields import BoundedDictField, BoundedListField

# Characters of a schema's metadata as JSON: lists load that of up to 1,000 versions.
MAX_METADATA: Final = 16_000


class ReferenceSerializer(serializers.Serializer[Any]):
    """A reference to a version of another subject."""

    name = serializers.CharField(max_length=255)
    subject = serializers.CharField(max_length=255)
    version = serializers.IntegerField(min_value=1, max_value=MAX_NUMBER)


class MetadataSerializer(serializers.Serializer[Any]):
    """What the owner of a schema says of it."""

    properties = BoundedDictField(
        child=serializers.CharField(max_length=1_000, allow_blank=True), required=False, allow_null=True
    )
    tags = BoundedDictField(
        child=BoundedListField(child=serializers.CharField(max_length=255)),
        required=False,
        allow_null=True,
    )
    sensitive = BoundedListField(child=serializers.CharField(max_length=255), required=False, allow_null=True)


class SchemaSerializer(serializers.Serializer[Any]):
    """A schema as clients send it; a missing type is AVRO."""

    schema = serializers.CharField(trim_whitespace=False)
    schemaType = serializers.CharField(required=False, allow_null=True, allow_blank=True)  # noqa: N815 - Confluent's word
    references = BoundedListField(
        child=ReferenceSerializer(), required=False, allow_null=True, max_length=1_000
    )
    id = serializers.IntegerField(required=False, allow_null=True, min_value=-1, max_value=MAX_NUMBER)
    version = serializers.IntegerField(required=False, allow_null=True, min_value=-1, max_value=MAX_NUMBER)
    metadata = MetadataSerializer(required=False, allow_null=True)
    ruleSet = serializers.JSONField(required=False, allow_null=True)  # noqa: N815 - Confluent's word


def schema_draft(request: Request) -> SchemaDraft:
    """The schema of a request.

    Raises:
        RegistryError: 42201; also where it comes with rules: they would be ignored, and
            the client must know that.
    """
    form = SchemaSerializer(data=request.data)
    if not form.is_valid():
        raise RegistryError(42201, f"Invalid schema: {', '.join(form.errors)} can't be read.")
    given = form.validated_data
    if _has_rules(given.get("ruleSet")):
        raise RegistryError(
            42201, "Invalid schema: rules (ruleSet) aren't supported. Register it without them."
        )
    metadata = {name: value for name, value in (given.get("metadata") or {}).items() if value}
    length = len(json.dumps(metadata, ensure_ascii=False))
    if length > MAX_METADATA:
        raise RegistryError(
            42201, f"Invalid schema: its metadata has {length:,} characters, more than {MAX_METADATA:,}."
        )
    return SchemaDraft(
        kind=given.get("schemaType") or "AVRO",
        text=given["schema"],
        references=[dict(reference) for reference in given.get("references") or []],
        schema_id=_assigned(given.get("id")),
        version=_assigned(given.get("version")),
        metadata=metadata,
    )


def _has_rules(rule_set: Any) -> bool:
    """Clients send rules in lists by when they apply; empty lists say nothing."""
    return any(rule_set.values()) if isinstance(rule_set, dict) else bool(rule_set)


def _assigned(number: int | None) -> int | None:
    """An ID or version that the client chose; 0 and -1 mean that the registry shall choose."""
    return number if number is not None and number > 0 else None


def schema_json(schema: Schema, form: str = "") -> dict[str, Any]:
    """A schema; its type is left out for Avro, as clients expect.

    Args:
        schema: which.
        form: ``resolved``: an Avro schema with the types of its references in it. Others mean nothing for the
            kinds that are kept here.
    """
    resolved = inlined_text(schema) if form == "resolved" and schema.kind == "AVRO" else ""
    found: dict[str, Any] = {"schema": resolved or schema.text}
    if schema.kind != "AVRO":
        found["schemaType"] = schema.kind
    if schema.references and not resolved:
        found["references"] = schema.references
    if schema.metadata:
        found["metadata"] = schema.metadata
    return found


def version_json(version: Version, form: str = "") -> dict[str, Any]:
    """A version of a subject."""
    schema = version.schema
    names = {
        "subject": version.subject.name,
        "version": version.version,
        "id": schema.schema_id,
        "guid": str(schema.guid),
    }
    return {**names, **schema_json(schema, form)}
