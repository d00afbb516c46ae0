"""Services of the registry: register, delete, set levels and modes. Only these functions write its tables."""

import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django.db import transaction

from weir.schemas.errors import RegistryError, no_schema
from weir.schemas.impact_hooks import require_no_breakage
from weir.schemas.levels import LEVELS, Conflict, conflicts
from weir.schemas.lookups import get_settings, get_subject, get_version, parse_stored, reference_texts, versions_of
from weir.schemas.models import RegistrySettings, Schema, Subject, Version
from weir.schemas.parsing import ParsedSchema, parse_schema
from weir.schemas.schema_publisher import publish_schema, retract_schema
from weir.workspaces.models import Workspace
from weir.workspaces.services import record_event

MODES: Final = ("READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT")
MAX_SUBJECT_CHARS: Final = 255


@dataclass(frozen=True)
class SchemaDraft:
    """A schema in a request, not registered yet.

    Attributes:
        kind: AVRO or JSON.
        text: of the schema.
        references: ``[{"name", "subject", "version"}, …]``.
        metadata: of its owner; schemas with different metadata are different schemas.
        schema_id, version: requested in IMPORT mode.
    """

    kind: str
    text: str
    references: list[dict[str, Any]]
    schema_id: int | None = None
    version: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def parse_draft(workspace: Workspace, draft: SchemaDraft, *, normalize: bool = False) -> ParsedSchema:
    """Parse a client's schema with the references of the workspace.

    Raises:
        RegistryError: 42201, 42209.
    """
    return parse_schema(draft.kind, draft.text, reference_texts(workspace, draft.references), normalize=normalize)


def find_version_with(workspace: Workspace, name: str, draft: SchemaDraft, *, normalize: bool = False, deleted: bool = False) -> Version:
    """The version of a subject that has this schema.

    Raises:
        RegistryError: 40401, 40403, 42201.
    """
    subject = get_subject(workspace, name, deleted=deleted)
    new = parse_draft(workspace, draft, normalize=normalize)
    found = _same(workspace, list(reversed(versions_of(subject, deleted=deleted))), new, draft, normalize=normalize)
    if found is None:
        raise no_schema()
    return found


def _same(workspace: Workspace, versions: list[Version], new: ParsedSchema, draft: SchemaDraft, *, normalize: bool) -> Version | None:
    """The first of some versions that has this schema; with `normalize` also one that is stored in another form."""
    digest = new.digest(draft.references, draft.metadata)
    for version in versions:
        if version.schema.digest == digest:
            return version
    if not normalize:
        return None
    alike = (found for found in versions if (found.schema.references, found.schema.metadata) == (draft.references, draft.metadata))
    return next((found for found in alike if parse_stored(workspace, found.schema, normalize=True).text == new.text), None)


def conflicts_with(workspace: Workspace, name: str, draft: SchemaDraft, version: str | None, *, normalize: bool = False) -> list[Conflict]:
    """Conflicts of a schema with one version of a subject, or with all versions that the subject's level requires.

    Raises:
        RegistryError: 40401, 40402, 42201, 42202.
    """
    new = parse_draft(workspace, draft, normalize=normalize)
    level = level_of(workspace, name)
    before = versions_of(get_subject(workspace, name)) if version is None else [get_version(workspace, name, version)]
    return conflicts(new, [(found.version, parse_stored(workspace, found.schema)) for found in before], level)


def level_of(workspace: Workspace, name: str = "") -> str:
    """The level that holds for a subject; of no subject, the workspace's."""
    subject = Subject.objects.of(workspace).filter(name=name).first()
    own = subject.level if subject is not None else ""
    return str(own or get_settings(workspace).level)


def mode_of(workspace: Workspace, name: str = "") -> str:
    """The mode that holds for a subject; of no subject, the workspace's."""
    subject = Subject.objects.of(workspace).filter(name=name).first()
    of_all = get_settings(workspace).mode
    own = subject.mode if subject is not None else ""
    return str(of_all if of_all == "READONLY_OVERRIDE" else own or of_all)


