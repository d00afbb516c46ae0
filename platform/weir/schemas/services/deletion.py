"""Deletes versions and subjects: hidden first, then permanently."""

from collections import defaultdict
from functools import partial

from django.db import transaction

from weir.schemas.errors import RegistryError
from weir.schemas.models import RegistrySettings, RemovedSchema, Schema, Version
from weir.schemas.services.policy import require_writable
from weir.schemas.services.queries import LATEST, get_subject, get_version, versions_of
from weir.schemas.services.schema_publisher import retract_schemas
from weir.workspaces.models import Action, Workspace
from weir.workspaces.services.events import record_event


def delete_version(
    workspace: Workspace, name: str, version: str, actor: str, *, permanent: bool = False
) -> int:
    """Hide a version, or with `permanent` remove one that is hidden already.

    Raises:
        RegistryError: 40401, 40402, 40406, 40407, 42202, 42205, 42206.
    """
    require_writable(workspace, name)
    found = (
        get_version(workspace, name, version, deleted=True)
        if permanent
        else _living_version(workspace, name, version)
    )
    if permanent and not found.deleted:
        raise RegistryError(
            40407,
            f"Subject '{name}' Version {found.version} was not deleted first "
            "before being permanently deleted.",
        )
    number = found.version
    _delete(workspace, name, [found], permanent=permanent)
    record_event(
        workspace,
        "schema",
        f"Version {number} of {name} deleted",
        actor=actor,
        subject=name[:80],
        action=Action.DELETED,
    )
    return number


def _living_version(workspace: Workspace, name: str, version: str) -> Version:
    if version not in LATEST:
        hidden = get_version(workspace, name, version, deleted=True)
        if hidden.deleted:
            raise RegistryError(
                40406,
                f"Subject '{name}' Version {hidden.version} was soft deleted. "
                "Set permanent=true to delete permanently.",
            )
    return get_version(workspace, name, version)


def delete_subject(workspace: Workspace, name: str, actor: str, *, permanent: bool = False) -> list[int]:
    """Hide all versions of a subject, or with `permanent` remove those of one that is hidden already.

    Raises:
        RegistryError: 40401, 40404, 40405, 42205, 42206.
    """
    require_writable(workspace, name)
    subject = get_subject(workspace, name, deleted=True)
    living, every = versions_of(subject), versions_of(subject, deleted=True)
    if permanent and living:
        raise RegistryError(
            40405, f"Subject '{name}' was not deleted first before being permanently deleted."
        )
    if not permanent and not living:
        raise RegistryError(
            40404, f"Subject '{name}' was soft deleted. Set permanent=true to delete permanently."
        )
    chosen = every if permanent else living
    numbers = [version.version for version in chosen]
    _delete(workspace, name, chosen, permanent=permanent)
    record_event(
        workspace, "schema", f"Subject {name} deleted", actor=actor, subject=name[:80], action=Action.DELETED
    )
    return numbers


def _delete(workspace: Workspace, name: str, versions: list[Version], *, permanent: bool) -> None:
    removed: list[int] = []
    with transaction.atomic():
        # Who registers a schema has this row from before its references are looked up.
        RegistrySettings.objects.select_for_update().get_or_create(workspace=workspace)
        _unreferenced(workspace, name, versions)
        for version in versions:
            if permanent:
                schema = version.schema
                version.delete()
                if not schema.versions.exists():
                    RemovedSchema.objects.update_or_create(
                        workspace_id=schema.workspace_id,
                        schema_id=schema.schema_id,
                        defaults={"digest": schema.digest},
                    )
                    schema.delete()
                    removed.append(schema.schema_id)
            else:
                version.deleted = True
                version.save(update_fields=["deleted"])
        transaction.on_commit(partial(retract_schemas, workspace.slug, removed))


def _unreferenced(workspace: Workspace, name: str, versions: list[Version]) -> None:
    """Refuse versions that others need, also hidden ones: these can still be referred to."""
    users_of = _users(workspace, name)
    for version in versions:
        if users := users_of.get(version.version):
            raise RegistryError(
                42206,
                "One or more references exist to the schema "
                f"{{subject={name},version={version.version}}}: {sorted(users)}.",
            )


def referenced_by(workspace: Workspace, name: str, version: int) -> list[int]:
    """Ids of the schemas under living versions that refer to a version."""
    return sorted(_users(workspace, name).get(version, ()))


def _users(workspace: Workspace, name: str) -> dict[int, set[int]]:
    """By version of a subject, the ids of the schemas under living versions that refer to it."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    living = Schema.objects.of(workspace).filter(versions__deleted=False)
    for schema_id, uses in living.values_list("schema_id", "references"):
        for use in uses:
            if use["subject"] == name:
                found[use["version"]].add(schema_id)
    return found
