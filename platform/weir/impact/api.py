"""The registry for the browser, and what a new version or contract would do to jobs. Confluent's clients use ``/registry/``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.impact.shapes import (
    DeletedQuerySerializer,
    DeletedVersionsSerializer,
    ImpactSerializer,
    NewContractSerializer,
    NewSchemaVersionSerializer,
    OfferedSchemaSerializer,
    PermanentQuerySerializer,
    PolicySerializer,
    RegisteredSchemaSerializer,
    SchemaCheckSerializer,
    SubjectListSerializer,
    SubjectSerializer,
)
from weir.impact.subjects import subject_detail, subjects_json
from weir.schemas import impact_hooks, services
from weir.schemas.contract_schemas import with_schemas
from weir.schemas.errors import RegistryError
from weir.schemas.levels import Conflict
from weir.schemas.lookups import get_settings, get_subject
from weir.streams.impact_hooks import effects
from weir.streams.services import get_stream, read_contract
from weir.workspaces.base_view import WorkspaceView
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError, UnreachableError
from weir.workspaces.models import Role, User, Workspace

_REFUSALS: dict[int, tuple[type[ServiceError], str]] = {
    404: (NotFoundError, "NOT_FOUND"),
    409: (ConflictError, "SCHEMA_CONFLICT"),
    500: (UnreachableError, "BROKER_UNREACHABLE"),
}


@contextmanager
def refusing() -> Iterator[None]:
    """The registry's refusals as those of the rest of our API; a conflict says all that is in the way (`conflicts`, `effects`)."""
    try:
        yield
    except RegistryError as error:
        kind, code = _REFUSALS.get(error.status, (ServiceError, "SCHEMA_INVALID"))
        raise kind(code, error.message, more=error.more) from error


def _schema_draft(given: dict[str, Any]) -> services.SchemaDraft:
    return services.SchemaDraft(given["schema_type"], given["schema"], [dict(reference) for reference in given.get("references") or []])


def _conflicts(workspace: Workspace, subject: str, draft: services.SchemaDraft, *, normalize: bool) -> list[Conflict]:
    try:
        return services.conflicts_with(workspace, subject, draft, None, normalize=normalize)
    except RegistryError as error:
        if error.status != 404:
            raise
        return []


def _flag(request: Request, name: str) -> bool:
    form = (DeletedQuerySerializer if name == "deleted" else PermanentQuerySerializer)(data=request.query_params)
    form.is_valid(raise_exception=True)
    return bool(form.validated_data[name])


def _change_policy(workspace: Workspace, subject: str, wanted: dict[str, str], actor: User) -> None:
    with refusing():
        if "level" in wanted:
            services.set_level(workspace, subject, wanted["level"], actor.username)
        if "mode" in wanted:
            services.set_mode(workspace, subject, wanted["mode"], actor.username)


class SubjectsView(WorkspaceView):
    """The subjects of the registry."""

    @extend_schema(operation_id="schemas_list", parameters=[DeletedQuerySerializer], responses=SubjectListSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """All subjects that have versions."""
        return Response(SubjectListSerializer({"results": subjects_json(self.workspace, deleted=_flag(request, "deleted"))}).data)


class PolicyView(WorkspaceView):
    """Compatibility level and mode of all subjects that have none of their own."""

    @extend_schema(operation_id="schemas_policy", responses=PolicySerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What holds."""
        found = get_settings(self.workspace)
        return Response({"level": found.level, "mode": found.mode})

    @extend_schema(operation_id="schemas_change_policy", request=PolicySerializer, responses=PolicySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Change it."""
        form = PolicySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if "" in form.validated_data.values():
            raise ServiceError("SCHEMA_INVALID", ("The global compatibility and mode can't be removed; only subjects can use the default."))
        _change_policy(self.workspace, "", form.validated_data, self.user)
        return self.get(request, slug)


class SubjectPolicyView(WorkspaceView):
    """Compatibility level and mode of one subject."""

    @extend_schema(operation_id="schemas_change_subject_policy", request=PolicySerializer, responses=SubjectSerializer)
    def put(self, request: Request, slug: str, subject: str) -> Response:
        """Change them; empty: as all subjects again."""
        form = PolicySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with refusing():
            get_subject(self.workspace, subject, deleted=True)
        _change_policy(self.workspace, subject, form.validated_data, self.user)
        return Response(SubjectSerializer(subject_detail(self.workspace, subject, deleted=True)).data)


class SubjectView(WorkspaceView):
    """One subject."""

    @extend_schema(operation_id="schemas_get", parameters=[DeletedQuerySerializer], responses=SubjectSerializer)
    def get(self, request: Request, slug: str, subject: str) -> Response:
        """The subject and the texts of its versions."""
        with refusing():
            return Response(SubjectSerializer(subject_detail(self.workspace, subject, deleted=_flag(request, "deleted"))).data)

    @extend_schema(operation_id="schemas_delete", parameters=[PermanentQuerySerializer], responses=DeletedVersionsSerializer)
    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """Hide all of its versions, or remove those of one that is hidden for good."""
        with refusing():
            gone = services.delete_subject(self.workspace, subject, self.user.username, permanent=_flag(request, "permanent"))
        return Response({"versions": gone})


class SchemaVersionView(WorkspaceView):
    """One version."""

    @extend_schema(operation_id="schemas_delete_version", parameters=[PermanentQuerySerializer], responses=DeletedVersionsSerializer)
    def delete(self, request: Request, slug: str, subject: str, version: int) -> Response:
        """Hide it, or remove one that is hidden for good."""
        permanent = _flag(request, "permanent")
        with refusing():
            gone = services.delete_version(self.workspace, subject, str(version), self.user.username, permanent=permanent)
        return Response({"versions": [gone]})


class SchemaCheckView(WorkspaceView):
    """Trying a schema."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # trying writes nothing

    @extend_schema(operation_id="schemas_check", request=OfferedSchemaSerializer, responses=SchemaCheckSerializer)
    def post(self, request: Request, slug: str, subject: str) -> Response:
        """What registering this schema would meet; a subject that is not there yet has nothing in the way."""
        form = OfferedSchemaSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        draft = _schema_draft(form.validated_data)
        with refusing():
            normalize = form.validated_data["normalize"]
            new = services.parse_draft(self.workspace, draft, normalize=normalize)
            found = _conflicts(self.workspace, subject, draft, normalize=normalize)
        answer = {
            "level": services.level_of(self.workspace, subject),
            "conflicts": [conflict.as_json() for conflict in found[:100]],
            "effects": [effect.as_json() for effect in impact_hooks.effects(self.workspace, subject, new)[:200]],
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
            flags = {"force": wanted["force"], "normalize": wanted["normalize"]}
            services.register(self.workspace, subject, _schema_draft(wanted), self.user.username, **flags)
            newest = subject_detail(self.workspace, subject)["versions"][0]
        return Response(RegisteredSchemaSerializer(newest).data, status=201)


class ContractImpactView(WorkspaceView):
    """Trying a contract."""

    roles: ClassVar[dict[str, Role]] = {"POST": Role.VIEWER}  # trying writes nothing

    @extend_schema(operation_id="streams_impact", request=NewContractSerializer, responses=ImpactSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """What this contract would do to the jobs that use the stream."""
        stream = get_stream(self.workspace, name)
        form = NewContractSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        contract = read_contract(with_schemas(self.workspace, form.validated_data["contract"]))
        return Response({"effects": [effect.as_json() for effect in effects(stream, contract)[:200]]})
