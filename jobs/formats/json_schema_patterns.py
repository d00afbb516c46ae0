"""How large the automata of a JSON Schema's patterns may become, estimated from the patterns' text before any
is made.

The library writes counted repetitions out, so that `((a{50}){50}){60}` becomes 150,000 states, and keeps an
automaton for each distinct pattern. A search takes a step for each state and character at worst.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Final

import jsonschema_rs

MAX_SIGNS: Final = 5_000  # of a pattern: its characters and sets, each as often as it is repeated
MAX_BYTES: Final = 10 * 1024 * 1024  # of a pattern's automaton
MAX_ALL_SIGNS: Final = 20_000  # of all patterns of a schema
MAX_ALL_BYTES: Final = 32 * 1024 * 1024
_CACHE_BYTES: Final = 4 * 1024 * 1024  # of states that searches come to know, for all patterns of a schema
_MIN_BYTES: Final = 64 * 1024
# What an ASCII character or set, a set that reaches beyond ASCII, and a Unicode category take.
_ASCII_BYTES: Final = 300
_WIDE_BYTES: Final = 4 * 1024
_CATEGORY_BYTES: Final = 64 * 1024
_CATEGORY_SIGNS: Final = 4  # its many ranges are looked through for each character
_SHOWN: Final = 60

_TOKEN: Final = re.compile(
    r"""(?P<sign>\\[pP](?:\{[^}]*\}|.)
      |\\(?:[xuU]\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)
      |\[\^?\]?(?:\\.|[^\]\\\[])*\])
    |(?P<open>\((?:\?(?:[:=!]|<[=!]|P?<[^>]*>|[A-Za-z-]*:))?)
    |(?P<close>\))
    |(?P<repeat>[*+?]|\{\d{1,9}(?:,\d{0,9})?\})
    |(?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)
_CATEGORY: Final = re.compile(r"\\[pP]")
_WIDE: Final = re.compile(r"\[\^|[^\x00-\x7f]|\\[sSWDuUx]|^\.$")
_VERBOSE: Final = re.compile(r"\(\?[A-Za-z-]*x")
_NUMBER: Final = re.compile(r"\d{1,9}")


class PatternsError(ValueError):
    """A schema's patterns would need too much memory; the message names the pattern and what to do."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Upper bounds for a pattern's automaton.

    Attributes:
        signs: steps that a character may take.
        size: of the automaton in bytes.
    """

    signs: int = 0
    size: int = 0

    def __add__(self, other: "Extent") -> "Extent":
        return Extent(self.signs + other.signs, self.size + other.size)

    def __mul__(self, times: int) -> "Extent":
        return Extent(self.signs * times, self.size * times)


def pattern_options(*documents: Any) -> jsonschema_rs.RegexOptions:
    """The library's options for a validator of JSON Schemas, whose patterns were looked at.

    Args:
        documents: the schema, and those that it refers to.

    Raises:
        PatternsError: a pattern, or all of them, would become too large.
    """
    limit, cache = _limits(documents)
    return jsonschema_rs.RegexOptions(size_limit=limit, dfa_size_limit=cache)


def backtracking_options(*documents: Any) -> jsonschema_rs.FancyRegexOptions:
    """The same for a validator that also takes look-around and back-references."""
    limit, cache = _limits(documents)
    return jsonschema_rs.FancyRegexOptions(size_limit=limit, dfa_size_limit=cache)


@lru_cache(maxsize=1_000)
def pattern_extent(pattern: str) -> Extent:
    """What an automaton of this pattern is at most, whichever syntax it has.

    A text that can be read in several ways, such as one with a set inside a set, counts as if all of it were
    repeated by every number in it.
    """
    rows, last = [Extent()], Extent()
    for token in _TOKEN.finditer(pattern):
        kind, text = str(token.lastgroup), token.group()
        if kind == "repeat":
            last *= _most(text)
            continue
        if text == "[" or (kind == "close" and len(rows) == 1):
            return _unread(pattern)
        rows[-1] += last
        last = Extent()
        if kind == "open":
            rows.append(Extent(1, _ASCII_BYTES))
        elif kind == "close":
            last = rows.pop()
        else:
            last = _extent_of_sign(text)
    return _unread(pattern) if _VERBOSE.search(pattern) or len(rows) > 1 else rows[0] + last


def patterns_of(values: Any) -> Iterator[str]:
    """The patterns anywhere in a document, also where it holds no schema: a reference may lead there."""
    pending = [values]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict):
            yield from own_patterns(part)
            pending += part.values()


def own_patterns(schema: dict[str, Any]) -> Iterator[str]:
    """The patterns for a value's own text, and for the names of its members."""
    own, names = schema.get("pattern"), schema.get("patternProperties")
    yield from [own] if isinstance(own, str) else []
    yield from names if isinstance(names, dict) else []


def _limits(documents: tuple[Any, ...]) -> tuple[int, int]:
    """Bytes of one automaton, and of the states that its searches come to know."""
    patterns = {pattern for document in documents for pattern in patterns_of(document)}
    total, largest = Extent(), _MIN_BYTES
    for pattern in sorted(patterns):
        extent = pattern_extent(pattern)
        if extent.signs > MAX_SIGNS or extent.size > MAX_BYTES:
            shown = pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}…"
            raise PatternsError(
                f"The pattern {shown} is too large with its repetitions written out. "
                "Use smaller counts, or + and * with maxLength."
            )
        total += extent
        largest = max(largest, 2 * extent.size)
    if total.signs > MAX_ALL_SIGNS or total.size > MAX_ALL_BYTES:
        raise PatternsError(
            f"The {len(patterns)} patterns of the schema are too large together, with their repetitions "
            "written out. Use fewer patterns or smaller counts, or + and * with maxLength."
        )
    return min(largest, MAX_BYTES), _CACHE_BYTES // max(8, len(patterns))


def _extent_of_sign(text: str) -> Extent:
    categories = len(_CATEGORY.findall(text))
    if categories:
        return Extent(_CATEGORY_SIGNS * categories, _CATEGORY_BYTES * categories)
    if _WIDE.search(text):
        return Extent(1, _WIDE_BYTES + _ASCII_BYTES * len(text))
    return Extent(1, _ASCII_BYTES)


def _most(text: str) -> int:
    """How often a sign of repetition repeats what is before it, written out."""
    if text in "*+?":
        return 1
    first, comma, last = text[1:-1].partition(",")
    return max(1, int(last or first) + int(bool(comma) and not last))


def _unread(pattern: str) -> Extent:
    each = Extent(_CATEGORY_SIGNS, _CATEGORY_BYTES if _CATEGORY.search(pattern) else _WIDE_BYTES)
    return each * len(pattern) * prod(max(1, int(number)) for number in _NUMBER.findall(pattern))
