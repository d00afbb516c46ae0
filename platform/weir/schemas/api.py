"""The registry's routes (Confluent's): schemas, subjects and versions."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.schemas import lookups, services
from weir.schemas.base_view import RegistryView
from weir.schemas.contract_schemas import inlined_text
from weir.schemas.errors import RegistryError, no_schema
from weir.schemas.models import Schema, Version
from weir.schemas.parsing import KINDS
from weir.workspaces.models import Role


class ReferenceSerializer(serializers.Serializer[Any]):
    """A reference to a version of another subject."""

    name = serializers.CharField(max_length=255)
    subject = serializers.CharField(max_length=255)
    version = serializers.IntegerField(min_value=1)


class MetadataSerializer(serializers.Serializer[Any]):
    """What the owner of a schema says of it."""

    properties = serializers.DictField(child=serializers.CharField(max_length=1_000, allow_blank=True), required=False, allow_null=True)
    tags = serializers.DictField(child=serializers.ListField(child=serializers.CharField(max_length=255)), required=False, allow_null=True)
    sensitive = serializers.ListField(child=serializers.CharField(max_length=255), required=False, allow_null=True)


class SchemaSerializer(serializers.Serializer[Any]):
    """A schema as clients send it; a missing type is AVRO."""

    schema = serializers.CharField(trim_whitespace=False)
    schemaType = serializers.CharField(required=False, allow_null=True, allow_blank=True)  # noqa: N815 - Confluent's word
    references = ReferenceSerializer(many=True, required=False, allow_null=True)
    id = serializers.IntegerField(required=False, allow_null=True, min_value=-1)
    version = serializers.IntegerField(required=False, allow_null=True, min_value=-1)
    metadata = MetadataSerializer(required=False, allow_null=True)
    ruleSet = serializers.JSONField(required=False, allow_null=True)  # noqa: N815 - Confluent's word


def schema_draft(request: Request) -> services.SchemaDraft:
    """The schema of a request.

    Raises:
        RegistryError: 42201; also where it comes with rules: they would be ignored, and the client must know that.
    """
    form = SchemaSerializer(data=request.data)
    if not form.is_valid():
        raise RegistryError(42201, f"Invalid schema: {', '.join(form.errors)} can't be read.")
    given = form.validated_data
    if any((given.get("ruleSet") or {}).values() if isinstance(given.get("ruleSet"), dict) else [given.get("ruleSet")]):
        raise RegistryError(42201, "Invalid schema: rules (ruleSet) aren't supported. Register it without them.")
    schema_id, version = given.get("id"), given.get("version")
    return services.SchemaDraft(
        kind=given.get("schemaType") or "AVRO",
        text=given["schema"],
        references=[dict(reference) for reference in given.get("references") or []],
        schema_id=schema_id if schema_id is not None and schema_id > 0 else None,
        version=version if version is not None and version > 0 else None,
        metadata={name: value for name, value in (given.get("metadata") or {}).items() if value},
    )


def schema_json(schema: Schema, form: str = "") -> dict[str, Any]:
    """A schema; its type is left out for Avro, as clients expect.

    Args:
        schema: which.
        form: ``resolved``: an Avro schema with the types of its references in it. Others mean nothing for the kinds that are kept here.
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


def requested_format(request: Request) -> str:
    """The form in which a schema is wanted; empty: as it is kept."""
    return request.query_params.get("format", "")


def version_json(version: Version, form: str = "") -> dict[str, Any]:
    """A version of a subject."""
    schema = version.schema
    names = {"subject": version.subject.name, "version": version.version, "id": schema.schema_id, "guid": str(schema.guid)}
    return {**names, **schema_json(schema, form)}


def page(request: Request, rows: list[Any]) -> list[Any]:
    """The part of a list that ``offset`` and ``limit`` ask for."""
    try:
        offset, limit = int(request.query_params.get("offset", 0)), int(request.query_params.get("limit", -1))
    except ValueError:
        return rows
    return rows[max(0, offset) :][: limit if limit >= 0 else None]


class RootView(RegistryView):
    """The root, which clients request to test the connection."""

    def get(self, request: Request, slug: str) -> Response:
        """Nothing."""
        return Response({})


class TypesView(RegistryView):
    """The kinds of schema."""

    def get(self, request: Request, slug: str) -> Response:
        """Avro and JSON Schema."""
        return Response(list(KINDS))


class ContextsView(RegistryView):
    """Confluent's contexts: there is one per workspace."""

    def get(self, request: Request, slug: str) -> Response:
        """The one without a name."""
        return Response(["."])


