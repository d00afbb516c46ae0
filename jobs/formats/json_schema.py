"""Validates a record's JSON object against the JSON Schema of its stream,
within a budget that holds for any schema.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

import jsonschema_rs

from jobs.base.budget import afford, spend
from jobs.base.sized_cache import sized_cache
from jobs.base.storable import without_nul
from jobs.formats.json_schema_budget import BudgetError, Cost, validation_cost, validator_of
from jobs.formats.json_schema_patterns import pattern_extent, patterns_of
from jobs.formats.json_text import bounded_json, depth_of
from jobs.formats.records import Malformed

MAX_COST: Final = 20_000  # parts of the schema that may apply to a record of `_DEPTH`
MAX_WORK: Final = 200_000_000  # parts of the schema times values of the record: some seconds at most
MAX_EXPLAINED: Final = 20_000  # of these, where alternatives would each be told with the value they refuse
# Signs of patterns times bytes of the record: five seconds at most, and again where it is told what is wrong.
MAX_STEPS: Final = 250_000_000
_STEPS_PER_VALUE: Final = 250  # of these take as long as decoding a value, if each is a state not met before
_PER_VALUE: Final = 200  # of these take as long as decoding a value, which is what a budget counts
_DEPTH: Final = 16
_MAX_KEPT: Final = 2_000_000  # characters of schemas whose validators are kept
_MAX_ENTRIES: Final = 64
_BYTES_PER_CHAR: Final = 60  # of a validator, by its schema's text
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
        if validation_cost(values, _DEPTH).parts > MAX_COST:
            raise JsonSchemaError("Validating a record with this schema would cost too much.")
        validator_of(json.loads(text))
    except JsonSchemaError:
        raise
    except BudgetError as error:
        raise JsonSchemaError(str(error)) from error
    except (ValueError, RecursionError, jsonschema_rs.ReferencingError) as error:
        raise JsonSchemaError(f"{str(error).splitlines()[0]}"[:_MAX_ERROR_CHARS]) from error
    return values


def _size_of(text: str) -> int:
    """A validator's size in characters of its schema's text, those included that its patterns come to."""
    patterns = set(patterns_of(json.loads(text)))
    return len(text) + sum(pattern_extent(pattern).size for pattern in patterns) // _BYTES_PER_CHAR


@sized_cache(_MAX_KEPT, _MAX_ENTRIES, _size_of)
def schema_validator(text: str) -> Validator:
    """A function that validates JSON bytes, already known to be an object, against a schema.

    Args:
        text: a JSON Schema that `json_schema_values` accepts, or that an earlier version did.

    Returns:
        None if the object is valid, else SCHEMA_MISMATCH with the path in the record and what the schema
        requires there.
    """
    schema = json.loads(text)
    try:
        validator, costs = validator_of(schema), _RecordCosts(schema)
    except BudgetError as error:
        unusable = Malformed("SCHEMA_MISMATCH", f"The record can't be validated with its schema: {error}")
        return lambda _: unusable
    has_alternatives = '"anyOf"' in text or '"oneOf"' in text

    def validate(body: bytes) -> Malformed | None:
        work = costs.spend_on(body)
        if isinstance(work, Malformed):
            return work
        try:
            record = _record(body)
        except ValueError as refused:
            return Malformed("SCHEMA_MISMATCH", f"The record can't be validated: {refused}.")
        is_valid = validator.is_valid(record)
        spend(0)
        if is_valid:
            return None
        if has_alternatives and work > MAX_EXPLAINED:
            return Malformed("SCHEMA_MISMATCH", "The record doesn't match; it is too large to say where.")
        error = _first_error(validator, record)
        path = without_nul(_path(error.instance_path))
        detail = without_nul(f"{path or 'The record'}: {error.message}"[:_MAX_ERROR_CHARS])
        return Malformed("SCHEMA_MISMATCH", detail, path)

    return validate


class _RecordCosts:
    """What validating a record costs, known and counted before it is begun.

    Args:
        schema: a JSON Schema's values.

    Raises:
        BudgetError: its cost can't be computed.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._by_depth = {_DEPTH: validation_cost(schema, _DEPTH)}

    def spend_on(self, body: bytes) -> int | Malformed:
        """Parts of the schema times values of the record, or why it is not validated.

        Raises:
            OverBudget: there is less left of the current budget.
        """
        try:
            cost = self._of_depth(max(_DEPTH, depth_of(body.decode(), _DEPTH)))
        except BudgetError:
            return Malformed("SCHEMA_MISMATCH", "The record is too deep to validate with its schema.")
        work = cost.parts * (body.count(b",") + body.count(b":") + 1)
        if work > MAX_WORK:
            return Malformed(
                "SCHEMA_MISMATCH", "The record has too many values to validate with a schema of this size."
            )
        steps = cost.signs * len(body)
        if steps > MAX_STEPS:
            return Malformed(
                "SCHEMA_MISMATCH", "The record is too long to be searched with the patterns of its schema."
            )
        spend(work // _PER_VALUE)
        # Most patterns take a fraction of this; the time that they did take is looked at afterwards.
        afford(steps // _STEPS_PER_VALUE)
        return work

    def _of_depth(self, depth: int) -> Cost:
        if depth not in self._by_depth:
            self._by_depth[depth] = validation_cost(self._schema, depth)
        return self._by_depth[depth]


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
