"""Registers schemas as versions of subjects."""

import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from django.db import transaction

from weir.schemas.errors import RegistryError, no_schema
from weir.schemas.models import MAX_NUMBER, RegistrySettings, RemovedSchema, Schema, Subject, Version
from weir.schemas.services.drafts import SchemaDraft, parse_draft
from weir.schemas.services.impact_hooks import require_no_breakage
from weir.schemas.services.levels import MAX_CPU_S, Conflict, compared, conflicts
from weir.schemas.services.parsing import ParsedSchema
from weir.schemas.services.policy import MAX_SUBJECT_CHARS, level_of, require_registrable
from weir.schemas.services.queries import (
    LATEST,
    get_subject,
    get_version,
    parse_stored,
    reference_texts,
    versions_of,
)
from weir.schemas.services.registry_quotas import require_new_schema, require_subject
from weir.schemas.services.schema_publisher import publish_schema, require_publishable
from weir.workspaces.models import Action, Workspace
from weir.workspaces.services.events import record_event


def find_version_with(
    workspace: Workspace, name: str, draft: SchemaDraft, *, normalize: bool = False, deleted: bool = False
) -> Version:
    """The version of a subject that has this schema.

    Raises:
        RegistryError: 40401, 40403, 42201; 422, the versions are too many or too large to normalize.
    """
    subject = get_subject(workspace, name, deleted=deleted)
    new = parse_draft(workspace, draft, normalize=normalize)
    found = _same(
        workspace, list(reversed(versions_of(subject, deleted=deleted))), new, draft, normalize=normalize
    )
    if found is None:
        raise no_schema()
    return found


def _same(
    workspace: Workspace, versions: list[Version], new: ParsedSchema, draft: SchemaDraft, *, normalize: bool
) -> Version | None:
    """The first of some versions that has this schema; with `normalize` also one that
    is stored in another form.

    Raises:
        RegistryError: 422, they are too many or too large to normalize.
    """
    digest = new.digest(draft.references, draft.metadata)
    for version in versions:
        if version.schema.digest == digest:
            return version
    if not normalize:
        return None
    until = time.thread_time() + MAX_CPU_S
    for version in versions:
        if (version.schema.references, version.schema.metadata) != (draft.references, draft.metadata):
            continue
        if time.thread_time() > until:
            raise RegistryError(
                422,
                f"The versions of {version.subject.name[:80]} are too many or too large to normalize. "
                "Leave out normalize=true.",
            )
        if _parsed(workspace, version, normalize=True).text == new.text:
            return version
    return None


def _parsed(workspace: Workspace, version: Version, *, normalize: bool = False) -> ParsedSchema:
    """The schema of a version. Its text is not kept: those of all versions may be hundreds of megabytes."""
    return parse_stored(workspace, Schema.objects.get(pk=version.schema_id), normalize=normalize)


def conflicts_with(
    workspace: Workspace, name: str, draft: SchemaDraft, version: str | None, *, normalize: bool = False
) -> list[Conflict]:
    """Conflicts of a schema with one version of a subject, or with all versions that the
    subject's level requires. A first version has none.

    Raises:
        RegistryError: 40401, 40402, 42201, 42202.
    """
    new = parse_draft(workspace, draft, normalize=normalize)
    before = _compared_with(workspace, name, version)
    return _conflicts(workspace, new, before, level_of(workspace, name))


def _compared_with(workspace: Workspace, name: str, version: str | None) -> list[Version]:
    """The versions of a subject that a check is asked about; none of one that has no version yet."""
    try:
        subject = get_subject(workspace, name)
    except RegistryError:
        if version in (None, *LATEST):
            return []
        raise
    return versions_of(subject) if version is None else [get_version(workspace, name, version)]


def _conflicts(workspace: Workspace, new: ParsedSchema, before: list[Version], level: str) -> list[Conflict]:
    """Conflicts with those versions that a level compares; no other is parsed."""
    chosen = compared(before, level)
    return conflicts(new, ((found.version, _parsed(workspace, found)) for found in chosen), level)


