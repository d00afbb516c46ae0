"""What a stream's contract needs of the registry: the texts behind a subject, and behind the id of a frame."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from jobs.formats.avro_records import SchemaOf
from jobs.formats.avro_schema_json import written_json
from jobs.formats.contract import StreamContract
from weir.schemas.faults import RegistryError
from weir.schemas.finding import find_subject, read_stored, versions_of
from weir.schemas.models import Schema, Version
from weir.workspaces.models import Workspace
from weir.workspaces.refusals import RefusalError

MAX_WRITERS: Final = 200_000  # characters: a run's message carries them, and Kafka takes a megabyte

Texts = Callable[[Workspace, str], dict[str, Any]]


def with_schemas(workspace: Workspace, contract: Any) -> Any:
    """A contract's JSON with the newest schema of each subject in it; of Avro also its newest versions as possible writers.

    Writers that find no room, and those of later versions, are looked up when records of theirs come.

    Args:
        workspace: whose registry.
        contract: in the API's form, perhaps not valid; what names no subject is left as it is.

    Raises:
        RefusalError: SUBJECT_UNKNOWN, or SUBJECT_UNFIT: its schema is of another kind, or a JSON Schema with references.
    """
    return _filled(workspace, contract, _reader_and_writers) if isinstance(contract, dict) else contract


def with_writers(workspace: Workspace, contract: StreamContract) -> StreamContract:
    """A contract with the newest versions of its subjects among its writers; what readers see stays as it is."""
    return StreamContract.model_validate(_filled(workspace, contract.as_json(), _writers))


def writer_schemas(workspace: Workspace) -> SchemaOf:
    """Texts of Avro schemas by id, as `jobs.formats.decoding` asks for them; each is read once."""

    @cache
    def text_of(schema_id: int) -> str | None:
        schema = Schema.objects.of(workspace).filter(schema_id=schema_id, kind="AVRO").first()
        return None if schema is None else written_out(schema) or None

    return text_of


def written_out(schema: Schema) -> str:
    """An Avro schema's text with the types of its references in it, so that it needs no other; empty when one of them is gone."""
    if not schema.references:
        return str(schema.text)
    try:
        tree = read_stored(schema.workspace, schema).tree
    except RegistryError:
        return ""
    return json.dumps(written_json(tree), separators=(",", ":"), ensure_ascii=False)


def _filled(workspace: Workspace, contract: dict[str, Any], texts: Texts) -> dict[str, Any]:
    places = (place for place in ("encoding", "key_encoding") if place in contract)
    return {**contract, **{place: _with_texts(workspace, contract[place], texts) for place in places}}


def _with_texts(workspace: Workspace, encoding: Any, texts: Texts) -> Any:
    if not isinstance(encoding, dict):
        return encoding
    if encoding.get("format") == "debezium" and "inner" in encoding:
        return {**encoding, "inner": _with_texts(workspace, encoding["inner"], texts)}
    if not isinstance(encoding.get("subject"), str):
        return encoding
    if encoding.get("format", "json") == "json":
        return {**encoding, **_json_schema(workspace, encoding["subject"])} if texts is _reader_and_writers else encoding
    return {**encoding, **texts(workspace, encoding["subject"])} if encoding["format"] == "avro" else encoding


def _reader_and_writers(workspace: Workspace, name: str) -> dict[str, Any]:
    newest = _newest(workspace, name, "AVRO", "Avro")
    return {"schema": written_out(newest), **_writers(workspace, name)}


def _json_schema(workspace: Workspace, name: str) -> dict[str, Any]:
    newest = _newest(workspace, name, "JSON", "JSON Schema")
    if newest.references:
        raise RefusalError(
            "SUBJECT_UNFIT", f"The schema of {name[:80]} refers to other subjects. Use a self-contained JSON Schema for streams."
        )
    return {"schema": newest.text, "schema_id": newest.schema_id}


def _newest(workspace: Workspace, name: str, kind: str, called: str) -> Schema:
    try:
        newest: Schema = versions_of(find_subject(workspace, name))[-1].schema
    except RegistryError as error:
        raise RefusalError("SUBJECT_UNKNOWN", f"Unknown subject {name[:80]!r}.") from error
    if newest.kind != kind:
        raise RefusalError("SUBJECT_UNFIT", f"The schema of {name[:80]} is {newest.kind}, but this format needs {called}.")
    return newest


def _writers(workspace: Workspace, name: str) -> dict[str, Any]:
    versions = Version.objects.filter(subject__workspace=workspace, subject__name=name, schema__kind="AVRO")
    found: dict[int, str] = {}
    size = 0
    for version in versions.select_related("schema__workspace").order_by("-version"):
        text = written_out(version.schema)
        size += len(text)
        if size > MAX_WRITERS:
            break
        if text:
            found[version.schema.schema_id] = text
    return {"writers": found}
