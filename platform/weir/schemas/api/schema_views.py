"""The registry's routes (Confluent's): the root, and schemas by id."""

from typing import Final

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from weir.schemas.api.base_view import RegistryView, page, requested_format
from weir.schemas.api.serializers import schema_json, version_json
from weir.schemas.errors import no_schema
from weir.schemas.models import Schema, Version
from weir.schemas.services import queries
from weir.schemas.services.parsing import KINDS


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


class SchemasView(RegistryView):
    """The schemas of all subjects."""

    _MOST: Final = 1_000  # in one answer, as with Confluent's

    def get(self, request: Request, slug: str) -> Response:
        """Versions with their schemas, by subject; with ``latestOnly`` the newest of each."""
        keys = queries.version_keys(
            self.workspace,
            request.query_params.get("subjectPrefix", ""),
            deleted=self.flag("deleted"),
            newest_only=self.flag("latestOnly"),
        )
        found = queries.versions_by_key(page(request, keys)[: self._MOST])
        return Response(list(map(version_json, found)))


class SchemaView(RegistryView):
    """A schema by id."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """Its text, type and references."""
        return Response(schema_json(queries.get_schema(self.workspace, schema_id), requested_format(request)))


class SchemaTextView(RegistryView):
    """A schema's text by id."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """The text alone, as JSON text."""
        return Response(
            schema_json(queries.get_schema(self.workspace, schema_id), requested_format(request))["schema"]
        )


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
        return Response(
            page(
                request, [{"subject": version.subject.name, "version": version.version} for version in found]
            )
        )

    def _versions(self, schema_id: int) -> QuerySet[Version]:
        schema = queries.get_schema(self.workspace, schema_id)
        found = schema.versions.select_related("subject").order_by("subject__name", "version")
        return found if self.flag("deleted") else found.filter(deleted=False)


class SchemaSubjectsView(SchemaVersionsView):
    """The subjects that have a schema."""

    def get(self, request: Request, slug: str, schema_id: int) -> Response:
        """Names of subjects."""
        return Response(
            page(request, sorted({version.subject.name for version in self._versions(schema_id)}))
        )
