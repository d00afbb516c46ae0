"""JSON Schema documents that are compared: what their references lead to, and which parts mean the same.

What a reference to an anchor, or into a part with an `$id` of its own, leads to is not known.
"""

import copy
import json
from collections.abc import Collection, Iterator
from typing import Any, Final
from urllib.parse import urljoin

from jobs.formats.json_schema_budget import (
    MAX_CHAIN,
    BudgetError,
    invalid_values,
    knows_siblings,
    pointed,
    schemas_of,
    with_siblings,
)

_BUNDLE: Final = "$weir.references"
_META: Final = ("http://json-schema.org/", "https://json-schema.org/")
_UNKNOWN: Final = "#unknown"
_WORDS: Final = frozenset(
    {
        "$comment", "$defs", "$id", "$ref", "$schema", "default", "definitions", "deprecated", "description",
        "examples", "id", "readOnly", "title", "writeOnly", _BUNDLE,
    }
)  # fmt: skip
_ELSEWHERE: Final = ("$dynamicRef", "$recursiveRef")


def bundled(values: Any, references: dict[str, str]) -> Any:
    """A schema with those that it refers to in it, under their names. Its references start from its root, and
    no `$id` is left.

    Args:
        values: of the schema.
        references: texts by the names that it and they use.
    """
    if not isinstance(values, dict):
        return values
    moved = _Mover(references, "").moved(values)
    if references:
        moved[_BUNDLE] = {
            name: _Mover(references, name).moved(json.loads(text)) for name, text in references.items()
        }
    return moved


class _Mover:
    """Moves a document into a bundle.

    Args:
        names: of the documents in it.
        own: that of this document; empty: the bundle is made of it.
    """

    def __init__(self, names: Collection[str], own: str) -> None:
        self._names, self._own = names, own
        self._root = ""  # address of the document
        self._embedded: set[str] = set()  # addresses of parts of it

    def moved(self, document: Any) -> Any:
        """A copy whose references start from the root of the bundle."""
        copied = copy.deepcopy(document)
        schemas = list(schemas_of(copied))
        self._root = schemas[0][1] if schemas else ""
        self._embedded = {base for _, base, embedded in schemas if embedded}
        for schema, base, _ in schemas:
            if isinstance(schema.get("$ref"), str):
                schema["$ref"] = self._reference(schema["$ref"], base)
            for word in ("$id", "id"):
                if isinstance(schema.get(word), str):
                    del schema[word]
        return copied

    def _reference(self, reference: str, base: str) -> str:
        address, _, fragment = reference.partition("#")
        url = urljoin(base, address) if address else base
        if url in self._embedded or (fragment and not fragment.startswith("/")):
            return _UNKNOWN
        alike = (name for name in self._names if address == name or address.endswith(f"/{name}"))
        name = self._own if url == self._root else next(alike, None)
        if name is None:
            return reference if url.startswith(_META) else _UNKNOWN
        written = name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace("#", "%23")
        return f"#/{_BUNDLE}/{written}{fragment}" if name else f"#{fragment}"


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, where true is not 1, as it is in Python, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


class JsonDocument:
    """One of the two documents.

    Args:
        root: its values.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        draft = root.get("$schema") if isinstance(root, dict) else None
        named = draft if isinstance(draft, str) else ""
        self._knows_siblings = knows_siblings(root)
        self.knows_prefixes = self._knows_siblings and "2019-09" not in named  # of items; before, a list did
        self._joined: dict[int, tuple[Any, Any]] = {}

    def target(self, schema: Any) -> Any:
        """The schema that a reference leads to, with what stands beside it; one whose target is not known is
        returned unchanged.
        """
        for _ in range(MAX_CHAIN):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            found = pointed(reference, self.root) if isinstance(reference, str) else None
            if found is None:
                return schema
            if self._knows_siblings and ruling(schema):
                return self._with_both(schema, found)
            schema = found
        return schema

    def _with_both(self, schema: dict[str, Any], found: Any) -> Any:
        """The same object each time, so that a comparison knows where it has been."""
        if id(schema) not in self._joined:
            self._joined[id(schema)] = (schema, with_siblings(schema, found))
        return self._joined[id(schema)][1]

    def refused(self, schema: dict[str, Any], values: list[Any]) -> list[Any]:
        """Those of some values that a schema of this document does not allow.

        Raises:
            BudgetError: trying them would cost too much, or what the schema refers to is not known.
        """
        words = ("$schema", "definitions", "$defs", _BUNDLE)
        around = {
            word: self.root[word] for word in words if isinstance(self.root, dict) and word in self.root
        }
        return invalid_values({**around, **schema}, values)


def ruling(schema: dict[str, Any]) -> set[str]:
    """The keywords of a schema that rule values, its reference left out."""
    return schema.keys() - _WORDS


def is_unknown(schema: Any) -> bool:
    """Whether a target (`JsonDocument.target`) is not known."""
    return isinstance(schema, dict) and isinstance(schema.get("$ref"), str)


def mean_the_same(one: Any, other: Any, ours: JsonDocument, theirs: JsonDocument) -> bool:
    """Whether two parts are the same, and so is all that they refer to.

    Args:
        one: a part of `ours`.
        other: a part of `theirs`.
        ours: a document.
        theirs: another.
    """
    if not same(one, other):
        return False
    known: set[str] = set()
    open_parts = [one]
    while open_parts:
        for reference in set(_references(open_parts.pop())) - known:
            known.add(reference)
            first, second = pointed(reference, ours.root), pointed(reference, theirs.root)
            if first is None and second is None and not reference.startswith("#"):
                continue  # of another document, which both mean
            if first is None or second is None or not same(first, second):
                return False
            open_parts.append(first)
    return True


def _references(values: Any) -> Iterator[str]:
    if isinstance(values, dict):
        for word, part in values.items():
            if word in _ELSEWHERE:
                yield _UNKNOWN
            elif word == "$ref" and isinstance(part, str):
                yield part
            else:
                yield from _references(part)
    elif isinstance(values, list):
        for part in values:
            yield from _references(part)


def may_match(pattern: str, name: str) -> bool | None:
    """Whether a pattern of `patternProperties` matches a name; None: not known."""
    try:
        return bool(invalid_values({"patternProperties": {pattern: False}}, [{name: 0}]))
    except BudgetError:
        return None
