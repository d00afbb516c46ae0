"""The quotas of a workspace's registry, refused in the registry's own form."""

from django.db.models import Exists, OuterRef, Q

from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema, Subject, Version
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace
from weir.workspaces.services.quotas import require_room


def require_subject(workspace: Workspace, name: str) -> None:
    """Pass for a subject that is used, or that the workspace may have on top: one is used while it has a
    version, also a hidden one, a level or a mode. The name of another only keeps its last version's number.

    Raises:
        RegistryError: 42210.
    """
    has_version = Exists(Version.objects.filter(subject=OuterRef("pk")))
    subjects = Subject.objects.of(workspace).filter(has_version | ~Q(level="") | ~Q(mode=""))
    if not subjects.filter(name=name).exists():
        _require_room("subjects", subjects.count())


def require_new_schema(workspace: Workspace) -> None:
    """Pass if the workspace may have one more schema.

    Raises:
        RegistryError: 42210.
    """
    _require_room("schemas", Schema.objects.of(workspace).count())


def _require_room(quota: str, used: int) -> None:
    try:
        require_room(quota, used)
    except ServiceError as error:
        raise RegistryError(42210, error.detail) from error