class SchemaView(RegistryView):
    """A schema by id."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """Its text, type and references."""
        return Response(schema_json(lookups.get_schema(self.workspace, schema_id), requested_format(request)))


class SchemaTextView(RegistryView):
    """A schema's text by id."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """The text alone, as JSON text."""
        return Response(schema_json(lookups.get_schema(self.workspace, schema_id), requested_format(request))["schema"])


class SchemaGuidView(RegistryView):
    """A schema by its global id."""

    def get(self, request: Request, slug: str, guid: str) -> Response:
        """Its text, type and references."""
        schema: Schema | None = Schema.objects.of(self.workspace).filter(guid=guid).first()
        if schema is None:
            raise no_schema()
        return Response({"guid": str(schema.guid), **schema_json(schema, requested_format(request))})


class SchemaVersionsView(RegistryView):
    """Where a schema is used."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """Subjects and versions that have it."""
        found = self._versions(schema_id)
        return Response(page(request, [{"subject": version.subject.name, "version": version.version} for version in found]))

    def _versions(self, schema_id: int) -> QuerySet[Version]:
        schema = lookups.get_schema(self.workspace, schema_id)
        found = schema.versions.select_related("subject").order_by("subject__name", "version")
        return found if self.flag("deleted") else found.filter(deleted=False)


class SchemaSubjectsView(SchemaVersionsView):
    """The subjects that have a schema."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """Names of subjects."""
        return Response(page(request, sorted({version.subject.name for version in self._versions(schema_id)})))


class SubjectsView(RegistryView):
    """The subjects."""

    def get(self, request: Request, slug: str) -> Response:
        """Their names."""
        # Confluent's Python client says `subject` where the API's page says `subjectPrefix`.
        prefix = request.query_params.get("subjectPrefix") or request.query_params.get("subject", "")
        only = self.flag("deletedOnly", "deleted_only")
        return Response(page(request, lookups.subjects(self.workspace, deleted=self.flag("deleted"), deleted_only=only, prefix=prefix)))


class SubjectView(RegistryView):
    """One subject."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # looking up writes nothing

    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Which version a schema is."""
        flags = {"normalize": self.flag("normalize"), "deleted": self.flag("deleted")}
        return Response(
            version_json(services.find_version_with(self.workspace, subject, schema_draft(request), **flags), requested_format(request))
        )

    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """Hide it, or remove it for good."""
        return Response(services.delete_subject(self.workspace, subject, self.user.username, permanent=self.flag("permanent")))


class VersionsView(RegistryView):
    """The versions of a subject."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """Their numbers."""
        deleted = self.flag("deleted")
        found = lookups.versions_of(lookups.get_subject(self.workspace, subject, deleted=deleted), deleted=deleted)
        return Response(page(request, [version.version for version in found]))

    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Register a schema."""
        flags = {"normalize": self.flag("normalize"), "force": self.flag("force")}
        made = services.register(self.workspace, subject, schema_draft(request), self.user.username, **flags)
        return Response({"id": made.schema.schema_id, "version": made.version, "guid": str(made.schema.guid), **schema_json(made.schema)})


class VersionView(RegistryView):
    """One version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """The version and its schema."""
        found = lookups.get_version(self.workspace, subject, version, deleted=self.flag("deleted"))
        return Response(version_json(found, requested_format(request)))

    def delete(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """Hide it, or remove it for good."""
        permanent = self.flag("permanent")
        return Response(services.delete_version(self.workspace, subject, version, self.user.username, permanent=permanent))


class MetadataView(RegistryView):
    """The newest version of a subject whose metadata says something."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """With all the properties of ``key`` and ``value``, which come as often as each other."""
        keys, values = request.query_params.getlist("key"), request.query_params.getlist("value")
        if len(keys) != len(values):
            raise RegistryError(422, "Each key needs a value.")
        asked = dict(zip(keys, values, strict=True))
        found = lookups.get_version_with_metadata(self.workspace, subject, asked, deleted=self.flag("deleted"))
        return Response(version_json(found, requested_format(request)))


class VersionTextView(RegistryView):
    """The text of one version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """The text alone."""
        found = lookups.get_version(self.workspace, subject, version, deleted=self.flag("deleted"))
        return Response(schema_json(found.schema, requested_format(request))["schema"])


class ReferencedByView(RegistryView):
    """Who refers to a version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """Ids of schemas."""
        found = lookups.get_version(self.workspace, subject, version)
        return Response(page(request, services.referenced_by(self.workspace, subject, found.version)))