def register(
    workspace: Workspace,
    name: str,
    draft: SchemaDraft,
    actor: str,
    *,
    normalize: bool = False,
    force: bool = False,
) -> Version:
    """Register a schema as the newest version of a subject, unless the subject has it already.

    Args:
        workspace: of the registry.
        name: of the subject.
        draft: the schema.
        actor: the user.
        normalize: as for `parse_schema`.
        force: accept it even if it is incompatible with earlier versions or breaks jobs.

    Raises:
        RegistryError: 409 incompatible or breaking jobs, 42201, 42205 the mode forbids it,
            or an ID or a version is another's, 42208 no name, 42209, 42210 a quota is reached, 50002.
    """
    made = _registered(workspace, name, draft, actor, normalize=normalize, force=force)
    publish_schema(made.schema)
    return made


# Others register at once again and again only in a test; then they wait for each other.
_REVIEWS_WITHOUT_LOCK: Final = 3


@dataclass(frozen=True)
class _Asked:
    """What is to be registered: `draft`, which is `new` when it is parsed."""

    workspace: Workspace
    name: str
    draft: SchemaDraft
    new: ParsedSchema
    normalize: bool
    force: bool

    @property
    def is_import(self) -> bool:
        return self.draft.schema_id is not None


@dataclass(frozen=True)
class _Review:
    """What was found of a subject with these living versions (keys of their rows) and this level: the version
    that has the schema already, or that it may become one.
    """

    versions: tuple[int, ...]
    level: str
    known: Version | None


class _OutdatedError(Exception):
    """A subject has other versions, or another level, than those that were reviewed."""


def _registered(
    workspace: Workspace, name: str, draft: SchemaDraft, actor: str, *, normalize: bool, force: bool
) -> Version:
    if not 0 < len(name) <= MAX_SUBJECT_CHARS or not name.isprintable():
        raise RegistryError(42208, f"A subject name needs 1 to {MAX_SUBJECT_CHARS} printable characters.")
    asked = _Asked(
        workspace, name, draft, parse_draft(workspace, draft, normalize=normalize), normalize, force
    )
    for _ in range(_REVIEWS_WITHOUT_LOCK):
        with suppress(_OutdatedError):
            return _made(asked, _reviewed(asked), actor)
    return _made(asked, None, actor)


def _reviewed(asked: _Asked) -> _Review:
    """What a schema is to its subject: which comparing, and planning the jobs that read it, takes seconds of.
    Nobody else could write meanwhile if it held a lock (`_made`).

    Raises:
        RegistryError: 409 incompatible or breaking jobs; 42205; 42210; 422, as `_same`.
    """
    workspace, name = asked.workspace, asked.name
    require_subject(workspace, name)
    subject = Subject.objects.of(workspace).filter(name=name).first()
    living = versions_of(subject) if subject is not None else []
    review = _Review(tuple(version.pk for version in living), level_of(workspace, name), None)
    # Serializers register what they write when they start, also where nothing new may be registered.
    if known := _meant(workspace, living, asked.new, asked.draft, normalize=asked.normalize):
        return replace(review, known=known)
    require_registrable(workspace, name, with_id=asked.is_import)
    if not asked.force:
        found = [] if asked.is_import else _conflicts(workspace, asked.new, living, review.level)
        if found:
            raise incompatible(name, found)
        require_no_breakage(workspace, name, asked.new)
    return review


