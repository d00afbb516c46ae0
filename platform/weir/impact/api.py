"""The registry for the browser, and what a new version or contract would do to jobs. Confluent's clients use ``/registry/``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from weir.impact.subjects import subject_detail, subject_rows
from weir.schemas import reviews, services
from weir.schemas.faults import RegistryError
from weir.schemas.levels import Conflict
from weir.schemas.reading import KINDS
from weir.schemas.resolving import with_schemas
from weir.streams.api.registered import FieldSerializer
from weir.streams.reviews import effects
from weir.streams.services import find_stream, read_contract
from weir.workspaces.models import Role, Workspace
from weir.workspaces.refusals import ConflictError, MissingError, RefusalError, UnreachableError
from weir.workspaces.scope import WorkspaceView

_REFUSALS: dict[int, tuple[type[RefusalError], str]] = {
    404: (MissingError, "NOT_FOUND"),
    409: (ConflictError, "SCHEMA_CONFLICT"),
    500: (UnreachableError, "BROKER_UNREACHABLE"),
}


class SubjectRowSerializer(serializers.Serializer[Any]):
    """A subject; `level` is the compatibility that holds for it, `streams` are read by it."""

    name = serializers.CharField()
    level = serializers.CharField()
    versions = serializers.IntegerField()
    newest = serializers.IntegerField()
    changed_at = serializers.DateTimeField()
    streams = serializers.ListField(child=serializers.CharField())


class SubjectListSerializer(serializers.Serializer[Any]):
    """The subjects."""

    results = SubjectRowSerializer(many=True)


class ReferenceSerializer(serializers.Serializer[Any]):
    """A reference to a version of another subject."""

    name = serializers.CharField(max_length=255)
    subject = serializers.CharField(max_length=255)
    version = serializers.IntegerField(min_value=1)


class RegisteredSchemaSerializer(serializers.Serializer[Any]):
    """A version of a subject. `id` is what frames of records carry.

    `fields`: what a stream read by it has; `row_fields`: the columns of the rows in it, if it is an envelope of change events.
    Both are empty where it cannot become fields.
    """

    version = serializers.IntegerField()
    id = serializers.IntegerField()
    schema_type = serializers.ChoiceField(choices=list(KINDS))
    schema = serializers.CharField()
    references = ReferenceSerializer(many=True)
    created_at = serializers.DateTimeField()
    fields = FieldSerializer(many=True)  # type: ignore[assignment]  # the contract's own word
    row_fields = FieldSerializer(many=True)


class SubjectSerializer(serializers.Serializer[Any]):
    """A subject with its versions, newest first."""

    name = serializers.CharField()
    level = serializers.CharField()
    streams = serializers.ListField(child=serializers.CharField())
    versions = RegisteredSchemaSerializer(many=True)


class OfferedSchemaSerializer(serializers.Serializer[Any]):
    """A schema to try or to register."""

    schema = serializers.CharField(trim_whitespace=False)
    schema_type = serializers.ChoiceField(choices=list(KINDS), required=False, default="AVRO")
    references = ReferenceSerializer(many=True, required=False)


class NewSchemaVersionSerializer(OfferedSchemaSerializer):
    """A schema to register. `force`: even where it does not fit the versions before, or breaks jobs."""

    force = serializers.BooleanField(required=False, default=False)


class ConflictSerializer(serializers.Serializer[Any]):
    """Why a schema does not fit a version: the rule, where in the schema, and what would be allowed."""

    version = serializers.IntegerField()
    direction = serializers.ChoiceField(choices=["backward", "forward"])
    rule = serializers.CharField()
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    allowed = serializers.CharField(allow_blank=True)


class EffectSerializer(serializers.Serializer[Any]):
    """What a change does to a job. `places`: where it breaks, one sentence each, or the names of new fields."""

    job_id = serializers.CharField()
    job_name = serializers.CharField()
    stream = serializers.CharField()
    verdict = serializers.ChoiceField(choices=["breaks", "new_fields", "unaffected"])
    places = serializers.ListField(child=serializers.CharField())


class SchemaCheckSerializer(serializers.Serializer[Any]):
    """Whether a schema would be taken: what is in the way, and what it would do to jobs."""

    level = serializers.CharField()
    conflicts = ConflictSerializer(many=True)
    effects = EffectSerializer(many=True)


class ImpactSerializer(serializers.Serializer[Any]):
    """What a contract would do to the jobs that use the stream."""

    effects = EffectSerializer(many=True)


class NewContractSerializer(serializers.Serializer[Any]):
    """A contract to try."""

    contract = serializers.JSONField()


@contextmanager
def refusing() -> Iterator[None]:
    """The registry's refusals as those of the rest of our API; a conflict says all that is in the way (`conflicts`, `effects`)."""
    try:
        yield
    except RegistryError as error:
        kind, code = _REFUSALS.get(error.status, (RefusalError, "SCHEMA_INVALID"))
        raise kind(code, error.message, more=error.more) from error


