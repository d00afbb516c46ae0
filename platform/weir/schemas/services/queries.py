"""Queries of the registry of one workspace; nothing here writes."""

from typing import Any, Final

from weir.schemas.errors import RegistryError, no_schema, no_subject, no_version
from weir.schemas.models import RegistrySettings, Schema, Subject, Version
from weir.schemas.services.parsing import ParsedSchema, parse_schema
from weir.workspaces.models import Workspace

MAX_REFERENCES: Final = 16
_LAST: Final = 2**31 - 1


def get_settings(workspace: Workspace) -> RegistrySettings:
    """The workspace's settings; unsaved defaults if they were never changed."""
    return RegistrySettings.objects.filter(workspace=workspace).first() or RegistrySettings(
        workspace=workspace
    )


def subjects(
    workspace: Workspace, *, deleted: bool = False, deleted_only: bool = False, prefix: str = ""
) -> list[str]:
    """Names of subjects that have versions: with `deleted` also those whose versions are all soft-deleted."""
    names = Version.objects.filter(subject__workspace=workspace, subject__name__startswith=prefix)
    living = set(names.filter(deleted=False).values_list("subject__name", flat=True))
    every = set(names.values_list("subject__name", flat=True))
    return sorted(every - living if deleted_only else every if deleted else living)


def get_subject(workspace: Workspace, name: str, *, deleted: bool = False) -> Subject:
    """A subject that has versions.

    Raises:
        RegistryError: 40401.
    """
    subject: Subject | None = Subject.objects.of(workspace).filter(name=name).first()
    if subject is None or not versions_of(subject, deleted=deleted):
        raise no_subject(name)
    return subject


def versions_of(subject: Subject, *, deleted: bool = False) -> list[Version]:
    """Versions, oldest first; soft-deleted ones only with `deleted`."""
    found = subject.versions.select_related("schema", "subject")
    return list(found if deleted else found.filter(deleted=False))


def get_version(workspace: Workspace, name: str, version: str, *, deleted: bool = False) -> Version:
    """A version by number, ``latest`` or ``-1``.

    Raises:
        RegistryError: 40401, 40402, 42202.
    """
    number = _number(version)
    subject = get_subject(workspace, name, deleted=deleted)
    every = versions_of(subject, deleted=deleted)
    if number == -1:
        return every[-1]
    for found in every:
        if found.version == number:
            return found
    raise no_version(number)


def _number(version: str) -> int:
    if version == "latest":
        return -1
    try:
        number = int(version)
    except ValueError:
        number = 0
    if number != -1 and not 1 <= number <= _LAST:
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


def reference_texts(workspace: Workspace, references: list[dict[str, Any]], depth: int = 0) -> dict[str, str]:
    """The texts of referenced schemas by name, each after those that it uses itself.

    Raises:
        RegistryError: 42201 a reference cannot be found, or references are nested too deep.
    """
    if depth > MAX_REFERENCES or len(references) > MAX_REFERENCES:
        raise RegistryError(
            42201, f"Invalid schema: more than {MAX_REFERENCES} references, or circular references."
        )
    found: dict[str, str] = {}
    for reference in references:
        try:
            version = get_version(workspace, reference["subject"], str(reference["version"]), deleted=True)
        except RegistryError as error:
            raise RegistryError(
                42201, f"Invalid schema: the reference {reference['name'][:80]} doesn't exist."
            ) from error
        found |= reference_texts(workspace, version.schema.references, depth + 1)
        found[reference["name"]] = version.schema.text
        if len(found) > MAX_REFERENCES:
            raise RegistryError(42201, f"Invalid schema: more than {MAX_REFERENCES} references.")
    return found


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
    for version in reversed(versions_of(get_subject(workspace, name, deleted=deleted), deleted=deleted)):
        own = version.schema.metadata.get("properties") or {}
        if properties.items() <= own.items():
            return version
    raise no_schema()