def register(workspace: Workspace, name: str, draft: SchemaDraft, actor: str, *, normalize: bool = False, force: bool = False) -> Version:
    """Register a schema as the newest version of a subject, unless the subject has it already.

    Args:
        workspace: of the registry.
        name: of the subject.
        draft: the schema.
        actor: the user.
        normalize: as for `parse_schema`.
        force: accept it even if it is incompatible with earlier versions or breaks jobs.

    Raises:
        RegistryError: 409 incompatible or breaking jobs, 42201, 42205 the mode forbids it, 42208 no name, 42209, 50002.
    """
    made = _registered(workspace, name, draft, actor, normalize=normalize, force=force)
    publish_schema(made.schema)
    return made


def _registered(workspace: Workspace, name: str, draft: SchemaDraft, actor: str, *, normalize: bool, force: bool) -> Version:
    if not 0 < len(name) <= MAX_SUBJECT_CHARS or not name.isprintable():
        raise RegistryError(42208, f"A subject name needs 1 to {MAX_SUBJECT_CHARS} printable characters.")
    _writable(workspace, name, importing=draft.schema_id is not None)
    new = parse_draft(workspace, draft, normalize=normalize)
    with transaction.atomic():
        subject, _ = Subject.objects.select_for_update().get_or_create(workspace=workspace, name=name)
        living = versions_of(subject)
        digest = new.digest(draft.references, draft.metadata)
        known = _same(workspace, living, new, draft, normalize=normalize)
        if known is not None:
            return known
        if not force:
            before = [(found.version, parse_stored(workspace, found.schema)) for found in living]
            found = conflicts(new, before, level_of(workspace, name))
            if found:
                raise incompatible(name, found)
            require_no_breakage(workspace, name, new)
        schema = _stored(workspace, new, draft, digest)
        subject.last_version = max(draft.version or 0, subject.last_version + 1)
        subject.save(update_fields=["last_version"])
        made = Version.objects.create(subject=subject, version=subject.last_version, schema=schema)
        record_event(workspace, "schema", f"Version {made.version} of {name} registered", actor=actor, subject=name[:80])
    return made


def incompatible(name: str, found: list[Conflict]) -> RegistryError:
    """409, with every rule, path and what would be allowed."""
    lines = "; ".join(conflict.text for conflict in found[:20])
    message = f'Schema being registered is incompatible with an earlier schema for subject "{name[:255]}": {lines}'
    return RegistryError(409, message, conflicts=[conflict.as_json() for conflict in found[:100]])


def _stored(workspace: Workspace, new: ParsedSchema, draft: SchemaDraft, digest: str) -> Schema:
    found: Schema | None = Schema.objects.of(workspace).filter(digest=digest).first()
    if found is not None:
        return found
    schema_id = draft.schema_id
    settings, _ = RegistrySettings.objects.select_for_update().get_or_create(workspace=workspace)
    if schema_id is None:
        schema_id = settings.last_id + 1
    elif Schema.objects.of(workspace).filter(schema_id=schema_id).exists():
        raise RegistryError(42205, f"Overwrite new schema with id {schema_id} is not permitted.")
    settings.last_id = max(settings.last_id, schema_id)
    settings.save(update_fields=["last_id"])
    return Schema.objects.create(
        workspace=workspace,
        schema_id=schema_id,
        guid=uuid.uuid4(),
        kind=new.kind,
        text=new.text,
        references=draft.references,
        metadata=draft.metadata,
        digest=digest,
    )


def _writable(workspace: Workspace, name: str, *, importing: bool = False) -> None:
    mode = mode_of(workspace, name)
    if mode.startswith("READONLY"):
        raise RegistryError(42205, f"Subject {name[:255]} is in read-only mode.")
    if importing and mode != "IMPORT":
        raise RegistryError(42205, f"Subject {name[:255]} is not in import mode.")


def delete_version(workspace: Workspace, name: str, version: str, actor: str, *, permanent: bool = False) -> int:
    """Hide a version, or with `permanent` remove one that is hidden already.

    Raises:
        RegistryError: 40401, 40402, 40406, 40407, 42202, 42205, 42206.
    """
    _writable(workspace, name)
    found = get_version(workspace, name, version, deleted=True) if permanent else _living_version(workspace, name, version)
    if permanent and not found.deleted:
        raise RegistryError(40407, f"Subject '{name}' Version {found.version} was not deleted first before being permanently deleted.")
    _unreferenced(workspace, name, [found])
    number = found.version
    _delete([found], permanent=permanent)
    record_event(workspace, "schema", f"Version {number} of {name} deleted", actor=actor, subject=name[:80])
    return number