def _offered(given: dict[str, Any]) -> services.Offered:
    return services.Offered(given["schema_type"], given["schema"], [dict(reference) for reference in given.get("references") or []])


def _conflicts(workspace: Workspace, subject: str, offered: services.Offered) -> list[Conflict]:
    try:
        return services.conflicts_with(workspace, subject, offered, None)
    except RegistryError as error:
        if error.status != 404:
            raise
        return []


class SubjectsView(WorkspaceView):
    """The subjects of the registry."""

    @extend_schema(operation_id="schemas_list", responses=SubjectListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All subjects that have versions."""
        return Response(SubjectListSerializer({"results": subject_rows(self.workspace)}).data)


class SubjectView(WorkspaceView):
    """One subject."""

    @extend_schema(operation_id="schemas_get", responses=SubjectSerializer)
    def get(self, request: Request, slug: str, subject: str) -> Response:
        """The subject and the texts of its versions."""
        with refusing():
            return Response(SubjectSerializer(subject_detail(self.workspace, subject)).data)


class SchemaCheckView(WorkspaceView):
    """Trying a schema."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # trying writes nothing

    @extend_schema(operation_id="schemas_check", request=OfferedSchemaSerializer, responses=SchemaCheckSerializer)
    def post(self, request: Request, slug: str, subject: str) -> Response:
        """What registering this schema would meet; a subject that is not there yet has nothing in the way."""
        form = OfferedSchemaSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        offered = _offered(form.validated_data)
        with refusing():
            new = services.read_offered(self.workspace, offered)
            found = _conflicts(self.workspace, subject, offered)
        answer = {
            "level": services.level_of(self.workspace, subject),
            "conflicts": [conflict.as_json() for conflict in found[:100]],
            "effects": [effect.as_json() for effect in reviews.effects(self.workspace, subject, new)[:200]],
        }
        return Response(answer)


class NewVersionView(WorkspaceView):
    """Registering a schema."""

    @extend_schema(operation_id="schemas_register", request=NewSchemaVersionSerializer, responses={201: RegisteredSchemaSerializer})
    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Make it the newest version; refused with names where it breaks jobs, unless forced."""
        form = NewSchemaVersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        with refusing():
            services.register(self.workspace, subject, _offered(wanted), self.person.username, force=wanted["force"])
            newest = subject_detail(self.workspace, subject)["versions"][0]
        return Response(RegisteredSchemaSerializer(newest).data, status=201)


class ContractImpactView(WorkspaceView):
    """Trying a contract."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # trying writes nothing

    @extend_schema(operation_id="streams_impact", request=NewContractSerializer, responses=ImpactSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """What this contract would do to the jobs that use the stream."""
        stream = find_stream(self.workspace, name)
        form = NewContractSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        contract = read_contract(with_schemas(self.workspace, form.validated_data["contract"]))
        return Response({"effects": [effect.as_json() for effect in effects(stream, contract)[:200]]})
