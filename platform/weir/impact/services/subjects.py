"""The registry as people see it: subjects with their newest versions, and the streams
that are read by them.
"""

import time
from collections import defaultdict
from typing import Any, Final

from django.db.models import Count, Max, Q

from jobs.base.schemas import Field
from jobs.base.types import Member
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.debezium_avro import row_members
from jobs.formats.field_names import proposed_fields
from jobs.formats.json_schema import JsonSchemaError, json_schema_values
from jobs.formats.json_schema_fields import json_members
from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema, Subject, Version
from weir.schemas.services.policy import held_mode, level_of, mode_of
from weir.schemas.services.queries import (
    get_settings,
    get_subject,
    parse_stored,
    texts_of_newest,
    versions_of,
)
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

MAX_CHARACTERS: Final = 4_000_000  # of a subject's schemas in one answer, which has their fields beside them
FIELDS_CPU_S: Final = 3.0
"""Processor time for the fields of all versions in one answer: the references of each may be 4 MB of text."""
# Where a contract names the subjects by which it is read.
_SUBJECTS: Final = (
    "contract__encoding__subject",
    "contract__encoding__inner__subject",
    "contract__key_encoding__subject",
)


def subjects_json(workspace: Workspace, *, deleted: bool = False) -> list[dict[str, Any]]:
    """Subjects with versions, by name.

    Args:
        workspace: whose.
        deleted: also those whose versions are all hidden.

    Returns:
        ``name``, ``level``, ``mode``, ``versions`` that live, ``newest`` of them or else of the hidden ones,
        ``changed_at``, ``streams``, ``deleted``.
    """
    streams = _streams_by_subject(workspace)
    living = Q(versions__deleted=False)
    counted = Subject.objects.of(workspace).annotate(
        all=Count("versions"),
        living=Count("versions", filter=living),
        newest=Max("versions__version", filter=living),
        newest_of_all=Max("versions__version"),
        changed_at=Max("versions__created_at"),
    )
    settings = get_settings(workspace)
    return [
        {
            "name": subject.name,
            "level": subject.level or settings.level,
            "mode": held_mode(subject.mode, settings.mode),
            "versions": subject.living,
            "newest": subject.newest or subject.newest_of_all,
            "changed_at": subject.changed_at,
            "streams": streams.get(subject.name, []),
            "deleted": not subject.living,
        }
        for subject in counted.filter(**({"all__gt": 0} if deleted else {"living__gt": 0})).order_by("name")
    ]


def subject_detail(workspace: Workspace, name: str, *, deleted: bool = False) -> dict[str, Any]:
    """One subject with its versions, newest first. Older ones than have `MAX_CHARACTERS` together have
    neither text nor fields; those whose turn comes after `FIELDS_CPU_S` have no fields.

    Args:
        workspace: whose.
        name: of the subject.
        deleted: also hidden versions, and a subject that has no others.

    Raises:
        RegistryError: 40401.
    """
    subject = get_subject(workspace, name, deleted=deleted)
    users = _users_by_version(workspace, name)
    versions = versions_of(subject, deleted=deleted)
    texts = texts_of_newest(subject, versions, MAX_CHARACTERS)
    until = time.thread_time() + FIELDS_CPU_S
    return {
        "name": name,
        "level": level_of(workspace, name),
        "own_level": subject.level,
        "mode": mode_of(workspace, name),
        "own_mode": subject.mode,
        "streams": _streams_by_subject(workspace).get(name, []),
        "versions": [
            {
                "version": version.version,
                "id": version.schema.schema_id,
                "schema_type": version.schema.kind,
                "schema": texts.get(version.pk, ""),
                "references": version.schema.references,
                "referenced_by": users.get(version.version, []),
                "created_at": version.created_at,
                "deleted": version.deleted,
                **_fields(
                    workspace, version.schema, texts.get(version.pk) if time.thread_time() < until else None
                ),
            }
            for version in reversed(versions)
        ],
    }


def _users_by_version(workspace: Workspace, name: str) -> dict[int, list[dict[str, Any]]]:
    """Living versions of other subjects that refer to a subject, by the version that they refer to."""
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    living = Version.objects.filter(subject__workspace=workspace, deleted=False).exclude(
        schema__references=[]
    )
    listed = living.select_related("subject", "schema").defer("schema__text")
    for version in listed.order_by("subject__name", "version"):
        for use in version.schema.references:
            if use["subject"] == name:
                found[use["version"]].append({"subject": version.subject.name, "version": version.version})
    return found


def _fields(workspace: Workspace, schema: Schema, text: str | None) -> dict[str, list[dict[str, Any]]]:
    """What can be made of a schema.

    Args:
        workspace: whose.
        schema: without its text.
        text: its text; None: nothing is made of it.
    """
    fields: tuple[Field, ...] = ()
    members: dict[str, Member] = {}
    try:
        if text is None:
            pass
        elif schema.kind == "AVRO":
            schema.text = text
            fields = fields_of(parse_stored(workspace, schema).tree)
            members = row_members(fields)
        elif not schema.references:
            fields = json_members(json_schema_values(text))
    except (AvroSchemaError, JsonSchemaError, RegistryError):
        pass  # no record, or no envelope: there is nothing to propose
    return {
        "fields": [field.as_json() for field in proposed_fields(fields)],
        "row_fields": [
            field.as_json()
            for field in proposed_fields(
                Field(member.name, member.type, member.nullable) for member in members.values()
            )
        ],
    }


def _streams_by_subject(workspace: Workspace) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, *subjects in Stream.objects.of(workspace).values_list("name", *_SUBJECTS):
        for subject in sorted(set(filter(None, subjects))):
            found[subject].append(name)
    return found