def _living_version(workspace: Workspace, name: str, version: str) -> Version:
    if version not in ("latest", "-1"):
        hidden = get_version(workspace, name, version, deleted=True)
        if hidden.deleted:
            raise RegistryError(
                40406, f"Subject '{name}' Version {hidden.version} was soft deleted. Set permanent=true to delete permanently."
            )
    return get_version(workspace, name, version)


def delete_subject(workspace: Workspace, name: str, actor: str, *, permanent: bool = False) -> list[int]:
    """Hide all versions of a subject, or with `permanent` remove those of one that is hidden already.

    Raises:
        RegistryError: 40401, 40404, 40405, 42205, 42206.
    """
    _writable(workspace, name)
    subject = get_subject(workspace, name, deleted=True)
    living, every = versions_of(subject), versions_of(subject, deleted=True)
    if permanent and living:
        raise RegistryError(40405, f"Subject '{name}' was not deleted first before being permanently deleted.")
    if not permanent and not living:
        raise RegistryError(40404, f"Subject '{name}' was soft deleted. Set permanent=true to delete permanently.")
    chosen = every if permanent else living
    _unreferenced(workspace, name, chosen)
    numbers = [version.version for version in chosen]
    _delete(chosen, permanent=permanent)
    record_event(workspace, "schema", f"Subject {name} deleted", actor=actor, subject=name[:80])
    return numbers


def _delete(versions: list[Version], *, permanent: bool) -> None:
    with transaction.atomic():
        for version in versions:
            if permanent:
                schema = version.schema
                version.delete()
                if not schema.versions.exists():
                    schema.delete()
                    transaction.on_commit(partial(retract_schema, schema.workspace.slug, schema.schema_id))
            else:
                version.deleted = True
                version.save(update_fields=["deleted"])


def _unreferenced(workspace: Workspace, name: str, versions: list[Version]) -> None:
    for version in versions:
        if not version.deleted and (users := referenced_by(workspace, name, version.version)):
            raise RegistryError(42206, f"One or more references exist to the schema {{subject={name},version={version.version}}}: {users}.")


def referenced_by(workspace: Workspace, name: str, version: int) -> list[int]:
    """Ids of the schemas under living versions that refer to a version."""
    living = Schema.objects.of(workspace).filter(versions__deleted=False).distinct()
    pairs = ((schema.schema_id, schema.references) for schema in living)
    return sorted(schema_id for schema_id, uses in pairs if any(use["subject"] == name and use["version"] == version for use in uses))


def set_level(workspace: Workspace, name: str, level: str, actor: str) -> None:
    """Change the level of a subject, or of the workspace; empty: the subject follows the workspace again.

    Raises:
        RegistryError: 42203.
    """
    if level not in (*LEVELS, ""):
        raise RegistryError(42203, f"Invalid compatibility level. Valid values are {', '.join(LEVELS)}.")
    _set(workspace, name, level=level)
    record_event(
        workspace,
        "schema",
        f"Compatibility of {name or 'all subjects'} {f'set to {level}' if level else 'reset to default'}",
        actor=actor,
        subject=name[:80],
    )


def set_mode(workspace: Workspace, name: str, mode: str, actor: str) -> None:
    """Change the mode of a subject, or of the workspace; empty: the subject follows the workspace again.

    Raises:
        RegistryError: 42204.
    """
    if mode not in (*MODES, ""):
        raise RegistryError(42204, f"Invalid mode. Valid values are {', '.join(MODES)}.")
    _set(workspace, name, mode=mode)
    record_event(
        workspace,
        "schema",
        f"Mode of {name or 'all subjects'} {f'set to {mode}' if mode else 'reset to default'}",
        actor=actor,
        subject=name[:80],
    )


def _set(workspace: Workspace, name: str, **change: str) -> None:
    if name:
        Subject.objects.update_or_create(workspace=workspace, name=name[:MAX_SUBJECT_CHARS], defaults=change)
    else:
        RegistrySettings.objects.update_or_create(workspace=workspace, defaults=change)
