"""Identities of results: JSON arrays, which are also the results' Kafka keys
(`docs/semantics/identity-and-results.md#identity`).

Python, Spark and TypeScript write the same bytes; `tests/unit/jobs/base/identity_vectors.json` is the test
data that all three must reproduce.
"""

import base64
import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from jobs.base.instants import instant_of, instant_text

_SHORT: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def identity_text(parts: list[Any] | tuple[Any, ...]) -> str:
    """The identity of these parts, as JSON text without white space between tokens.

    Args:
        parts: None, bool, int, str, bytes, Decimal (already at its scale), aware datetime, date, or nested
            lists of these.

    Raises:
        TypeError: a part of another type (a float among them: doubles cannot be keys).
    """
    return "[" + ",".join(_part(part) for part in parts) + "]"


def _part(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case list() | tuple():
            return identity_text(value)
        case _:
            return _quoted(_text_of(value))


def _text_of(value: Any) -> str:
    """The text between the quotes of a string, or of a value that JSON has no literal for."""
    match value:
        case str():
            return value
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case Decimal():
            return format(value, "f")
        case datetime():
            return instant_text(instant_of(value))
        case date():
            return value.isoformat()
        case _:
            raise TypeError(f"{type(value).__name__} cannot be part of an identity")


def _quoted(text: str) -> str:
    return '"' + "".join(_SHORT.get(c) or (f"\\u{ord(c):04X}" if c < " " else c) for c in text) + '"'


def identity_parts(text: str) -> list[Any]:
    """The parts of an identity as JSON values; timestamps, dates, decimals and bytes stay text.

    Raises:
        ValueError: not a JSON array.
    """
    parts = json.loads(text)
    if not isinstance(parts, list):
        raise ValueError("an identity is a JSON array")
    return parts
