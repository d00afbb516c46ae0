"""The registry's routes (Confluent's): subjects and their versions."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from weir.schemas.api.base_view import RegistryView, page, requested_format
from weir.schemas.api.serializers import schema_draft, schema_json, version_json
from weir.schemas.errors import RegistryError
from weir.schemas.models import Version
from weir.schemas.services import queries
from weir.schemas.services.deletion import delete_subject, delete_version, referenced_by
from weir.schemas.services.registration import find_version_with, register
from weir.schemas.services.schema_publisher import publish_schema
from weir.workspaces.roles import Right


class SubjectsView(RegistryView):
    """The subjects."""

    def get(self, request: Request, slug: str) -> Response:
        """Their names."""
        # Confluent's Python client says `subject` where the API's page says `subjectPrefix`.
        prefix = request.query_params.get("subjectPrefix") or request.query_params.get("subject", "")
        only = self.flag("deletedOnly", "deleted_only")
        return Response(
            page(
                request,
                queries.subjects(
                    self.workspace, deleted=self.flag("deleted"), deleted_only=only, prefix=prefix
                ),
            )
        )


class SubjectView(RegistryView):
    """One subject."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Which version a schema is."""
        flags = {"normalize": self.flag("normalize"), "deleted": self.flag("deleted")}
        return _told(find_version_with(self.workspace, subject, schema_draft(request), **flags), request)

    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """Hide it, or remove it for good."""
        return Response(
            delete_subject(self.workspace, subject, self.user.username, permanent=self.flag("permanent"))
        )


class VersionsView(RegistryView):
    """The versions of a subject."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """Their numbers."""
        deleted = self.flag("deleted")
        found = queries.versions_of(
            queries.get_subject(self.workspace, subject, deleted=deleted), deleted=deleted
        )
        return Response(page(request, [version.version for version in found]))

    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Register a schema."""
        flags = {"normalize": self.flag("normalize"), "force": self.flag("force")}
        made = register(self.workspace, subject, schema_draft(request), self.user.username, **flags)
        return Response(
            {
                "id": made.schema.schema_id,
                "version": made.version,
                "guid": str(made.schema.guid),
                **schema_json(made.schema),
            }
        )


class VersionView(RegistryView):
    """One version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """The version and its schema."""
        found = queries.get_version(self.workspace, subject, version, deleted=self.flag("deleted"))
        return _told(found, request)

    def delete(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """Hide it, or remove it for good."""
        permanent = self.flag("permanent")
        return Response(
            delete_version(self.workspace, subject, version, self.user.username, permanent=permanent)
        )


class MetadataView(RegistryView):
    """The newest version of a subject whose metadata says something."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """With all the properties of ``key`` and ``value``, which come as often as each other."""
        keys, values = request.query_params.getlist("key"), request.query_params.getlist("value")
        if len(keys) != len(values):
            raise RegistryError(422, "Each key needs a value.")
        asked = dict(zip(keys, values, strict=True))
        found = queries.get_version_with_metadata(
            self.workspace, subject, asked, deleted=self.flag("deleted")
        )
        return _told(found, request)


def _told(version: Version, request: Request) -> Response:
    """A version with the id that its records carry.

    Raises:
        RegistryError: 50002 engines can't be told of it yet, so nobody may write by it.
    """
    publish_schema(version.schema)
    return Response(version_json(version, requested_format(request)))


class VersionTextView(RegistryView):
    """The text of one version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """The text alone."""
        found = queries.get_version(self.workspace, subject, version, deleted=self.flag("deleted"))
        return Response(schema_json(found.schema, requested_format(request))["schema"])


class ReferencedByView(RegistryView):
    """Who refers to a version."""

    def get(self, request: Request, slug: str, subject: str, version: str) -> Response:
        """Ids of schemas."""
        found = queries.get_version(self.workspace, subject, version)
        return Response(page(request, referenced_by(self.workspace, subject, found.version)))
