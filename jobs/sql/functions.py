"""Table functions: the operators that have no clause of their own in SQL, with their parameters as arguments.

    FROM DEDUPLICATE(TABLE orders, by => (id), within => INTERVAL '1' HOUR)

A table names each operator and the kind of each parameter; both directions read it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.clauses import ends_entry
from jobs.sql.reader import Reader
from jobs.sql.tokens import Name, Slice, is_word
from jobs.sql.values import interval, number


class Kind(Enum):
    """How an argument is written."""

    NAME = auto()
    """A field's name: ``items``."""
    NAMES = auto()
    """Fields: ``(id, day)``; one needs no parentheses."""
    TEXT = auto()
    """Text in quotes."""
    FLAG = auto()
    """TRUE or FALSE."""
    NUMBER = auto()
    """A number."""
    DURATION = auto()
    """An interval, or a word in quotes."""
    EXPRESSION = auto()
    """An expression."""
    EXPRESSIONS = auto()
    """Expressions with names: ``(level = 'ERROR' AS errors)``."""
    TYPES = auto()
    """Fields with types: ``(price AS decimal(10,2))``."""


FUNCTIONS: Final[dict[str, dict[str, Kind]]] = {
    "branch": {"branches": Kind.EXPRESSIONS, "match": Kind.TEXT, "rest": Kind.NAME},
    "cast": {"fields": Kind.TYPES, "on_error": Kind.TEXT},
    "change": {"of": Kind.NAMES, "missing": Kind.TEXT},
    "deduplicate": {"by": Kind.NAMES, "within": Kind.DURATION, "late": Kind.TEXT},
    "explode": {
        "field": Kind.NAME,
        "as": Kind.NAME,
        "key": Kind.NAME,
        "value": Kind.NAME,
        "keep_empty": Kind.FLAG,
        "position": Kind.NAME,
    },
    "flatten": {"field": Kind.NAME, "prefix": Kind.TEXT},
    "latest": {
        "by": Kind.NAMES,
        "order": Kind.TEXT,
        "delete_when": Kind.EXPRESSION,
        "ttl": Kind.DURATION,
    },
    "sample": {"fraction": Kind.NUMBER},
    "split": {"field": Kind.NAME, "as": Kind.NAME, "by": Kind.TEXT, "lower": Kind.FLAG},
    "throttle": {"by": Kind.NAMES, "every": Kind.DURATION, "keep": Kind.TEXT},
    "union": {"mode": Kind.TEXT, "source_field": Kind.NAME},
}
"""Operator → parameter → how its argument is written. The inputs come first, as TABLE arguments."""

WINDOWS: Final[dict[str, tuple[str, tuple[str, ...], dict[str, Kind]]]] = {
    "TUMBLE": ("tumbling", ("size",), {"offset": Kind.DURATION}),
    "HOP": ("hopping", ("advance", "size"), {"offset": Kind.DURATION}),
    "SLIDE": ("sliding", ("size",), {}),
    "SESSION": ("session", ("gap",), {}),
    "CALENDAR": (
        "calendar",
        (),
        {"unit": Kind.TEXT, "zone": Kind.TEXT, "day_start": Kind.TEXT, "week_start": Kind.TEXT},
    ),
}
"""Table function → (kind of window, durations by position, other parameters)."""
LATENESS: Final = {"grace": Kind.DURATION, "late": Kind.TEXT}
"""Parameters of an aggregate that stand with its window."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A value for the document, and the parts of the text that its expressions are.

    Attributes:
        value: as in a document.
        places: by path below the parameter, the expressions in it.
    """

    value: Any
    places: dict[tuple[str, ...], Slice]


def argument(kind: Kind, written: Slice) -> Argument:
    """Read an argument.

    Raises:
        SqlError: it is of another kind.
    """
    reader = Reader(written)
    places: dict[tuple[str, ...], Slice] = {}
    if kind is Kind.EXPRESSION:
        places[()] = reader.until(_never, "an expression")
        value: Any = places[()].text
    elif kind is Kind.EXPRESSIONS:
        named = reader.named_list(lambda: _named_expression(reader), "expressions")
        places = {(name,): expression for name, expression in named.items()}
        value = {path[0]: expression.text for path, expression in places.items()}
    else:
        value = _READERS[kind](reader)
    reader.finish()
    return Argument(value, places)


def duration(reader: Reader) -> str:
    """An interval as a document's duration, or a text in quotes as it is."""
    token = reader.peek()
    if token is not None and token.token_type == TokenType.STRING:
        return reader.text("a duration")
    return str(interval(reader))


def _never(tokens: Sequence[Token]) -> bool:  # noqa: ARG001
    return False


def _names(reader: Reader) -> list[str]:
    if reader.at("("):
        return reader.list_of(lambda: reader.name("a field").text, "fields")
    return [reader.name("a field").text]


def _flag(reader: Reader) -> bool:
    if reader.take("TRUE"):
        return True
    reader.expect("FALSE", hint="Write TRUE or FALSE.")
    return False


def _named_expression(reader: Reader) -> tuple[Name, Slice]:
    expression = reader.until(lambda rest: is_word(rest[0], "AS") or ends_entry(rest), "an expression")
    reader.expect("AS", hint="Example: (level = 'ERROR' AS errors)")
    return reader.name("a name"), expression


def _field_type(reader: Reader) -> tuple[Name, str]:
    name = reader.name("a field")
    reader.expect("AS", hint="Example: (price AS decimal(10,2))")
    depth = 0

    def ends(rest: Sequence[Token]) -> bool:
        nonlocal depth
        if depth == 0 and rest[0].token_type == TokenType.COMMA:
            return True
        depth += rest[0].text.count("<") - rest[0].text.count(">")
        return False

    return name, reader.until(ends, "a type").text


_READERS: Final[dict[Kind, Callable[[Reader], Any]]] = {
    Kind.NAME: lambda reader: reader.name("a field").text,
    Kind.NAMES: _names,
    Kind.TEXT: lambda reader: reader.text("a value"),
    Kind.FLAG: _flag,
    Kind.NUMBER: number,
    Kind.DURATION: duration,
    Kind.TYPES: lambda reader: reader.named_list(lambda: _field_type(reader), "fields with types"),
}
