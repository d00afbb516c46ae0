"""The text of an Avro schema as a tree, within limits and with names resolved, by the Avro 1.12
specification.

Recursive schemas are read: `jobs.formats.avro_types` refuses them, the registry does not.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.formats.avro_defaults import MAX_CHECKS, MAX_DEFAULT_VALUES, DefaultSizes
from jobs.formats.avro_tree import (
    ABSENT,
    MAX_FIELDS,
    MAX_NESTING,
    NO_SPACE,
    PRIMITIVES,
    AvroField,
    AvroSchemaError,
    AvroType,
)
from jobs.formats.json_text import depth_of, strict_json
from jobs.formats.record_formats import MAX_SCHEMA_CHARS

NAMED: Final = ("record", "enum", "fixed")
MAX_NODES: Final = 4_000
MAX_NAME: Final = 255
MAX_FIXED: Final = 1_000_000

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FULL_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.][A-Za-z_][A-Za-z0-9_]*)*")
_LOGICAL: Final = {
    "date": ("int",),
    "time-millis": ("int",),
    "time-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-micros": ("long",),
    "timestamp-nanos": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-micros": ("long",),
    "local-timestamp-nanos": ("long",),
    "uuid": ("string", "fixed"),
    "decimal": ("bytes", "fixed"),
    "duration": ("fixed",),
}


def is_avro_name(text: str) -> bool:
    """True when Avro lets a field be called so."""
    return _NAME.fullmatch(text) is not None


@dataclass(slots=True)
class _Reading:
    names: dict[str, AvroType] = field(default_factory=dict)
    nodes: int = 0
    fields: int = 0
    default_values: int = 0
    sizes: DefaultSizes = field(default_factory=lambda: DefaultSizes(MAX_CHECKS))


def parse_avro(text: str, references: tuple[str, ...] = ()) -> AvroType:
    """Read a schema.

    Args:
        text: JSON.
        references: schemas whose named types it may use, each after those that it uses itself.

    Raises:
        AvroSchemaError: not a schema, or beyond a limit: 256 KB, 2,000 fields, 64 levels, names of 255
            characters, defaults of `MAX_DEFAULT_VALUES`.
    """
    reading = _Reading()
    for reference in references:
        _read(_json(reference), "", reading, "", 0)
    root = _read(_json(text), "", reading, "", 0)
    root.default_values = reading.default_values
    return root


def _json(text: str) -> Any:
    if len(text) > MAX_SCHEMA_CHARS:
        raise AvroSchemaError(f"The schema has {len(text)} characters; the limit is {MAX_SCHEMA_CHARS}.")
    if depth_of(text) > 2 * MAX_NESTING:
        raise AvroSchemaError("The schema is nested too deeply.")
    try:
        return strict_json(text)
    except (ValueError, RecursionError) as error:
        raise AvroSchemaError(f"Invalid JSON: {error}.") from error


def _read(given: Any, space: str, reading: _Reading, at: str, depth: int) -> AvroType:
    _count_type(reading, at, depth)
    match given:
        case str():
            return _named_or_primitive(given, space, reading, at)
        case list():
            return _union(given, space, reading, at, depth)
        case {"type": str() as kind} if kind in (*PRIMITIVES, *NAMED, "error", "array", "map"):
            return _full(kind, given, space, reading, at, depth)
        case {"type": inner} if not isinstance(inner, str) or _FULL_NAME.fullmatch(inner):
            return _read(inner, space, reading, at, depth + 1)
        case _:
            raise AvroSchemaError(f"{json.dumps(given)[:80]} isn't a schema.", at)


def _count_type(reading: _Reading, at: str, depth: int) -> None:
    reading.nodes += 1
    if reading.nodes > MAX_NODES or depth > MAX_NESTING:
        raise AvroSchemaError(f"The schema has more than {MAX_NODES} types or {MAX_NESTING} levels.", at)


def _named_or_primitive(name: str, space: str, reading: _Reading, at: str) -> AvroType:
    if name in PRIMITIVES:
        return AvroType(name)
    for full in (_in_space(name, space), name):
        if full in reading.names:
            return reading.names[full]
    raise AvroSchemaError(f"Unknown type {name[:80]!r}. Define named types before you use them.", at)


def _in_space(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def _union(given: list[Any], space: str, reading: _Reading, at: str, depth: int) -> AvroType:
    branches = tuple(_read(part, space, reading, f"{at}[{i}]", depth + 1) for i, part in enumerate(given))
    seen: set[str] = set()
    for branch in branches:
        label = branch.name or branch.kind
        if branch.kind == "union":
            raise AvroSchemaError("A union can't directly contain another union.", at)
        if label in seen:
            raise AvroSchemaError(f"A union contains {label} twice.", at)
        seen.add(label)
    return AvroType("union", parts=branches)


def _full(kind: str, given: dict[str, Any], space: str, reading: _Reading, at: str, depth: int) -> AvroType:
    if kind in PRIMITIVES:
        counts = _COUNTS.get(str(given.get("connect.name")), "") if kind == "long" else ""
        return _with_logical(AvroType(kind, counts=counts), given)
    if kind in ("array", "map"):
        return _container(kind, given, space, reading, at, depth)
    node = AvroType("record" if kind == "error" else kind, name=_full_name(given, space, at))
    if node.name in reading.names:
        raise AvroSchemaError(f"{node.name} is defined twice.", at)
    reading.names[node.name] = node
    own_space = node.name.rpartition(".")[0]
    node.aliases = tuple(
        _in_space(alias, own_space) for alias in _texts(given.get("aliases", []), "aliases", at)
    )
    if node.kind == "record":
        node.fields = tuple(_fields(given.get("fields"), own_space, reading, at, depth))
    elif node.kind == "enum":
        _read_enum(node, given, at)
    else:
        _read_fixed(node, given, at)
    return _with_logical(node, given)


def _container(
    kind: str, given: dict[str, Any], space: str, reading: _Reading, at: str, depth: int
) -> AvroType:
    """An array or a map."""
    key, article, brackets = ("items", "An", "[]") if kind == "array" else ("values", "A", "{}")
    if key not in given:
        raise AvroSchemaError(f"{article} {kind} needs {key}.", at)
    return AvroType(kind, parts=(_read(given[key], space, reading, f"{at}{brackets}", depth + 1),))


def _full_name(given: dict[str, Any], space: str, at: str) -> str:
    name = given.get("name")
    if not isinstance(name, str) or not _FULL_NAME.fullmatch(name):
        raise AvroSchemaError(f"{str(name)[:80]!r} isn't a valid name.", at)
    own = given.get("namespace", space)
    full = _in_space(name, own if isinstance(own, str) else "")
    if len(full) > MAX_NAME:
        raise AvroSchemaError(f"A name has more than {MAX_NAME} characters.", at)
    if full.startswith(f"{NO_SPACE}."):
        raise AvroSchemaError(f"The namespace {NO_SPACE} is Weir's own.", at)
    if full in PRIMITIVES:
        raise AvroSchemaError(f"{full} is the name of a primitive type.", at)
    return full


def _texts(given: Any, what: str, at: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(part, str) for part in given):
        raise AvroSchemaError(f"{what} must be a list of strings.", at)
    return tuple(given)


def _fields(given: Any, space: str, reading: _Reading, at: str, depth: int) -> Iterator[AvroField]:
    if not isinstance(given, list):
        raise AvroSchemaError("A record needs fields.", at)
    seen: set[str] = set()
    for part in given:
        reading.fields += 1
        if reading.fields > MAX_FIELDS:
            raise AvroSchemaError(f"The record has more than {MAX_FIELDS} fields.", at)
        name = _field_name(part, at)
        here = f"{at}.{name}" if at else name
        if name in seen:
            raise AvroSchemaError("Duplicate field name.", here)
        seen.add(name)
        read = AvroField(name, _read(part["type"], space, reading, here, depth + 1))
        read.default = part.get("default", ABSENT)
        read.aliases = _texts(part.get("aliases", []), "aliases", here)
        if read.default is not ABSENT:
            _measure_default(read, reading, here)
        yield read


def _measure_default(read: AvroField, reading: _Reading, at: str) -> None:
    size = reading.sizes.of(read.default, read.type)
    if size is None:
        raise AvroSchemaError(
            f"The default {json.dumps(read.default)[:60]} isn't a valid {read.type.described}.", at
        )
    read.default_size = size
    reading.default_values += size
    if reading.default_values > MAX_DEFAULT_VALUES:
        raise AvroSchemaError(f"The schema's defaults become more than {MAX_DEFAULT_VALUES:,} values.", at)


def _field_name(part: Any, at: str) -> str:
    name = part.get("name") if isinstance(part, dict) else None
    if not isinstance(name, str) or not _is_field_name(name) or "type" not in part:
        raise AvroSchemaError(f"A field needs a name and a type: {json.dumps(part)[:80]}.", at)
    return name


def _is_field_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and len(name) <= MAX_NAME


def _read_enum(node: AvroType, given: dict[str, Any], at: str) -> None:
    node.symbols = _texts(given.get("symbols"), "symbols", at)
    node.symbol_set = frozenset(node.symbols)
    if len(node.symbol_set) < len(node.symbols) or not all(
        _NAME.fullmatch(symbol) for symbol in node.symbols
    ):
        raise AvroSchemaError("Symbols must be unique names.", at)
    node.default = given.get("default")
    if node.default is not None and node.default not in node.symbols:
        raise AvroSchemaError("The default of an enum must be one of its symbols.", at)


def _read_fixed(node: AvroType, given: dict[str, Any], at: str) -> None:
    size = given.get("size")
    if type(size) is not int or not 0 <= size <= MAX_FIXED:
        raise AvroSchemaError(f"The size of a fixed must be from 0 to {MAX_FIXED}.", at)
    node.size = size


_COUNTS: Final = {
    "io.debezium.time.Timestamp": "ms",
    "io.debezium.time.MicroTimestamp": "us",
    "io.debezium.time.NanoTimestamp": "ns",
}
"""Units by `connect.name`, https://debezium.io/documentation/reference/stable/connectors/postgresql.html."""
_FIXED_SIZES: Final = {"uuid": 16, "duration": 12}
"""Bytes of a fixed, by logical type."""


def _with_logical(node: AvroType, given: dict[str, Any]) -> AvroType:
    """Logical types that do not fit their node are ignored, as the specification asks."""
    logical = given.get("logicalType")
    if not isinstance(logical, str) or node.kind not in _LOGICAL.get(logical, ()):
        return node
    if node.kind == "fixed" and node.size != _FIXED_SIZES.get(logical, node.size):
        return node
    if logical == "decimal":
        precision, scale = given.get("precision"), given.get("scale", 0)
        if type(precision) is not int or type(scale) is not int:
            return node
        if not 0 <= scale <= precision or precision < 1:
            return node
        node.precision, node.scale = precision, scale
    node.logical = logical
    return node
