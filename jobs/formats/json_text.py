"""JSON text to plain values that still know how their numbers were written."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.reasons import MAX_BYTES, MAX_DEPTH
from jobs.formats.records import Malformed

_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class NumberText:
    """A JSON number as written, or one of the bare words NaN, Infinity and -Infinity.

    Attributes:
        whole: without fraction and exponent.
        word: one of the bare words.
    """

    text: str
    whole: bool = False
    word: bool = False


def _whole(text: str) -> NumberText:
    return NumberText(text, whole=True)


def _word(text: str) -> NumberText:
    return NumberText(text, word=True)


def parse_json(value: bytes | None) -> dict[str, Any] | Malformed:
    """The object that a record's bytes hold; of a key given twice the last one counts.

    Args:
        value: the record's value; None for a Kafka tombstone.

    Returns:
        Values with every number as a `NumberText`, or why there is no object.
    """
    parsed = parse_any(value)
    if isinstance(parsed, dict | Malformed):
        return parsed
    return Malformed("NOT_OBJECT", "The value is JSON, but not an object.")


def parse_any(value: bytes | None) -> Any:
    """The JSON value that some bytes hold, numbers as `NumberText`, or a `Malformed`."""
    if value is None:
        return Malformed("VALUE_NULL", "The record has no value.")
    if len(value) > MAX_BYTES:
        return Malformed("TOO_LARGE", f"{len(value)} bytes; {MAX_BYTES} are allowed.")
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        return Malformed("NOT_JSON", f"Not valid UTF-8 at byte {error.start}.")
    if depth_of(text) > MAX_DEPTH:
        return Malformed("TOO_DEEP", f"Nested deeper than {MAX_DEPTH}.")
    try:
        return json.loads(text, parse_int=_whole, parse_float=NumberText, parse_constant=_word)
    except (json.JSONDecodeError, RecursionError) as error:
        return Malformed("NOT_JSON", f"{error}."[:200])


def depth_of(text: str) -> int:
    """The most brackets that are open at once, outside quotes; 0 where there are too few of them to matter."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for sign in _BRACKETS.findall(text):
        if sign in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "}]":
            depth -= 1
    return deepest
