"""Validates a record's JSON object against the JSON Schema of its stream,
within a budget that holds for any schema.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

from jobs.base.budget import spend
from jobs.base.storable import without_nul
from jobs.formats.json_schema_budget import BudgetError, validation_cost, validator_of
from jobs.formats.json_text import bounded_json
from jobs.formats.records import Malformed

MAX_COST: Final = 20_000  # parts of the schema that may apply to a record of `_DEPTH`
MAX_WORK: Final = 200_000_000  # parts of the schema times values of the record: some seconds at most
MAX_EXPLAINED: Final = 20_000  # of these, where alternatives would each be told with the value they refuse
_PER_VALUE: Final = 200  # of these take as long as decoding a value, which is what a budget counts
_DEPTH: Final = 16
MAX_DIGITS: Final = 4_000  # of an integer; Python converts 4,300
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_MAX_ERROR_CHARS: Final = 200

Validator = Callable[[bytes], Malformed | None]


class JsonSchemaError(ValueError):
    """A text is no JSON Schema that records can be validated against."""


def json_schema_values(text: str) -> dict[str, Any]:
    """A JSON Schema's values, if records can be validated against it.

    Raises:
        JsonSchemaError: it is no JSON Schema, has external references, or validation would cost too much.
    """
    try:
        values = bounded_json(text)
        if not isinstance(values, dict):
            raise JsonSchemaError("The JSON Schema of a stream must be an object.")
        if validation_cost(values, _DEPTH) > MAX_COST:
            raise JsonSchemaError("Validating a record with this schema would cost too much.")
        validator_of(json.loads(text))
    except JsonSchemaError:
        raise
    except BudgetError as error:
        raise JsonSchemaError(str(error)) from error
    except (ValueError, RecursionError, jsonschema_rs.ReferencingError) as error:
        raise JsonSchemaError(f"{str(error).splitlines()[0]}"[:_MAX_ERROR_CHARS]) from error
    return values


@lru_cache(maxsize=64)
def schema_validator(text: str) -> Validator:
    """A function that validates JSON bytes, already known to be an object, against a schema.

    Args:
        text: a JSON Schema that `json_schema_values` accepts.

    Returns:
        None if the object is valid, else SCHEMA_MISMATCH with the path in the record and what the schema
        requires there.
    """
    schema = json.loads(text)
    validator, cost = validator_of(schema), validation_cost(schema, _DEPTH)
    has_alternatives = '"anyOf"' in text or '"oneOf"' in text

    def validate(body: bytes) -> Malformed | None:
        work = cost * (body.count(b",") + body.count(b":") + 1)
        if work > MAX_WORK:
            return Malformed(
                "SCHEMA_MISMATCH", "The record has too many values to validate with a schema of this size."
            )
        spend(work // _PER_VALUE)
        try:
            record = _record(body)
        except ValueError as refused:
            return Malformed("SCHEMA_MISMATCH", f"The record can't be validated: {refused}.")
        if validator.is_valid(record):
            return None
        if has_alternatives and work > MAX_EXPLAINED:
            return Malformed("SCHEMA_MISMATCH", "The record doesn't match; it is too large to say where.")
        error = _first_error(validator, record)
        path = without_nul(_path(error.instance_path))
        detail = without_nul(f"{path or 'The record'}: {error.message}"[:_MAX_ERROR_CHARS])
        return Malformed("SCHEMA_MISMATCH", detail, path)

    return validate


def _record(body: bytes) -> Any:
    """A record's values as the validator takes them.

    Raises:
        ValueError: an integer has too many digits for Python, or a text is none.
    """
    record = json.loads(body, parse_int=_whole)
    if _SURROGATE.search(body):
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it contains half a surrogate pair") from None
    return record


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"an integer has more than {MAX_DIGITS} digits")
    return int(text)


def _first_error(validator: Any, record: Any) -> jsonschema_rs.ValidationError:
    """The first error. All of them, each with what every alternative has against the value, would be
    gigabytes for a record of 20 KB.
    """
    try:
        validator.validate(record)
    except jsonschema_rs.ValidationError as error:
        return error
    raise ValueError("The record is valid.")


def _path(path: list[str | int]) -> str:
    """A place as `a.b[3].c`."""
    found = ""
    for part in path:
        found += f"[{part}]" if isinstance(part, int) else f".{part}" if found else part
    return found
