"""Trees as the JSON of schemas again, names resolved: as fastavro gets them, or whole."""

from typing import Any

from jobs.formats.avro_tree import ABSENT, AvroField, AvroType


def plain_json(node: AvroType) -> Any:
    """The schema without logical types, defaults and aliases, so that values arrive as they stand in the bytes."""
    return _json(node, set(), whole=False)


def written_json(node: AvroType) -> Any:
    """The schema with all that reading and resolving looks at; types of references are written out in it."""
    return _json(node, set(), whole=True)


def _json(node: AvroType, known: set[str], *, whole: bool) -> Any:
    """Each named type is written out where it first occurs."""
    if node.name:
        if node.name in known:
            return node.name
        known.add(node.name)
    more = _more(node) if whole else {}
    match node.kind:
        case "record":
            return {"type": "record", "name": node.name, **more, "fields": [_field(part, known, whole=whole) for part in node.fields]}
        case "enum":
            return {"type": "enum", "name": node.name, **more, "symbols": list(node.symbols)}
        case "fixed":
            return {"type": "fixed", "name": node.name, **more, "size": node.size}
        case "array":
            return {"type": "array", "items": _json(node.parts[0], known, whole=whole)}
        case "map":
            return {"type": "map", "values": _json(node.parts[0], known, whole=whole)}
        case "union":
            return [_json(part, known, whole=whole) for part in node.parts]
        case _:
            return {"type": node.kind, **more} if more else node.kind


def _field(part: AvroField, known: set[str], *, whole: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"name": part.name, "type": _json(part.type, known, whole=whole)}
    if whole and part.aliases:
        found["aliases"] = list(part.aliases)
    if whole and part.default is not ABSENT:
        found["default"] = part.default
    return found


def _more(node: AvroType) -> dict[str, Any]:
    """What a node has beside its structure."""
    found: dict[str, Any] = {"logicalType": node.logical} if node.logical else {}
    if node.logical == "decimal":
        found |= {"precision": node.precision, "scale": node.scale}
    if node.aliases:
        found["aliases"] = list(node.aliases)
    if node.default is not None:
        found["default"] = node.default
    return found
