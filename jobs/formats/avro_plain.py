"""A schema as fastavro gets it: names resolved, logical types left out, so that values arrive as they stand in the bytes."""

from typing import Any

from jobs.formats.avro_tree import AvroType


def plain_json(node: AvroType, defined: set[str] | None = None) -> Any:
    """The schema as JSON values; each named type is written out where it first occurs."""
    known = set() if defined is None else defined
    if node.name:
        if node.name in known:
            return node.name
        known.add(node.name)
    match node.kind:
        case "record":
            fields = [{"name": part.name, "type": plain_json(part.type, known)} for part in node.fields]
            return {"type": "record", "name": node.name, "fields": fields}
        case "enum":
            return {"type": "enum", "name": node.name, "symbols": list(node.symbols)}
        case "fixed":
            return {"type": "fixed", "name": node.name, "size": node.size}
        case "array":
            return {"type": "array", "items": plain_json(node.parts[0], known)}
        case "map":
            return {"type": "map", "values": plain_json(node.parts[0], known)}
        case "union":
            return [plain_json(part, known) for part in node.parts]
        case _:
            return node.kind