def _made(asked: _Asked, reviewed: _Review | None, actor: str) -> Version:
    """The version, which is stored here unless the subject has it.

    Args:
        asked: what for.
        reviewed: without a lock; None: review it with one.
        actor: the user.

    Raises:
        _OutdatedError: the subject has changed since the review.
        RegistryError: as `register`.
    """
    workspace, name, draft = asked.workspace, asked.name, asked.draft
    with transaction.atomic():
        require_subject(workspace, name)
        subject, _ = Subject.objects.select_for_update().get_or_create(workspace=workspace, name=name)
        review = reviewed or _reviewed(asked)
        now = tuple(version.pk for version in versions_of(subject)), level_of(workspace, name)
        if now != (review.versions, review.level):
            raise _OutdatedError
        if review.known is not None:
            return review.known
        require_registrable(workspace, name, with_id=asked.is_import)
        number = _number(subject, draft)
        schema = _stored(workspace, asked.new, draft)
        subject.last_version = max(number, subject.last_version)
        subject.save(update_fields=["last_version"])
        made = Version.objects.create(subject=subject, version=number, schema=schema)
        record_event(
            workspace,
            "schema",
            f"Version {made.version} of {name} registered",
            actor=actor,
            subject=name[:80],
            action=Action.CREATED,
        )
    return made


def _meant(
    workspace: Workspace, versions: list[Version], new: ParsedSchema, draft: SchemaDraft, *, normalize: bool
) -> Version | None:
    """The version that has the schema, and the ID and number that an import asks for."""
    known = _same(workspace, versions, new, draft, normalize=normalize)
    if known is None or draft.schema_id is None:
        return known
    asked = (known.schema.schema_id, draft.version or known.version)
    return known if asked == (draft.schema_id, known.version) else None


def _number(subject: Subject, draft: SchemaDraft) -> int:
    """The number of a new version: the next one, or the one that an import asks for.

    Raises:
        RegistryError: 42201 another one is asked for; 42205 an import asks for one that is taken.
    """
    following = subject.last_version + 1
    number = draft.version or following
    if number != following and draft.schema_id is None:
        raise RegistryError(
            42201, f"Invalid schema: the next version of {subject.name} is {following}, not {number}."
        )
    if number < following and subject.versions.filter(version=number).exists():
        raise RegistryError(42205, f"Overwrite version {number} of {subject.name} is not permitted.")
    return number


def incompatible(name: str, found: list[Conflict]) -> RegistryError:
    """409, with every rule, path and what would be allowed."""
    lines = "; ".join(conflict.text for conflict in found[:20])
    message = (
        f'Schema being registered is incompatible with an earlier schema for subject "{name[:255]}": {lines}'
    )
    return RegistryError(409, message, conflicts=[conflict.as_json() for conflict in found[:100]])


def _stored(workspace: Workspace, new: ParsedSchema, draft: SchemaDraft) -> Schema:
    digest = new.digest(draft.references, draft.metadata)
    # First, so that of two subjects that get the same schema at once, the second finds it.
    settings, _ = RegistrySettings.objects.select_for_update().get_or_create(workspace=workspace)
    reference_texts(workspace, draft.references)  # again: by now they can't be deleted any more
    found: Schema | None = Schema.objects.of(workspace).filter(digest=digest).first()
    if found is not None and draft.schema_id in (None, found.schema_id):
        return found
    if found is not None:
        raise RegistryError(
            42205,
            f"This schema has ID {found.schema_id} here; ID {draft.schema_id} as well is not permitted.",
        )
    require_new_schema(workspace)
    require_publishable(new, draft.references)
    schema_id = draft.schema_id
    if schema_id is None:
        schema_id = settings.last_id + 1
        if schema_id > MAX_NUMBER:
            raise RegistryError(42210, f"No ID is left: the last one given is {MAX_NUMBER}.")
    elif Schema.objects.of(workspace).filter(schema_id=schema_id).exists():
        raise RegistryError(42205, f"Overwrite new schema with id {schema_id} is not permitted.")
    elif RemovedSchema.objects.of(workspace).filter(schema_id=schema_id).exclude(digest=digest).exists():
        raise RegistryError(
            42205,
            f"ID {schema_id} was that of another schema, which was deleted: records and jobs may still have "
            "it. Import into a workspace that never gave it.",
        )
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
