"""The registry as people see it: subjects with their newest versions, and the streams that are read by them."""

from collections import defaultdict
from typing import Any

from django.db.models import Count, Max, Q

from jobs.base.schemas import Field, schema_of
from jobs.base.types import Member
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.avro_types import fields_of
from jobs.formats.debezium_avro import row_members
from jobs.formats.json_schema import JsonSchemaError, json_schema_values
from jobs.formats.json_schema_fields import json_fields
from weir.impact.schema_change import readers
from weir.schemas.faults import RegistryError
from weir.schemas.finding import find_subject, read_stored, settings_of, versions_of
from weir.schemas.models import Schema, Subject
from weir.schemas.services import level_of
from weir.streams.models import Stream
from weir.workspaces.models import Workspace


def subject_rows(workspace: Workspace) -> list[dict[str, Any]]:
    """Subjects with living versions, by name: ``name``, ``level``, ``versions``, ``newest``, ``changed_at``, ``streams``."""
    streams = _streams_by_subject(workspace)
    living = Q(versions__deleted=False)
    counted = Subject.objects.of(workspace).annotate(
        living=Count("versions", filter=living),
        newest=Max("versions__version", filter=living),
        changed_at=Max("versions__created_at", filter=living),
    )
    level = settings_of(workspace).level
    return [
        {
            "name": subject.name,
            "level": subject.level or level,
            "versions": subject.living,
            "newest": subject.newest,
            "changed_at": subject.changed_at,
            "streams": streams.get(subject.name, []),
        }
        for subject in counted.filter(living__gt=0).order_by("name")
    ]


def subject_detail(workspace: Workspace, name: str) -> dict[str, Any]:
    """One subject with its living versions, newest first.

    Raises:
        RegistryError: 40401.
    """
    versions = versions_of(find_subject(workspace, name))
    return {
        "name": name,
        "level": level_of(workspace, name),
        "streams": _streams_by_subject(workspace).get(name, []),
        "versions": [
            {
                "version": version.version,
                "id": version.schema.number,
                "schema_type": version.schema.kind,
                "schema": version.schema.text,
                "references": version.schema.references,
                "created_at": version.created_at,
                **_fields(workspace, version.schema),
            }
            for version in reversed(versions)
        ],
    }


def _fields(workspace: Workspace, schema: Schema) -> dict[str, list[dict[str, Any]]]:
    fields: tuple[Field, ...] = ()
    members: dict[str, Member] = {}
    try:
        if schema.kind == "AVRO":
            fields = fields_of(read_stored(workspace, schema).tree)
            members = row_members(fields)
        elif not schema.references:
            fields = json_fields(json_schema_values(schema.text))
    except (AvroSchemaError, JsonSchemaError, RegistryError):
        pass  # no record, or no envelope: there is nothing to propose
    return {
        "fields": schema_of(fields).as_json(),
        "row_fields": schema_of(Field(member.name, member.type, member.nullable) for member in members.values()).as_json(),
    }


def _streams_by_subject(workspace: Workspace) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for stream in Stream.objects.of(workspace):
        for subject in sorted({encoding.subject for encoding in readers(stream.stream_contract) if encoding.subject}):
            found[subject].append(stream.name)
    return found
