"""Which fields a stream has whose records are of a JSON Schema, and which declared types can read them."""

from typing import Any, Final

from jobs.base.names import is_name
from jobs.base.schemas import Field
from jobs.base.types import (
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    LONG,
    MAX_DEPTH,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Map,
    Member,
    Struct,
)
from jobs.formats.json_schema import JsonSchemaError
from jobs.formats.json_schema_budget import knows_siblings, pointed, resolved, with_siblings
from jobs.formats.source_paths import SourcePath

_TEXTS: Final[dict[str, DataType]] = {"date-time": TIMESTAMP, "date": DATE}
_PLAIN: Final[dict[str, DataType]] = {"integer": LONG, "number": DOUBLE, "boolean": BOOLEAN}
_FROM_TEXT: Final = (STRING, TIMESTAMP, DATE, BYTES)
MAX_FIELDS: Final = 500
_OF_OBJECTS: Final = frozenset({"properties", "required", "allOf"})
_SHOWN: Final = 100
MAX_STEPS: Final = 100_000  # parts, names and values of a schema that are looked at for its fields


_Read = tuple[DataType, bool]
"""A type, and whether null is allowed besides."""
_Properties = dict[str, tuple[Any, bool]]
"""Schemas by name, with whether the property is required."""


def json_members(schema: dict[str, Any]) -> tuple[Field, ...]:
    """As `JsonSchemaFields.members`."""
    return JsonSchemaFields(schema).members()


