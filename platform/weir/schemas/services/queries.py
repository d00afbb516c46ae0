"""Queries of the registry of one workspace; nothing here writes."""

import re
from typing import Any, Final

from django.db.models import QuerySet, Sum
from django.db.models.functions import Length

from weir.schemas.errors import RegistryError, no_schema, no_subject, no_version
from weir.schemas.models import MAX_NUMBER, RegistrySettings, Schema, Subject, Version
from weir.schemas.services.parsing import ParsedSchema, parse_schema
from weir.workspaces.models import Workspace

MAX_REFERENCES: Final = 16
MAX_LISTED_CHARACTERS: Final = 16_000_000
LATEST: Final = ("latest", "-1")
_NUMBER: Final = re.compile(r"-?[0-9]{1,10}", re.ASCII)


def get_settings(workspace: Workspace) -> RegistrySettings:
    """The workspace's settings; unsaved defaults if they were never changed."""
    return RegistrySettings.objects.filter(workspace=workspace).first() or RegistrySettings(
        workspace=workspace
    )


def subjects(
    workspace: Workspace, *, deleted: bool = False, deleted_only: bool = False, prefix: str = ""
) -> list[str]:
    """Names of subjects that have versions: with `deleted` also those whose versions are all soft-deleted."""
    versions = Version.objects.filter(subject__workspace=workspace)
    named = set(versions.order_by().values_list("subject__name", "deleted").distinct())
    living = {name for name, hidden in named if not hidden}
    every = {name for name, _ in named}
    chosen = every - living if deleted_only else every if deleted else living
    return sorted(name for name in chosen if name.startswith(prefix))  # SQLite's LIKE knows no case


def get_subject(workspace: Workspace, name: str, *, deleted: bool = False) -> Subject:
    """A subject that has versions.

    Raises:
        RegistryError: 40401.
    """
    subject: Subject | None = Subject.objects.of(workspace).filter(name=name).first()
    if subject is None or not _versions(subject, deleted=deleted).exists():
        raise no_subject(name)
    return subject


def versions_of(subject: Subject, *, deleted: bool = False) -> list[Version]:
    """Versions, oldest first; soft-deleted ones only with `deleted`. The text of each is loaded when it is
    asked for: together they may be hundreds of megabytes.
    """
    return list(_versions(subject, deleted=deleted).defer("schema__text"))


def texts_of_newest(subject: Subject, versions: list[Version], most: int) -> dict[int, str]:
    """The texts of the newest of some versions by their keys, at least of the newest that is not deleted.

    Args:
        subject: whose.
        versions: of it, oldest first.
        most: characters that the texts may have together.
    """
    lengths = dict(subject.versions.values_list("pk", Length("schema__text")))
    if not versions:
        return {}
    newest = next((version for version in reversed(versions) if not version.deleted), versions[-1])
    most -= lengths.get(newest.pk, 0)
    chosen = [newest.pk]
    for version in reversed(versions):
        if version.pk == newest.pk:
            continue
        most -= lengths.get(version.pk, 0)
        if most < 0:
            break
        chosen.append(version.pk)
    return dict(subject.versions.filter(pk__in=chosen).values_list("pk", "schema__text"))


def newest_version(workspace: Workspace, name: str, *, deleted: bool = False) -> Version:
    """The newest version of a subject.

    Raises:
        RegistryError: 40401.
    """
    found = _versions(get_subject(workspace, name, deleted=deleted), deleted=deleted).last()
    if found is None:  # deleted meanwhile
        raise no_subject(name)
    return found


def _versions(subject: Subject, *, deleted: bool) -> QuerySet[Version]:
    found = subject.versions.select_related("schema", "subject")
    return found if deleted else found.filter(deleted=False)


def version_keys(
    workspace: Workspace, prefix: str = "", *, deleted: bool = False, newest_only: bool = False
) -> list[int]:
    """Keys of the versions of all subjects whose names have this prefix, by subject and version.

    Args:
        workspace: whose.
        prefix: of the subjects' names, in their case.
        deleted: soft-deleted ones, too.
        newest_only: of each subject the newest of these.
    """
    found = Version.objects.filter(subject__workspace=workspace)
    if not deleted:
        found = found.filter(deleted=False)
    rows = sorted(found.order_by().values_list("subject__name", "version", "pk"))
    chosen = [(name, key) for name, _, key in rows if name.startswith(prefix)]
    return list(dict(chosen).values()) if newest_only else [key for _, key in chosen]


