"""The registry for the browser, and the impact of a new version or contract on jobs. Confluent's
clients use ``/registry/``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from weir.impact.api.serializers import (
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
from weir.impact.services.subjects import subject_detail, subjects_json
from weir.schemas.errors import RegistryError
from weir.schemas.services import impact_hooks
from weir.schemas.services.contract_schemas import with_schemas
from weir.schemas.services.deletion import delete_subject, delete_version
from weir.schemas.services.drafts import SchemaDraft, parse_draft
from weir.schemas.services.policy import level_of, set_level, set_mode
from weir.schemas.services.queries import get_settings, get_subject
from weir.schemas.services.registration import conflicts_with, register
from weir.streams.services.contracts import read_contract
from weir.streams.services.impact_hooks import impacts
from weir.streams.services.streams import get_stream
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError, UnreachableError
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Right

_REFUSALS: dict[int, tuple[type[ServiceError], str]] = {
    404: (NotFoundError, "NOT_FOUND"),
    409: (ConflictError, "SCHEMA_CONFLICT"),
    500: (UnreachableError, "BROKER_UNREACHABLE"),
}


@contextmanager
def translate_registry_errors() -> Iterator[None]:
    """Translate the registry's errors into those of the REST API; a conflict lists all
    `conflicts` and `impacts`.
    """
    try:
        yield
    except RegistryError as error:
        kind, code = _REFUSALS.get(error.status, (ServiceError, "SCHEMA_INVALID"))
        raise kind(code, error.message, more=error.more) from error


def _schema_draft(given: dict[str, Any]) -> SchemaDraft:
    return SchemaDraft(
        given["schema_type"],
        given["schema"],
        [dict(reference) for reference in given.get("references") or []],
    )


def _flag(request: Request, name: str) -> bool:
    form = (DeletedQuerySerializer if name == "deleted" else PermanentQuerySerializer)(
        data=request.query_params
    )
    form.is_valid(raise_exception=True)
    return bool(form.validated_data[name])


def _change_policy(workspace: Workspace, subject: str, wanted: dict[str, str], actor: User) -> None:
    with translate_registry_errors():
        if "level" in wanted:
            set_level(workspace, subject, wanted["level"], actor.username)
        if "mode" in wanted:
            set_mode(workspace, subject, wanted["mode"], actor.username)


class SubjectsView(WorkspaceView):
    """The subjects of the registry."""

    @extend_schema(
        operation_id="schemas_list", parameters=[DeletedQuerySerializer], responses=SubjectListSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        """All subjects that have versions."""
        return Response(
            SubjectListSerializer(
                {"results": subjects_json(self.workspace, deleted=_flag(request, "deleted"))}
            ).data
        )


class PolicyView(WorkspaceView):
    """Default compatibility level and mode."""

    @extend_schema(operation_id="schemas_policy", responses=PolicySerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The level and the mode."""
        found = get_settings(self.workspace)
        return Response({"level": found.level, "mode": found.mode})

    @extend_schema(operation_id="schemas_change_policy", request=PolicySerializer, responses=PolicySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Change the level or the mode."""
        form = PolicySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if "" in form.validated_data.values():
            raise ServiceError(
                "SCHEMA_INVALID",
                ("The global compatibility and mode can't be removed; only subjects can use the default."),
            )
        _change_policy(self.workspace, "", form.validated_data, self.user)
        return self.get(request, slug)


class SubjectPolicyView(WorkspaceView):
    """Compatibility level and mode of one subject."""

    @extend_schema(
        operation_id="schemas_change_subject_policy", request=PolicySerializer, responses=SubjectSerializer
    )
    def put(self, request: Request, slug: str, subject: str) -> Response:
        """Change the level or the mode; empty: use the default of all subjects again."""
        form = PolicySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with translate_registry_errors():
            get_subject(self.workspace, subject, deleted=True)
        _change_policy(self.workspace, subject, form.validated_data, self.user)
        return Response(SubjectSerializer(subject_detail(self.workspace, subject, deleted=True)).data)


class SubjectView(WorkspaceView):
    """One subject."""

    @extend_schema(
        operation_id="schemas_get", parameters=[DeletedQuerySerializer], responses=SubjectSerializer
    )
    def get(self, request: Request, slug: str, subject: str) -> Response:
        """The subject and the texts of its versions."""
        with translate_registry_errors():
            return Response(
                SubjectSerializer(
                    subject_detail(self.workspace, subject, deleted=_flag(request, "deleted"))
                ).data
            )

    @extend_schema(
        operation_id="schemas_delete",
        parameters=[PermanentQuerySerializer],
        responses=DeletedVersionsSerializer,
    )
    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """Delete all of its versions, or remove deleted ones permanently."""
        with translate_registry_errors():
            gone = delete_subject(
                self.workspace, subject, self.user.username, permanent=_flag(request, "permanent")
            )
        return Response({"versions": gone})


class SchemaVersionView(WorkspaceView):
    """One version."""

    @extend_schema(
        operation_id="schemas_delete_version",
        parameters=[PermanentQuerySerializer],
        responses=DeletedVersionsSerializer,
    )
    def delete(self, request: Request, slug: str, subject: str, version: int) -> Response:
        """Delete it, or remove a deleted one permanently."""
        permanent = _flag(request, "permanent")
        with translate_registry_errors():
            gone = delete_version(
                self.workspace, subject, str(version), self.user.username, permanent=permanent
            )
        return Response({"versions": [gone]})


class SchemaCheckView(WorkspaceView):
    """Check of a schema."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(
        operation_id="schemas_check", request=OfferedSchemaSerializer, responses=SchemaCheckSerializer
    )
    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Conflicts and impact of registering this schema; a new subject has no conflicts."""
        form = OfferedSchemaSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        draft = _schema_draft(form.validated_data)
        with translate_registry_errors():
            normalize = form.validated_data["normalize"]
            new = parse_draft(self.workspace, draft, normalize=normalize)
            found = conflicts_with(self.workspace, subject, draft, None, normalize=normalize)
        answer = {
            "level": level_of(self.workspace, subject),
            "conflicts": [conflict.as_json() for conflict in found[:100]],
            "impacts": [each.as_json() for each in impact_hooks.impacts(self.workspace, subject, new)[:200]],
        }
        return Response(answer)


class NewVersionView(WorkspaceView):
    """Registering a schema."""

    @extend_schema(
        operation_id="schemas_register",
        request=NewSchemaVersionSerializer,
        responses={201: RegisteredSchemaSerializer},
    )
    def post(self, request: Request, slug: str, subject: str) -> Response:
        """Register the newest version; refused if it breaks jobs, unless forced."""
        form = NewSchemaVersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = form.validated_data
        with translate_registry_errors():
            flags = {"force": wanted["force"], "normalize": wanted["normalize"]}
            made = register(self.workspace, subject, _schema_draft(wanted), self.user.username, **flags)
            # Somebody may have deleted it since: it was registered all the same.
            versions = subject_detail(self.workspace, subject, deleted=True)["versions"]
        shown = next((each for each in versions if each["version"] == made.version), None)
        if shown is None:
            raise NotFoundError("NOT_FOUND", f"Version {made.version} of {subject} was deleted meanwhile.")
        return Response(RegisteredSchemaSerializer(shown).data, status=201)


class ContractImpactView(WorkspaceView):
    """Check of a contract."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    @extend_schema(operation_id="streams_impact", request=NewContractSerializer, responses=ImpactSerializer)
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Impact of a contract on the jobs that use the stream."""
        stream = get_stream(self.workspace, name)
        form = NewContractSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        contract = read_contract(with_schemas(self.workspace, form.validated_data["contract"]))
        return Response({"impacts": [each.as_json() for each in impacts(stream, contract)[:200]]})
