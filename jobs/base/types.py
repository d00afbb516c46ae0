"""Data types of fields and expressions (`docs/semantics/types.md`).

A type is a small frozen value. Documents, the API and the browser use its text form (`type_text`), which
`parse_type` reads back. The text does not say whether nested values may be null; `parse_type` makes all of
them nullable.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Atomic:
    """A type without parts: boolean, int, long, double, string, bytes, timestamp, date or duration; inside
    expressions also null.
    """

    name: str


DOUBLE_DIGITS: Final = 15
"""Digits of a decimal that survive the way into a double and back."""


@dataclass(frozen=True, slots=True)
class Decimal:
    """An exact number with `precision` digits in total (1 to 38), `scale` of them after the decimal point
    (0 to precision).
    """

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Array:
    """Ordered elements of one type; `nullable` says whether an element may be null."""

    element: "DataType"
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Map:
    """Values by string key; `nullable` says whether a value may be null."""

    value: "DataType"
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct."""

    name: str
    type: "DataType"
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Struct:
    """Named members in order."""

    members: tuple[Member, ...]


DataType = Atomic | Decimal | Array | Map | Struct

DIGITS: Final = re.compile("[0-9]{1,9}")  # of a decimal's type; `int` refuses some of what `isdigit` takes
BOOLEAN: Final = Atomic("boolean")
INT: Final = Atomic("int")
LONG: Final = Atomic("long")
DOUBLE: Final = Atomic("double")
STRING: Final = Atomic("string")
BYTES: Final = Atomic("bytes")
TIMESTAMP: Final = Atomic("timestamp")
DATE: Final = Atomic("date")
DURATION: Final = Atomic("duration")
NULL: Final = Atomic("null")  # the type of a bare NULL inside an expression; never in a schema

ATOMIC_NAMES: Final = ("boolean", "int", "long", "double", "string", "bytes", "timestamp", "date", "duration")
MAX_PRECISION: Final = 38
MAX_DEPTH: Final = 16
MAX_TEXT: Final = 50_000  # characters of a type: some thousand members
REMEMBERED: Final = 1_024  # parsed types; some 40 MB where all have as many parts as they can
REMEMBERED_TEXT: Final = 4_096
MEMBER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")

INT_RANGE: Final = range(-(2**31), 2**31)
LONG_RANGE: Final = range(-(2**63), 2**63)


def is_numeric(data_type: DataType) -> bool:
    """True for int, long, double and decimal."""
    return isinstance(data_type, Decimal) or data_type in (INT, LONG, DOUBLE)


def is_key_type(data_type: DataType) -> bool:
    """True when values may be part of a key or identity: atomic types except double, duration and
    null, and decimal.
    """
    if isinstance(data_type, Decimal):
        return True
    return isinstance(data_type, Atomic) and data_type not in (DOUBLE, DURATION, NULL)


def is_ordered(data_type: DataType) -> bool:
    """True when values have an order that min, max and sorting may use: all types but null and those that
    contain a map or null.
    """
    if isinstance(data_type, Map):
        return False
    if isinstance(data_type, Array):
        return is_ordered(data_type.element)
    if isinstance(data_type, Struct):
        return all(is_ordered(member.type) for member in data_type.members)
    return data_type != NULL


def type_text(data_type: DataType) -> str:
    """The text form: ``long``, ``decimal(10,2)``, ``array<string>``, ``map<string,long>``,
    ``struct<a:int,b:string>``.
    """
    match data_type:
        case Atomic(name):
            return name
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Array(element):
            return f"array<{type_text(element)}>"
        case Map(value):
            return f"map<string,{type_text(value)}>"
        case Struct(members):
            return "struct<" + ",".join(f"{m.name}:{type_text(m.type)}" for m in members) + ">"


def holds(data_type: DataType, leaf: Callable[[DataType], bool]) -> bool:
    """True when `leaf` is true for the type itself if it has no parts, or for any such type nested in it."""
    match data_type:
        case Array(part) | Map(part):
            return holds(part, leaf)
        case Struct(members):
            return any(holds(member.type, leaf) for member in members)
        case _:
            return leaf(data_type)


