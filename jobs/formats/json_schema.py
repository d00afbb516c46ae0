"""A record's JSON object tried against the JSON Schema of its stream, within bounds that hold whatever the schema says."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

from jobs.formats.json_schema_trial import NotTriedError, trial_cost
from jobs.formats.json_text import bounded_json
from jobs.formats.records import Malformed

MOST_COST: Final = 20_000  # parts of the schema that may look at a record of `_DEPTH`
MOST_WORK: Final = 200_000_000  # parts of the schema by values of the record: some seconds at the very most
_DEPTH: Final = 16
_TOLD: Final = 200

Trial = Callable[[bytes], Malformed | None]


class JsonSchemaError(ValueError):
    """A text is no JSON Schema that records can be tried against."""


def json_schema_values(text: str) -> dict[str, Any]:
    """A JSON Schema's values, when records can be tried against it.

    Raises:
        JsonSchemaError: it is no JSON Schema, refers to something outside itself, or would cost too much.
    """
    try:
        values = bounded_json(text)
        if not isinstance(values, dict):
            raise JsonSchemaError("The JSON Schema of a stream must be an object.")
        if trial_cost(values, _DEPTH) > MOST_COST:
            raise JsonSchemaError("Validating a record with this schema would cost too much.")
        _validator(text)
    except JsonSchemaError:
        raise
    except NotTriedError as error:
        raise JsonSchemaError(str(error)) from error
    except (ValueError, RecursionError, jsonschema_rs.ReferencingError) as error:
        raise JsonSchemaError(f"{str(error).splitlines()[0]}"[:_TOLD]) from error
    return values


@lru_cache(maxsize=64)
def schema_trial(text: str) -> Trial:
    """A function that tries JSON bytes, which were read as an object before, against a schema.

    Args:
        text: a JSON Schema that `json_schema_values` takes.

    Returns:
        None where it fits, else SCHEMA_MISMATCH with the place in the record and what the schema asks for there.
    """
    validator, cost = _validator(text), trial_cost(json.loads(text), _DEPTH)

    def tried(body: bytes) -> Malformed | None:
        if cost * (body.count(b",") + body.count(b":") + 1) > MOST_WORK:
            return Malformed("SCHEMA_MISMATCH", "The record has too many values to validate with a schema of this size.")
        fault = next(validator.iter_errors(json.loads(body)), None)
        if fault is None:
            return None
        place = _place(fault.instance_path)
        return Malformed("SCHEMA_MISMATCH", f"{place or 'The record'}: {fault.message}"[:_TOLD], place)

    return tried


def _validator(text: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(text), retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions())


def _place(path: list[str | int]) -> str:
    """A place as `a.b[3].c`."""
    found = ""
    for part in path:
        found += f"[{part}]" if isinstance(part, int) else f".{part}" if found else part
    return found


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is an external reference, which isn't supported")
