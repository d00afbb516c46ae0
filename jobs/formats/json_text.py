"""JSON text to plain values that still know how their numbers were written."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.budget import watched
from jobs.formats.malformed_reasons import MAX_BYTES, MAX_DEPTH
from jobs.formats.records import Malformed

# A quote that is never closed goes to the end: tried again from each quote inside, it would take quadratic
# time.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


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


class WrittenFloat(float):
    """A number with a fraction or exponent whose text is the one that it was written as, with every digit."""

    def __new__(cls, text: str) -> "WrittenFloat":
        """The number of a JSON text."""
        number = super().__new__(cls, text)
        number._text = text
        return number

    def __str__(self) -> str:
        return self._text

    _text: str


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
    return Malformed("NOT_OBJECT", "The value is JSON but not an object.")


def parse_any(value: bytes | None) -> Any:
    """The JSON value that some bytes hold, numbers as `NumberText`, or a `Malformed`."""
    if value is None:
        return Malformed("VALUE_NULL", "The record has no value.")
    if len(value) > MAX_BYTES:
        return Malformed("TOO_LARGE", f"The record has {len(value)} bytes; the limit is {MAX_BYTES}.")
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        return Malformed("NOT_JSON", f"Invalid UTF-8 at byte {error.start}.")
    if depth_of(text) > MAX_DEPTH:
        return Malformed("TOO_DEEP", f"The value is nested deeper than {MAX_DEPTH} levels.")
    try:
        return json.loads(text, parse_int=_whole, parse_float=NumberText, parse_constant=_word)
    except (json.JSONDecodeError, RecursionError) as error:
        return Malformed("NOT_JSON", f"{error}."[:200])


def bounded_json(
    text: str | bytes, max_depth: int = MAX_DEPTH, parse_float: Callable[[str], Any] | None = None
) -> Any:
    """Plain values of a JSON text from outside. NaN and the infinities are no JSON.

    Args:
        text: of any length; its owner bounds that.
        max_depth: levels of lists and objects, at most.
        parse_float: reads numbers with a fraction or exponent, `WrittenFloat` with every digit; `float` where
            there is none.

    Raises:
        ValueError: no JSON, no UTF-8, or nested deeper; never a RecursionError.
    """
    whole = text.decode("utf-8") if isinstance(text, bytes) else text
    if depth_of(whole, max_depth) > max_depth:
        raise ValueError(f"nested deeper than {max_depth} levels")
    return json.loads(whole, parse_float=parse_float, parse_constant=_no_constant)


def strict_json(text: str) -> Any:
    """Plain values of a JSON text that others read, too. NaN and the infinities are no JSON, and half a
    surrogate pair is no text.

    Args:
        text: of any length and depth; its owner bounds both.

    Raises:
        ValueError: it is none of that; a `JSONDecodeError` where it is no JSON.
        RecursionError: it is nested too deeply.
    """
    values = json.loads(text, parse_constant=_no_constant)
    if "\\u" in text or not text.isascii():
        require_text(values)
    return values


def require_text(values: Any) -> None:
    """Refuse half a surrogate pair in a plain value of JSON: `json` reads it, and nothing can write it.

    Raises:
        ValueError: there is one.
    """
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair isn't valid text") from None


def compact_json(value: Any) -> str:
    """A plain value as JSON without blanks, not ASCII alone. Numbers that know how they were written
    (`NumberText`, `WrittenFloat`) stay so.

    Raises:
        OverBudget: writing it takes more processor time than the current budget has (`jobs.base.budget`).
    """
    match value:
        case NumberText():
            return value.text
        case WrittenFloat():
            return str(value)
        case dict():
            members = (
                f"{json.dumps(name, ensure_ascii=False)}:{compact_json(part)}"
                for name, part in watched(value.items())
            )
            return "{" + ",".join(members) + "}"
        case list():
            return "[" + ",".join(map(compact_json, watched(value))) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} isn't valid JSON")


def depth_of(text: str, max_depth: int = MAX_DEPTH) -> int:
    """The most brackets that are open at once, outside quotes;
    0 where there are no more than `max_depth` brackets at all.
    """
    if text.count("{") + text.count("[") <= max_depth:
        return 0
    depth = deepest = 0
    for sign in _BRACKETS.findall(text):
        if sign in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "}]":
            depth -= 1
    return deepest
