"""Defaults of fields: JSON in the schema, checked when it is read."""

from typing import Any

from jobs.formats.avro_tree import ABSENT, MAX_NESTING, AvroType


def default_fits(value: Any, node: AvroType, depth: int = 0) -> bool:
    """True when a JSON value is a default of this type; of a union, of any of its branches."""
    if depth > MAX_NESTING:
        return False
    match node.kind:
        case "union":
            return any(default_fits(value, branch, depth + 1) for branch in node.parts)
        case "array":
            return isinstance(value, list) and all(default_fits(part, node.parts[0], depth + 1) for part in value)
        case "map":
            return isinstance(value, dict) and all(default_fits(part, node.parts[0], depth + 1) for part in value.values())
        case "record":
            return isinstance(value, dict) and all(
                default_fits(value[part.name], part.type, depth + 1) if part.name in value else part.default is not ABSENT
                for part in node.fields
            )
        case "enum":
            return value in node.symbols
        case "fixed" | "bytes":
            whole = isinstance(value, str) and all(ord(sign) < 256 for sign in value)
            return whole and (node.kind == "bytes" or len(value) == node.size)
        case _:
            return _primitive_fits(value, node.kind)


def _primitive_fits(value: Any, kind: str) -> bool:
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "int" | "long":
            bits = 31 if kind == "int" else 63
            return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits
        case _:
            return (isinstance(value, int | float) and not isinstance(value, bool)) or value in ("NaN", "Infinity", "-Infinity")