def versions_by_key(keys: list[int]) -> list[Version]:
    """Versions with subject and schema, in the order of their keys.

    Raises:
        RegistryError: 422, their texts are too long for one answer.
    """
    length = Version.objects.filter(pk__in=keys).aggregate(sum=Sum(Length("schema__text")))["sum"] or 0
    if length > MAX_LISTED_CHARACTERS:
        raise RegistryError(
            422, f"These schemas have {length:,} characters, more than {MAX_LISTED_CHARACTERS:,}. Use limit."
        )
    found = Version.objects.select_related("schema", "subject").in_bulk(keys)
    return [found[key] for key in keys if key in found]


def get_version(workspace: Workspace, name: str, version: str, *, deleted: bool = False) -> Version:
    """A version by number, ``latest`` or ``-1``.

    Raises:
        RegistryError: 40401, 40402, 42202.
    """
    number = _number(version)
    if number == -1:
        return newest_version(workspace, name, deleted=deleted)
    subject = get_subject(workspace, name, deleted=deleted)
    found = _versions(subject, deleted=deleted).filter(version=number).first()
    if found is None:
        raise no_version(number)
    return found


def _number(version: str) -> int:
    if version == "latest":
        return -1
    number = int(version) if _NUMBER.fullmatch(version) else 0
    if number != -1 and not 1 <= number <= MAX_NUMBER:
        raise RegistryError(
            42202,
            f"The specified version '{version[:40]}' is not a valid version id. "
            'Allowed: 1 to 2^31-1 and "latest".',
        )
    return number


def get_schema(workspace: Workspace, schema_id: int) -> Schema:
    """A schema by id.

    Raises:
        RegistryError: 40403.
    """
    schema: Schema | None = Schema.objects.of(workspace).filter(schema_id=schema_id).first()
    if schema is None:
        raise no_schema()
    return schema


def reference_texts(workspace: Workspace, references: list[dict[str, Any]]) -> dict[str, str]:
    """The texts of referenced schemas by name, each after those that it uses itself.

    Raises:
        RegistryError: 42201 a reference cannot be found, or there are too many.
    """
    found: dict[str, str] = {}
    _add_references(workspace, references, found, set())
    return found


def _add_references(
    workspace: Workspace, references: list[dict[str, Any]], found: dict[str, str], seen: set[str]
) -> None:
    """Each name once, however many schemas refer to it: the paths to it double with each level."""
    for reference in references:
        if reference["name"] in seen:
            continue
        seen.add(reference["name"])
        if len(seen) > MAX_REFERENCES:
            raise RegistryError(42201, f"Invalid schema: more than {MAX_REFERENCES} references.")
        try:
            version = get_version(workspace, reference["subject"], str(reference["version"]), deleted=True)
        except RegistryError as error:
            raise RegistryError(
                42201, f"Invalid schema: the reference {reference['name'][:80]} doesn't exist."
            ) from error
        _add_references(workspace, version.schema.references, found, seen)
        found[reference["name"]] = version.schema.text


def parse_stored(workspace: Workspace, schema: Schema, *, normalize: bool = False) -> ParsedSchema:
    """A stored schema, parsed; with `normalize` its text is in canonical form."""
    return parse_schema(
        schema.kind, schema.text, reference_texts(workspace, schema.references), normalize=normalize
    )


def get_version_with_metadata(
    workspace: Workspace, name: str, properties: dict[str, str], *, deleted: bool = False
) -> Version:
    """The newest version whose metadata has all of these properties.

    Raises:
        RegistryError: 40401; 40403, no version has them.
    """
    subject = get_subject(workspace, name, deleted=deleted)
    for version in reversed(versions_of(subject, deleted=deleted)):
        own = version.schema.metadata.get("properties") or {}
        if properties.items() <= own.items():
            return version
    raise no_schema()
