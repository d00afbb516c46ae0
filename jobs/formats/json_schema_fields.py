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
from jobs.formats.json_schema_budget import resolved
from jobs.formats.source_paths import SourcePath

_TEXTS: Final[dict[str, DataType]] = {"date-time": TIMESTAMP, "date": DATE}
_PLAIN: Final[dict[str, DataType]] = {"integer": LONG, "number": DOUBLE, "boolean": BOOLEAN}
_FROM_TEXT: Final = (STRING, TIMESTAMP, DATE, BYTES)
MAX_FIELDS: Final = 500


def json_members(schema: dict[str, Any]) -> tuple[Field, ...]:
    """The fields of an object's schema, in its order, under the names of its properties.

    Those that have no one type are left out.

    Args:
        schema: a JSON Schema's values.
    """
    found = []
    for name, (part, required) in _properties(schema, schema, 0).items():
        read = _type(part, schema, 0)
        if read is not None:
            found.append(Field(name, read[0], read[1] or not required))
    return tuple(found[:MAX_FIELDS])


def member_type(schema: dict[str, Any], path: SourcePath) -> DataType | None:
    """The one type of what a path leads to in a schema's objects; None where it has none there, or several.

    Args:
        schema: a JSON Schema's values.
        path: of a declared field.
    """
    node: Any = schema
    for segment in path:
        plain = resolved(node, schema)
        if not isinstance(plain, dict):
            return None
        if isinstance(segment, int):
            node = plain.get("items")
        else:
            node = _properties(plain, schema, 0).get(segment, (plain.get("additionalProperties"), False))[0]
    read = _type(node, schema, 0)
    return None if read is None else read[0]


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


def _properties(schema: Any, root: Any, depth: int) -> dict[str, tuple[Any, bool]]:
    """Properties by name, with whether they are required; those of every part of `allOf` too."""
    schema = resolved(schema, root)
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return {}
    found: dict[str, tuple[Any, bool]] = {}
    for part in schema.get("allOf") or ():
        found |= _properties(part, root, depth + 1)
    own = schema.get("properties")
    found |= {name: (part, False) for name, part in own.items()} if isinstance(own, dict) else {}
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    return {name: (part, is_required or name in names) for name, (part, is_required) in found.items()}


def _type(schema: Any, root: Any, depth: int) -> tuple[DataType, bool] | None:
    """The one type of what a schema allows and whether it allows null; None where there is no one type."""
    schema = resolved(schema, root)
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return None
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and "type" not in schema:
            return _alternatives(schema[word], root, depth)
    kinds, nullable = _kinds(schema)
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) != 1:
        return None
    found = _of_kind(kinds.pop(), schema, root, depth)
    return None if found is None else (found, nullable)


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


def _alternatives(parts: list[Any], root: Any, depth: int) -> tuple[DataType, bool] | None:
    """Several alternatives that differ in whether they allow null alone."""
    found = [_type(part, root, depth + 1) for part in parts if not _is_null(part)]
    known = [each for each in found if each is not None]
    types = {data_type for data_type, _ in known}
    if len(known) < len(found) or len(types) != 1:
        return None
    return types.pop(), len(found) < len(parts) or any(nullable for _, nullable in known)


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _of_kind(kind: str, schema: dict[str, Any], root: Any, depth: int) -> DataType | None:
    if kind == "string":
        return (
            BYTES
            if schema.get("contentEncoding") == "base64"
            else _TEXTS.get(str(schema.get("format")), STRING)
        )
    if kind == "array":
        items = _type(schema.get("items"), root, depth + 1)
        return None if items is None else Array(*items)
    if kind == "object":
        return _object(schema, root, depth)
    return _PLAIN.get(kind)


def _object(schema: dict[str, Any], root: Any, depth: int) -> DataType | None:
    members = []
    for name, (part, required) in _properties(schema, root, 0).items():
        read = _type(part, root, depth + 1)
        if read is not None and is_name(name):
            members.append(Member(name, read[0], read[1] or not required))
    if members:
        return Struct(tuple(members))
    rest = _type(schema.get("additionalProperties"), root, depth + 1)
    return None if rest is None else Map(*rest)
