"""Canonical forms of schemas: two texts with the same meaning become the same text. Descriptions (doc,
title, description) stay.

Avro: full names instead of namespaces, no attribute that says what holds anyway, `{"type": "string"}` as
`"string"`, attributes in one order (that of the specification's Parsing Canonical Form, then the others by
name). JSON Schema: keywords by name, lists whose order says nothing in one order, numbers in one form.
"""

from typing import Any, Final

from jobs.formats.avro_schema import NAMED
from jobs.formats.avro_tree import PRIMITIVES

_SIZES: Final = {"record": (), "error": (), "enum": ("symbols",), "fixed": ("size",)}
_OF_FIELDS: Final = frozenset({"name", "type", "aliases"})
_OF_TYPES: Final = _OF_FIELDS | {"namespace", "fields", "symbols", "size", "items", "values"}
_ONE: Final = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_MANY: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED: Final = frozenset(
    {
        "$defs", "definitions", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties",
        "properties",
    }
)  # fmt: skip
_NAMES: Final = frozenset({"dependencies", "dependentRequired"})
_UNORDERED: Final = frozenset({"required", "type"})


def canonical_avro(values: Any, references: list[Any]) -> Any:
    """The canonical form of a valid Avro schema.

    Args:
        values: the schema as JSON values.
        references: those of the schemas that it refers to, each after those that it uses itself.
    """
    known: set[str] = set()
    for reference in references:
        _avro(reference, "", known)
    return _avro(values, "", known)


def _avro(given: Any, space: str, known: set[str]) -> Any:
    if isinstance(given, str):
        return _type_name(given, space, known)
    if isinstance(given, list):
        return [_avro(part, space, known) for part in given]
    kind = given["type"]
    if not isinstance(kind, str) or kind not in (*PRIMITIVES, *NAMED, "error", "array", "map"):
        return _avro(kind, space, known)
    if kind in ("array", "map"):
        part = "items" if kind == "array" else "values"
        return {"type": kind, part: _avro(given[part], space, known), **_more(given)}
    if kind in PRIMITIVES:
        return {"type": kind, **more} if (more := _more(given)) else kind
    return _named(kind, given, space, known)


def _type_name(given: str, space: str, known: set[str]) -> str:
    full = _full(given, space)
    return full if given not in PRIMITIVES and full in known else given


def _named(kind: str, given: dict[str, Any], space: str, known: set[str]) -> dict[str, Any]:
    own = given.get("namespace", space)
    full = _full(given["name"], own if isinstance(own, str) else "")
    known.add(full)
    inner = full.rpartition(".")[0]
    found: dict[str, Any] = {"name": full}
    if space and not inner:
        found["namespace"] = ""  # else the name would be read as one of the namespace around it
    found["type"] = kind
    if kind in ("record", "error"):
        found["fields"] = [_field(part, inner, known) for part in given["fields"]]
    found |= {name: given[name] for name in _SIZES[kind]}
    if given.get("aliases"):
        found["aliases"] = sorted({_full(alias, inner) for alias in given["aliases"]})
    return found | _more(given)


def _field(given: dict[str, Any], space: str, known: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": given["name"], "type": _avro(given["type"], space, known)}
    if given.get("aliases"):
        found["aliases"] = list(dict.fromkeys(given["aliases"]))  # the first that a writer has counts
    return found | {
        name: value
        for name, value in _more(given, _OF_FIELDS).items()
        if (name, value) != ("order", "ascending")
    }


def _more(given: dict[str, Any], known: frozenset[str] = _OF_TYPES) -> dict[str, Any]:
    """All other attributes, by name; null says nothing except as a default. A default's numbers stay as they
    are: whether there is a point may decide which branch of a union it is.
    """
    names = sorted(set(given) - known)
    return {
        name: _sorted(given[name], as_written=name == "default")
        for name in names
        if given[name] is not None or name == "default"
    }


def _full(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"


def canonical_json_schema(schema: Any) -> Any:
    """The canonical form of a valid JSON Schema."""
    if not isinstance(schema, dict):
        return schema
    return {word: _keyword(word, schema[word]) for word in sorted(schema)}


def _keyword(word: str, given: Any) -> Any:
    if word in _NAMED and isinstance(given, dict):
        return {name: _member(word, given[name]) for name in sorted(given)}
    if word in _MANY and isinstance(given, list):
        return [canonical_json_schema(part) for part in given]
    if word in _UNORDERED and isinstance(given, list):
        return _without_order(word, given)
    return canonical_json_schema(given) if word in _ONE else _sorted(given)


def _without_order(word: str, given: list[Any]) -> Any:
    names = _set(given)
    return names[0] if word == "type" and len(names) == 1 else names


def _member(word: str, given: Any) -> Any:
    """What one name stands for in a keyword of `_NAMED`: a schema, or names of properties. Drafts that
    do not know the keyword allow anything.
    """
    if word in _NAMES and isinstance(given, list):
        return _set(given)
    return _sorted(given) if word == "dependentRequired" else canonical_json_schema(given)


def _set(names: list[Any]) -> list[Any]:
    return sorted(set(names)) if all(isinstance(name, str) for name in names) else names


def _sorted(value: Any, *, as_written: bool = False) -> Any:
    """A plain value with the names of its objects in order; a whole number without a point, unless numbers
    stay as they are written.
    """
    match value:
        case dict():
            return {name: _sorted(value[name], as_written=as_written) for name in sorted(value)}
        case list():
            return [_sorted(part, as_written=as_written) for part in value]
        case float() if not as_written and value.is_integer() and abs(value) < 2**53:
            return int(value)
        case _:
            return value
