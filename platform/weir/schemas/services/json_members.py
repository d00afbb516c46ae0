"""Members of what two JSON Schemas allow: properties of objects, items of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weir.schemas.services.differences import Difference
from weir.schemas.services.json_documents import JsonDocument, may_match

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Members:
    """A comparison of members.

    Attributes:
        reader, writer: the documents.
        compare: differences of a reader's schema and a writer's, at a path.
        allows: whether there is none, where a difference isn't told of.
        fills_defaults: the reader fills a missing property with its default.
    """

    reader: JsonDocument
    writer: JsonDocument
    compare: Callable[[Any, Any, str], list[Difference]]
    allows: Callable[[Any, Any, str], bool]
    fills_defaults: bool

    def of_objects(self, reader: Object, writer: Object, at: str) -> list[Difference]:
        """Differences of properties."""
        found = [
            *self._required(reader, writer, at),
            *self._properties(reader, writer, at),
            *self._patterns(reader, writer, at),
        ]
        if rest := self.compare(_content_model(reader), _content_model(writer), _below(at, "*")):
            allowed = "Allowed: additionalProperties as the writer has it, or wider."
            found.append(Difference("CONTENT_MODEL_NARROWED", at, rest[0].message, allowed))
        return found

    def _required(self, reader: Object, writer: Object, at: str) -> list[Difference]:
        ours = reader.get("properties", {})
        found = []
        written = set(writer.get("required", []))
        for name in reader.get("required", []):
            has_default = isinstance(ours.get(name), dict) and "default" in ours[name]
            if name not in written and not (has_default and self.fills_defaults):
                message = "The reader requires the property, but the writer can omit it."
                allowed = "Allowed: an optional property"
                allowed += ", or one with a default." if self.fills_defaults else "."
                found.append(Difference("REQUIRED_ADDED", _below(at, name), message, allowed))
        return found

    def _properties(self, reader: Object, writer: Object, at: str) -> list[Difference]:
        ours, theirs = reader.get("properties", {}), writer.get("properties", {})
        found: list[Difference] = []
        for name in {**ours, **theirs}:
            here = _below(at, name)
            if name in ours and name in theirs:
                found += self.compare(ours[name], theirs[name], here)
            elif name in ours:
                found += self._added(ours[name], _unnamed(writer, name), here)
            else:
                found += self._gone(reader, theirs[name], here, "property")
        return found

    def _added(self, schema: Any, theirs: list[Any], here: str) -> list[Difference]:
        """A property that only the reader names: the writer may have written anything there
        that its open content allows.
        """
        if any(self.allows(schema, given, here) for given in theirs):
            return []
        message = "The writer already allows other values there."
        allowed = "Allowed: the property without a type, or a closed content model before."
        return [Difference("PROPERTY_ADDED_TO_OPEN_MODEL", here, message, allowed)]

    def _gone(self, reader: Object, written: Any, here: str, what: str) -> list[Difference]:
        """Properties that only the writer has, by name or by pattern."""
        gap = self.compare(_content_model(reader), written, here)
        allowed = f"Allowed: the {what} kept, or an open content model."
        return (
            [Difference("PROPERTY_REMOVED_FROM_CLOSED_MODEL", here, gap[0].message, allowed)] if gap else []
        )

    def _patterns(self, reader: Object, writer: Object, at: str) -> list[Difference]:
        ours, theirs = reader.get("patternProperties", {}), writer.get("patternProperties", {})
        found: list[Difference] = []
        for pattern in {**ours, **theirs}:
            here = _below(at, pattern)
            if pattern in ours and pattern in theirs:
                found += self.compare(ours[pattern], theirs[pattern], here)
            elif pattern in ours:
                message = "The reader limits properties by a pattern, and the writer doesn't."
                found.append(Difference("CONSTRAINT_CHANGED", here, message, "Allowed: the pattern removed."))
            else:
                found += self._gone(reader, theirs[pattern], here, "pattern")
        return found

    def of_arrays(self, reader: Object, writer: Object, at: str) -> list[Difference]:
        """Differences of items."""
        ours, our_rest = _items(self.reader, reader)
        theirs, their_rest = _items(self.writer, writer)
        found: list[Difference] = []
        for index in range(max(len(ours), len(theirs))):
            wanted = ours[index] if index < len(ours) else our_rest
            written = theirs[index] if index < len(theirs) else their_rest
            found += self.compare(wanted, written, f"{at}[{index}]")
        return found + self.compare(our_rest, their_rest, f"{at}[]")


def _content_model(schema: Object) -> Any:
    """What properties that a schema does not name may be."""
    return schema.get("additionalProperties", True)


def _unnamed(schema: Object, name: str) -> list[Any]:
    """What a property that a schema does not name may be, by its patterns or its content model: each of these
    says less than the schema does.
    """
    matching = {pattern: may_match(pattern, name) for pattern in schema.get("patternProperties", {})}
    sure = [schema["patternProperties"][pattern] for pattern, matches in matching.items() if matches]
    return [True] if not sure and None in matching.values() else sure or [_content_model(schema)]


def _below(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _items(document: JsonDocument, schema: Object) -> tuple[list[Any], Any]:
    """What items may be: the first ones by position, and all others."""
    items = schema.get("items", True)
    if isinstance(items, list):
        return items, schema.get("additionalItems", True)
    return schema.get("prefixItems", []) if document.knows_prefixes else [], items
