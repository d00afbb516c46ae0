"""Adds schemas of the registry to a stream's contract, and finds writer schemas by
the id in a record's prefix.
"""

import json
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from jobs.formats.avro_records import SchemaOf
from jobs.formats.avro_schema_json import full_schema
from jobs.formats.avro_tree import AvroType
from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import MAX_WRITERS
from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema, Version
from weir.schemas.services.queries import newest_version, parse_stored
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

MAX_WRITERS_CHARS: Final = 200_000  # a run's message carries them, and Kafka accepts a megabyte
WRITERS_CPU_S: Final = 2.0
"""Processor time to inline the references of those versions, which may be 4 MB each."""

Texts = Callable[[Workspace, str], dict[str, Any]]


def with_schemas(workspace: Workspace, contract: Any) -> Any:
    """A contract's JSON with the newest schema of each subject in it; of Avro also its newest
    versions as possible writers.

    Writers beyond that limit, and later versions, are fetched when their records arrive.

    Args:
        workspace: whose registry.
        contract: in the API's form, maybe invalid; encodings without a subject are unchanged.

    Raises:
        ServiceError: SUBJECT_UNKNOWN, or SUBJECT_INCOMPATIBLE: its schema is of another kind, or a
            JSON Schema with references.
    """
    return _filled(workspace, contract, _reader_and_writers) if isinstance(contract, dict) else contract


def with_writers(workspace: Workspace, contract: StreamContract) -> StreamContract:
    """A contract with the newest versions of its subjects among its writers; its fields do not change."""
    return StreamContract.model_validate(_filled(workspace, contract.as_json(), _writers))


def writer_schemas(workspace: Workspace) -> SchemaOf:
    """Texts of Avro schemas by id, as `jobs.formats.decoding` needs them; each is read once."""

    @cache
    def text_of(schema_id: int) -> str | None:
        schema = Schema.objects.of(workspace).filter(schema_id=schema_id, kind="AVRO").first()
        return None if schema is None else inlined_text(schema) or None

    return text_of


def inlined_text(schema: Schema) -> str:
    """An Avro schema's text with its references inlined; empty if one of them was deleted."""
    if not schema.references:
        return str(schema.text)
    try:
        return whole_text(parse_stored(schema.workspace, schema).tree)
    except RegistryError:
        return ""


def whole_text(tree: AvroType) -> str:
    """The text of an Avro schema with the types of its references in it."""
    return json.dumps(full_schema(tree), separators=(",", ":"), ensure_ascii=False)


def _filled(workspace: Workspace, contract: dict[str, Any], texts: Texts) -> dict[str, Any]:
    names = (name for name in ("encoding", "key_encoding") if name in contract)
    return {**contract, **{name: _with_texts(workspace, contract[name], texts) for name in names}}


def _with_texts(workspace: Workspace, encoding: Any, texts: Texts) -> Any:
    if not isinstance(encoding, dict):
        return encoding
    if encoding.get("format") == "debezium" and "inner" in encoding:
        return {**encoding, "inner": _with_texts(workspace, encoding["inner"], texts)}
    if not isinstance(encoding.get("subject"), str):
        return encoding
    if encoding.get("format", "json") == "json":
        return (
            {**encoding, **_json_schema(workspace, encoding["subject"])}
            if texts is _reader_and_writers
            else encoding
        )
    return {**encoding, **texts(workspace, encoding["subject"])} if encoding["format"] == "avro" else encoding


def _reader_and_writers(workspace: Workspace, name: str) -> dict[str, Any]:
    newest = _newest(workspace, name, "AVRO", "Avro")
    return {"schema": inlined_text(newest), **_writers(workspace, name)}


def _json_schema(workspace: Workspace, name: str) -> dict[str, Any]:
    newest = _newest(workspace, name, "JSON", "JSON Schema")
    if newest.references:
        raise ServiceError(
            "SUBJECT_INCOMPATIBLE",
            f"The schema of {name[:80]} refers to other subjects. "
            "Use a self-contained JSON Schema for streams.",
        )
    return {"schema": newest.text, "schema_id": newest.schema_id}


def _newest(workspace: Workspace, name: str, kind: str, called: str) -> Schema:
    try:
        newest: Schema = newest_version(workspace, name).schema
    except RegistryError as error:
        raise ServiceError("SUBJECT_UNKNOWN", f"Unknown subject {name[:80]!r}.") from error
    if newest.kind != kind:
        raise ServiceError(
            "SUBJECT_INCOMPATIBLE",
            f"The schema of {name[:80]} is {newest.kind}, but this format needs {called}.",
        )
    return newest


def _writers(workspace: Workspace, name: str) -> dict[str, Any]:
    versions = Version.objects.filter(subject__workspace=workspace, subject__name=name, schema__kind="AVRO")
    found: dict[int, str] = {}
    size, until = 0, time.thread_time() + WRITERS_CPU_S
    # A few at a time: the texts of all versions may be hundreds of megabytes.
    for version in versions.select_related("schema__workspace").order_by("-version").iterator(chunk_size=10):
        text = inlined_text(version.schema)
        size += len(text)
        if size > MAX_WRITERS_CHARS or len(found) == MAX_WRITERS or time.thread_time() > until:
            break
        if text:
            found[version.schema.schema_id] = text
    return {"writers": found}