class JsonSchemaFields:
    """The fields of a JSON Schema's objects. References may unfold a small schema without bound, so what is
    looked at is counted, in all calls together.

    Args:
        schema: a JSON Schema's values.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._root = schema
        self._left = MAX_STEPS
        self._place: list[str] = []
        self._on_paths: dict[int, _Properties] = {}
        self._at_ends: dict[int, _Read | None] = {}
        self._joined: dict[int, dict[str, Any]] = {}
        self._knows_siblings = knows_siblings(schema)

    def members(self) -> tuple[Field, ...]:
        """The fields of an object's schema, in its order, under the names of its properties, `MAX_FIELDS` of
        them. Those that have no one type are left out.

        Raises:
            JsonSchemaError: the schema unfolds to too many parts.
        """
        found: list[Field] = []
        for name, (part, required) in self._properties(self._root, 0).items():
            read = self._member(name, part, 0)
            if read is not None:
                found.append(Field(name, read[0], read[1] or not required))
            if len(found) == MAX_FIELDS:
                break
        return tuple(found)

    def type_at(self, path: SourcePath) -> DataType | None:
        """The one type of what a path leads to in a schema's objects; None where it has none there, or
        several.

        Args:
            path: of a declared field.

        Raises:
            JsonSchemaError: the schema unfolds to too many parts.
        """
        node: Any = self._root
        for segment in path:
            plain = self._resolved(node)
            if not isinstance(plain, dict):
                return None
            if isinstance(segment, int):
                node = plain.get("items")
                continue
            if id(plain) not in self._on_paths:
                self._on_paths[id(plain)] = self._properties(plain, 0)
            node = self._on_paths[id(plain)].get(segment, (plain.get("additionalProperties"), False))[0]
        if id(node) not in self._at_ends:
            self._at_ends[id(node)] = self._type(node, 0)
        read = self._at_ends[id(node)]
        return None if read is None else read[0]

    def _resolved(self, schema: Any) -> Any:
        """The target of a local reference, with the properties that stand beside it."""
        if not (self._knows_siblings and isinstance(schema, dict) and _OF_OBJECTS & schema.keys()):
            return resolved(schema, self._root)
        reference = schema.get("$ref")
        found = pointed(reference, self._root) if isinstance(reference, str) else None
        if not isinstance(found, dict):
            return resolved(schema, self._root)
        if id(schema) not in self._joined:
            target = resolved(found, self._root)
            kind = {"type": target["type"]} if isinstance(target, dict) and "type" in target else {}
            self._joined[id(schema)] = kind | with_siblings(schema, found)
        return self._joined[id(schema)]

    def _properties(self, schema: Any, depth: int) -> _Properties:
        """Properties by name; those of every part of `allOf` too."""
        self._step()
        schema = self._resolved(schema)
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return {}
        found: _Properties = {}
        for part in schema.get("allOf") or ():
            found |= self._properties(part, depth + 1)
        own = schema.get("properties")
        found |= {name: (part, False) for name, part in own.items()} if isinstance(own, dict) else {}
        required = schema.get("required")
        names = set(required) if isinstance(required, list) else set()
        self._step(len(found) + len(names))
        return {name: (part, is_required or name in names) for name, (part, is_required) in found.items()}

    def _type(self, schema: Any, depth: int) -> _Read | None:
        """The one type of what a schema allows; None where there is no one type."""
        self._step()
        schema = self._resolved(schema)
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return None
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list) and "type" not in schema:
                return self._alternatives(schema[word], depth)
        self._step(sum(len(schema[word]) for word in ("type", "enum") if isinstance(schema.get(word), list)))
        kinds, nullable = _kinds(schema)
        if kinds == {"integer", "number"}:
            kinds = {"number"}
        if len(kinds) != 1:
            return None
        found = self._of_kind(kinds.pop(), schema, depth)
        return None if found is None else (found, nullable)

    def _alternatives(self, parts: list[Any], depth: int) -> _Read | None:
        """Several alternatives that differ in whether they allow null alone."""
        self._step(len(parts))
        found = [self._type(part, depth + 1) for part in parts if not _is_null(part)]
        known = [each for each in found if each is not None]
        types = {data_type for data_type, _ in known}
        if len(known) < len(found) or len(types) != 1:
            return None
        return types.pop(), len(found) < len(parts) or any(nullable for _, nullable in known)

    def _of_kind(self, kind: str, schema: dict[str, Any], depth: int) -> DataType | None:
        if kind == "string":
            return (
                BYTES
                if schema.get("contentEncoding") == "base64"
                else _TEXTS.get(str(schema.get("format")), STRING)
            )
        if kind == "array":
            items = self._type(schema.get("items"), depth + 1)
            return None if items is None else Array(*items)
        if kind == "object":
            return self._object(schema, depth)
        return _PLAIN.get(kind)

    def _object(self, schema: dict[str, Any], depth: int) -> DataType | None:
        members = []
        for name, (part, required) in self._properties(schema, 0).items():
            read = self._member(name, part, depth + 1)
            if read is not None and is_name(name):
                members.append(Member(name, read[0], read[1] or not required))
        if members:
            return Struct(tuple(members))
        rest = self._type(schema.get("additionalProperties"), depth + 1)
        return None if rest is None else Map(*rest)

    def _member(self, name: str, schema: Any, depth: int) -> _Read | None:
        self._place.append(name)
        read = self._type(schema, depth)
        self._place.pop()
        return read

    def _step(self, count: int = 1) -> None:
        self._left -= count
        if self._left < 0:
            place = ".".join(self._place)
            raise JsonSchemaError(
                f"Its references unfold to more than {MAX_STEPS:,} parts"
                f"{f' at {place[:_SHOWN]}' if place else ''}. Nest or repeat fewer of them."
            )


def can_read(declared: DataType, given: DataType) -> bool:
    """Whether a field declared so can hold what a schema allows as `given` (a type of `json_members`),
    as far as types say it.
    """
    if declared == given:
        return True
    match declared, given:
        case Array(one), Array(other):
            return can_read(one, other)
        case Map(one), Map(other):
            return can_read(one, other)
        case Map(one), Struct(members):
            return all(can_read(one, member.type) for member in members)
        case Struct(), Struct():
            return _can_read_struct(declared, given)
        case _:
            return _can_read_scalar(declared, given)


def _can_read_struct(declared: Struct, given: Struct) -> bool:
    """A struct may declare some of the members only."""
    types = {member.name: member.type for member in given.members}
    return all(
        member.name in types and can_read(member.type, types[member.name]) for member in declared.members
    )


def _can_read_scalar(declared: DataType, given: DataType) -> bool:
    if given in _FROM_TEXT:
        return declared in _FROM_TEXT or isinstance(declared, Decimal)
    if given == LONG:
        return declared in (INT, DOUBLE) or isinstance(declared, Decimal)
    return given == DOUBLE and isinstance(declared, Decimal)


def _kinds(schema: dict[str, Any]) -> tuple[set[str], bool]:
    """The types that a schema allows, and whether null is one of them."""
    given = schema.get("type")
    if given is None:
        given = _implied_kinds(schema)
    kinds = {given} if isinstance(given, str) else {kind for kind in given if isinstance(kind, str)}
    return kinds - {"null"}, "null" in kinds


def _implied_kinds(schema: dict[str, Any]) -> list[str]:
    """The types of a schema that names none: those of its values, or an object's."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    kinds = [_kind_of(value) for value in values] if isinstance(values, list) else []
    if not kinds and ("properties" in schema or "allOf" in schema):
        return ["object"]
    return kinds


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"
