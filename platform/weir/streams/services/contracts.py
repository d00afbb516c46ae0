"""Reads contracts and encodings as the API takes them."""

import json
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from jobs.base.problems import Problem, problem
from jobs.document_errors import unstorable
from jobs.formats.avro_tree import AvroSchemaError
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.json_schema import JsonSchemaError
from jobs.formats.record_formats import Encoding
from jobs.formats.schema_fields import schema_fields
from jobs.formats.source_paths import ReadField
from weir.schemas.services.contract_schemas import with_schemas
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

MAX_CONTRACT: Final = 500_000
_DISCRIMINATORS: Final = ("encoding", "key_encoding", "inner")


_ENCODING: Final[TypeAdapter[Encoding]] = TypeAdapter(Encoding)


def read_contract(contract: Any) -> StreamContract:
    """A contract from the API's form.

    Raises:
        ServiceError: it is invalid; the error lists all problems, with paths inside the contract.
    """
    _check_length(contract)
    if refused := unstorable(contract):
        raise ServiceError("CONTRACT_INVALID", f"Invalid contract: {refused[0].message}", tuple(refused))
    try:
        found = StreamContract.model_validate(contract)
    except ValidationError as error:
        problems = tuple(_problem(each["loc"], each["msg"]) for each in error.errors(include_url=False)[:100])
        raise ServiceError(
            "CONTRACT_INVALID", f"Invalid contract: {problems[0].message}", problems
        ) from error
    problems = tuple(check_contract(found))
    if problems:
        raise ServiceError("CONTRACT_INVALID", f"Invalid contract: {problems[0].message}", problems)
    return found


def _check_length(contract: Any) -> None:
    """Lists of streams load all contracts, and a run's message carries those of its sources."""
    length = len(json.dumps(contract, ensure_ascii=False))
    if length > MAX_CONTRACT:
        raise ServiceError(
            "CONTRACT_INVALID",
            f"Invalid contract: it has {length:,} characters as JSON, more than {MAX_CONTRACT:,}. "
            "Keep schemas of writers in the registry.",
        )


def read_encoding(encoding: Any) -> Encoding:
    """An encoding from the API's form.

    Raises:
        ServiceError: ENCODING_INVALID; the error lists all problems, with paths that begin with `encoding`.
    """
    try:
        return _ENCODING.validate_python(encoding)
    except ValidationError as error:
        problems = tuple(
            _problem(("encoding", *each["loc"]), each["msg"])
            for each in error.errors(include_url=False)[:100]
        )
        raise ServiceError("ENCODING_INVALID", f"Invalid format: {problems[0].message}", problems) from error


def fields_of_encoding(workspace: Workspace, encoding: Any) -> tuple[ReadField, ...]:
    """The fields that a stream of this encoding can declare; see `jobs.formats.schema_fields`.

    Args:
        workspace: whose registry.
        encoding: in the API's form.

    Raises:
        ServiceError: it is invalid; its subject is unknown or incompatible; SCHEMA_INCOMPATIBLE, its
            schema cannot become fields.
    """
    filled = with_schemas(workspace, {"encoding": encoding})["encoding"]
    try:
        return schema_fields(read_encoding(filled))
    except (AvroSchemaError, JsonSchemaError) as error:
        raise ServiceError(
            "SCHEMA_INCOMPATIBLE", f"The schema can't be converted to fields: {error}"
        ) from error


def _problem(loc: tuple[int | str, ...], message: str) -> Problem:
    # After these names pydantic inserts the name of the chosen format, which is no member of the given JSON.
    path = tuple(
        str(part) for before, part in zip(("", *loc), loc, strict=False) if before not in _DISCRIMINATORS
    )
    return problem("PARAMETER_RANGE", path, f"{'.'.join(path) or 'contract'}: {message}")
