"""Defaults of fields: JSON in the schema, checked when it is read."""

from collections.abc import Callable
from typing import Any, Final

from jobs.formats.avro_tree import ABSENT, MAX_NESTING, AvroField, AvroType


def default_fits(value: Any, node: AvroType, depth: int = 0) -> bool:
    """True when a JSON value is a default of this type; of a union, of any of its branches."""
    if depth > MAX_NESTING:
        return False
    composite = _COMPOSITE.get(node.kind)
    if composite is not None:
        return composite(value, node, depth + 1)
    return _PRIMITIVE.get(node.kind, _is_real)(value)


def _union(value: Any, node: AvroType, depth: int) -> bool:
    return any(default_fits(value, branch, depth) for branch in node.parts)


def _array(value: Any, node: AvroType, depth: int) -> bool:
    return isinstance(value, list) and all(default_fits(part, node.parts[0], depth) for part in value)


def _map(value: Any, node: AvroType, depth: int) -> bool:
    return isinstance(value, dict) and all(
        default_fits(part, node.parts[0], depth) for part in value.values()
    )


def _record(value: Any, node: AvroType, depth: int) -> bool:
    return isinstance(value, dict) and all(_member(value, field, depth) for field in node.fields)


def _member(value: dict[str, Any], field: AvroField, depth: int) -> bool:
    if field.name in value:
        return default_fits(value[field.name], field.type, depth)
    return field.default is not ABSENT


def _enum(value: Any, node: AvroType, depth: int) -> bool:  # noqa: ARG001  (one signature for all)
    return value in node.symbols


def _fixed(value: Any, node: AvroType, depth: int) -> bool:  # noqa: ARG001
    return _is_bytes(value) and len(value) == node.size


_COMPOSITE: Final[dict[str, Callable[[Any, AvroType, int], bool]]] = {
    "union": _union,
    "array": _array,
    "map": _map,
    "record": _record,
    "enum": _enum,
    "fixed": _fixed,
}


def _is_bytes(value: Any) -> bool:
    """JSON holds bytes as a string of the signs U+0000 to U+00FF."""
    return isinstance(value, str) and all(ord(sign) < 256 for sign in value)


def _is_integer(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits


def _is_real(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or value in ("NaN", "Infinity", "-Infinity")


_PRIMITIVE: Final[dict[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "bytes": _is_bytes,
    "int": lambda value: _is_integer(value, 31),
    "long": lambda value: _is_integer(value, 63),
}