def type_size(data_type: DataType) -> int | None:
    """The number of characters of its text form; None where `parse_type` would not read that: types that
    expressions make may be nested deeper, or be longer. It takes no longer than the bound is large.
    """
    size, waiting = 0, [(data_type, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return None
        match part:
            case Array(inner):
                size += len("array<>")
                waiting.append((inner, depth + 1))
            case Map(inner):
                size += len("map<string,>")
                waiting.append((inner, depth + 1))
            case Struct(members):
                size += len("struct<>") - 1 + sum(len(member.name) + len(":,") for member in members)
                waiting += [(member.type, depth + 1) for member in members]
            case _:
                size += len(type_text(part))
        if size > MAX_TEXT:
            return None
    return size


TOO_LARGE: Final = (
    f"It is nested deeper than {MAX_DEPTH} levels, or its text has more than {MAX_TEXT:,} characters."
)


class TypeTextError(ValueError):
    """The text is not the text form of a type; the message says what is wrong."""


def looser_type(data_type: DataType) -> DataType:
    """The same type with parts that may be null. What literals make has parts that may not, and is of one
    type with a field's nevertheless: Spark merges both by itself.
    """
    match data_type:
        case Array(element):
            return Array(looser_type(element))
        case Map(value):
            return Map(looser_type(value))
        case Struct(members):
            return Struct(tuple(Member(member.name, looser_type(member.type)) for member in members))
        case _:
            return data_type


def same_type(first: DataType, *others: DataType) -> DataType | None:
    """The type that all of these are, the looser one where they differ in the nullability of parts alone;
    None where they are different types.
    """
    if all(other == first for other in others):
        return first
    looser = looser_type(first)
    return looser if all(looser_type(other) == looser for other in others) else None


def parse_type(text: str) -> DataType:
    """Parse the text form of a type; white space is ignored, parts of arrays, maps and structs are nullable.

    Raises:
        TypeTextError: the text is no type of `docs/semantics/types.md`, is nested deeper than 16 levels, or
            has more than 50,000 characters.
    """
    if len(text) > MAX_TEXT:
        raise TypeTextError(f"a type has {MAX_TEXT:,} characters at most")
    return _remembered(text) if len(text) <= REMEMBERED_TEXT else _parsed(text)


def _parsed(text: str) -> DataType:
    tokens = re.findall(r"[A-Za-z_][A-Za-z0-9_]*|\d+|\S", text)
    parsed, rest = _read(tokens, 0)
    if rest != len(tokens):
        raise TypeTextError(f"unexpected {tokens[rest]!r} after the type in {text!r}")
    return parsed


# A contract's types are read several times by each of its checks.
_remembered: Final = lru_cache(maxsize=REMEMBERED)(_parsed)


def _read(tokens: list[str], at: int, depth: int = 0) -> tuple[DataType, int]:
    if depth > MAX_DEPTH:
        raise TypeTextError(f"types can be nested at most {MAX_DEPTH} levels deep")
    name = _token(tokens, at).lower()
    if name in ATOMIC_NAMES:
        return Atomic(name), at + 1
    if name == "decimal":
        return _read_decimal(tokens, at + 1)
    if name == "array":
        element, at = _read(tokens, _expect(tokens, at + 1, "<"), depth + 1)
        return Array(element), _expect(tokens, at, ">")
    if name == "map":
        at = _expect(tokens, _expect(tokens, _expect(tokens, at + 1, "<"), "string"), ",")
        value, at = _read(tokens, at, depth + 1)
        return Map(value), _expect(tokens, at, ">")
    if name == "struct":
        return _read_struct(tokens, _expect(tokens, at + 1, "<"), depth)
    raise TypeTextError(
        f"{name!r} is not a type; types are {', '.join(ATOMIC_NAMES)}, decimal(p,s), array, map, struct"
    )


def _read_decimal(tokens: list[str], at: int) -> tuple[DataType, int]:
    at = _expect(tokens, at, "(")
    precision, at = _number(tokens, at)
    at = _expect(tokens, at, ",")
    scale, at = _number(tokens, at)
    at = _expect(tokens, at, ")")
    if not (1 <= precision <= MAX_PRECISION and 0 <= scale <= precision):
        raise TypeTextError(f"decimal({precision},{scale}): 1 ≤ precision ≤ 38 and 0 ≤ scale ≤ precision")
    return Decimal(precision, scale), at


def _read_struct(tokens: list[str], at: int, depth: int) -> tuple[DataType, int]:
    members: dict[str, Member] = {}
    while True:
        name = _token(tokens, at)
        if not MEMBER_NAME.fullmatch(name):
            raise TypeTextError(
                f"{name[:80]!r} is not a valid name for a struct member: start with a letter or _; use "
                "letters, digits, _ (max 63)"
            )
        if name in members:
            raise TypeTextError(f"the struct has two members named {name!r}")
        data_type, at = _read(tokens, _expect(tokens, at + 1, ":"), depth + 1)
        members[name] = Member(name, data_type)
        if _token(tokens, at) == ">":
            return Struct(tuple(members.values())), at + 1
        at = _expect(tokens, at, ",")


def _token(tokens: list[str], at: int) -> str:
    if at >= len(tokens):
        raise TypeTextError("the type is incomplete")
    return tokens[at]


def _number(tokens: list[str], at: int) -> tuple[int, int]:
    token = _token(tokens, at)
    if not DIGITS.fullmatch(token):
        raise TypeTextError(f"expected an integer, found {token!r}")
    return int(token), at + 1


def _expect(tokens: list[str], at: int, wanted: str) -> int:
    found = _token(tokens, at)
    if found.lower() != wanted:
        raise TypeTextError(f"expected {wanted!r}, found {found!r}")
    return at + 1
