"""Trees as the JSON of schemas again, names resolved: as fastavro gets them, or whole."""

from collections.abc import Sequence
from typing import Any, Final

from jobs.formats.avro_tree import ABSENT, NO_SPACE, AvroField, AvroType

_NARROW: Final = {"long": "int", "double": "float"}
WIDE_FIELD: Final = "value"


def decoding_schema(node: AvroType) -> Any:
    """The schema without logical types, defaults and aliases, so that values arrive as they stand in the
    bytes; branches of a union whose values Python could not tell apart have names.
    """
    return _apart(writing_schema(node), set())


def writing_schema(node: AvroType) -> Any:
    """The schema without logical types, defaults and aliases."""
    return _json(node, set(), whole=False)


def full_schema(node: AvroType) -> Any:
    """The schema with all that reading and resolving looks at; types of references are written out in it."""
    return _json(node, set(), whole=True)


def plain_name(node: AvroType) -> str:
    """The name of a named type in `decoding_schema`.

    One without a namespace gets one: inside another's namespace it could not be named.
    """
    return node.name if "." in node.name else f"{NO_SPACE}.{node.name}"


def _json(node: AvroType, known: set[str], space: str = "", *, whole: bool) -> Any:
    """Each named type is written out where it first occurs; `space` is the namespace around it."""
    if node.name in known:
        return node.name if whole else plain_name(node)
    if node.name:
        known.add(node.name)
        return _named_json(node, known, space, whole=whole)
    match node.kind:
        case "array":
            return {"type": "array", "items": _json(node.parts[0], known, space, whole=whole)}
        case "map":
            return {"type": "map", "values": _json(node.parts[0], known, space, whole=whole)}
        case "union":
            return [_json(part, known, space, whole=whole) for part in node.parts]
        case _:
            more = _more(node, whole=whole)
            return {"type": node.kind, **more} if more else node.kind


def _apart(given: Any, known: set[str]) -> Any:
    if isinstance(given, list):
        return [_branch(part, given, known) for part in given]
    if not isinstance(given, dict):
        return given
    inside = {name: _apart(given[name], known) for name in ("items", "values") if name in given}
    fields = [{**field, "type": _apart(field["type"], known)} for field in given.get("fields", ())]
    return {**given, **inside, **({"fields": fields} if fields else {})}


def _branch(part: Any, branches: list[Any], known: set[str]) -> Any:
    """A branch of a union. Where Python's values of two of them have one type, the wider is a record of one
    field, which takes the same bytes and has a name. It is written out where it comes first in the text: a
    union inside a later branch may have it, too.
    """
    if not (isinstance(part, str) and is_wide(part, branches)):
        return _apart(part, known)
    name = wide_branch(part)
    if name in known:
        return name
    known.add(name)
    return {"type": "record", "name": name, "fields": [{"name": WIDE_FIELD, "type": part}]}


def is_wide(kind: str, branches: Sequence[Any]) -> bool:
    """True for a long or double among branches that have an int or a float, too."""
    return _NARROW.get(kind) in branches


def wide_branch(kind: str) -> str:
    """The name of such a branch in `decoding_schema`."""
    return f"{NO_SPACE}.branch.{kind}"


def _named_json(node: AvroType, known: set[str], space: str, *, whole: bool) -> dict[str, Any]:
    """A record, an enum or a fixed."""
    content: dict[str, Any]
    if node.kind == "record":
        inner = node.name.rpartition(".")[0]
        content = {"fields": [_field(part, known, inner, whole=whole) for part in node.fields]}
    elif node.kind == "enum":
        content = {"symbols": list(node.symbols)}
    else:
        content = {"size": node.size}
    more = _more(node, whole=whole)
    return {"type": node.kind, **_named(node, space, whole=whole), **more, **content}


def _named(node: AvroType, space: str, *, whole: bool) -> dict[str, str]:
    if not whole:
        return {"name": plain_name(node)}
    is_outside = bool(space) and "." not in node.name
    return {"name": node.name, **({"namespace": ""} if is_outside else {})}


def _field(part: AvroField, known: set[str], space: str, *, whole: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"name": part.name, "type": _json(part.type, known, space, whole=whole)}
    if whole and part.aliases:
        found["aliases"] = list(part.aliases)
    if whole and part.default is not ABSENT:
        found["default"] = part.default
    return found


def _more(node: AvroType, *, whole: bool) -> dict[str, Any]:
    """What a node has beside its structure; bytes are decoded without it."""
    if not whole:
        return {}
    found: dict[str, Any] = {"logicalType": node.logical} if node.logical else {}
    if node.logical == "decimal":
        found |= {"precision": node.precision, "scale": node.scale}
    if node.aliases:
        found["aliases"] = list(node.aliases)
    if node.default is not None:
        found["default"] = node.default
    return found
