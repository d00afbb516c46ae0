"""What a stream's contract needs of the registry: the texts behind a subject."""

from typing import Any

from weir.schemas.faults import RegistryError
from weir.schemas.finding import find_subject, texts_of, versions_of
from weir.schemas.models import Schema
from weir.workspaces.models import Workspace
from weir.workspaces.refusals import RefusalError


def with_schemas(workspace: Workspace, contract: Any) -> Any:
    """A contract's JSON with the newest schema of each Avro subject in it, and all its versions as possible writers.

    Args:
        workspace: whose registry.
        contract: in the API's form, perhaps not valid; what names no subject is left as it is.

    Raises:
        RefusalError: SUBJECT_UNKNOWN, or SUBJECT_UNFIT: its schema uses references, or is no Avro schema.
    """
    if not isinstance(contract, dict):
        return contract
    filled = dict(contract)
    for place in ("encoding", "key_encoding"):
        encoding = contract.get(place)
        if isinstance(encoding, dict) and encoding.get("format") == "avro" and isinstance(encoding.get("subject"), str):
            filled[place] = {**encoding, **_texts(workspace, encoding["subject"])}
    return filled


def _texts(workspace: Workspace, name: str) -> dict[str, Any]:
    try:
        versions = versions_of(find_subject(workspace, name), deleted=True)
    except RegistryError as error:
        raise RefusalError("SUBJECT_UNKNOWN", f"The registry has no subject {name[:80]!r}.") from error
    living = [version.schema for version in versions if not version.deleted]
    writers = {version.schema.number: version.schema for version in versions}
    return {
        "schema": _alone(workspace, living[-1], name),
        "writers": {number: _alone(workspace, schema, name) for number, schema in writers.items()},
    }


def _alone(workspace: Workspace, schema: Schema, name: str) -> str:
    if schema.kind != "AVRO" or texts_of(workspace, schema.references):
        raise RefusalError(
            "SUBJECT_UNFIT", f"The schema of {name[:80]} is {schema.kind}, or uses references: streams cannot read those yet."
        )
    return schema.text
