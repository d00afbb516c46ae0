"""Values of result rows as the interpreter reads them: only the fields that rules use
(`docs/semantics/records-and-formats.md#output-records`).
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.base.schemas import Schema
from jobs.base.types import BOOLEAN, DOUBLE, INT, LONG, STRING, DataType
from jobs.formats.json_text import parse_json
from jobs.formats.json_values import WrongType, typed
from jobs.formats.records import Malformed

_SPECIAL: Final = frozenset({"NaN", "Infinity", "-Infinity"})

Read = Callable[[Any], Any]


class RowReader:
    """Reads some fields of the rows of one result.

    Args:
        schema: of the result.
        names: fields that are read.
    """

    def __init__(self, schema: Schema, names: frozenset[str]) -> None:
        fields = (schema.get(name) for name in sorted(names))
        self._fields = tuple((field.name, _reader(field.type)) for field in fields if field is not None)

    def read(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A value per field; one that is not of its type is null."""
        return {name: None if (raw := row.get(name)) is None else read(raw) for name, read in self._fields}


def _reader(wanted: DataType) -> Read:
    if wanted in (INT, LONG, STRING, BOOLEAN):
        return _as_is
    if wanted == DOUBLE:
        return _double
    return lambda raw: _typed(raw, wanted)


def _as_is(raw: Any) -> Any:
    return raw


def _double(raw: Any) -> float | None:
    if isinstance(raw, str):
        return float(raw) if raw in _SPECIAL else None
    # A row from before the field's type changed may have another.
    return float(raw) if isinstance(raw, int | float) else None


def _typed(raw: Any, wanted: DataType) -> Any:
    """Times, decimals, bytes and nested values, by the reader of JSON records."""
    parsed = parse_json(b'{"value":' + json.dumps(raw).encode() + b"}")
    if isinstance(parsed, Malformed):
        return None
    try:
        return typed(parsed["value"], wanted)
    except WrongType:
        return None
