"""What a reader's Avro schema says of a field's values, as JSON values that are equal where the schema reads
the same values from the same bytes.

Records in a frame are resolved to the reader's schema by name, so a field depends on its own part of it:
types, defaults, aliases. Without a frame the same schema says what wrote them, and every field depends on all
of it. Documentation and namespaces count for nothing.
"""

from functools import lru_cache
from typing import Any

from jobs.formats.avro_records import parsed
from jobs.formats.avro_tree import ABSENT, AvroField, AvroSchemaError, AvroType
from jobs.formats.record_formats import AvroEncoding


def member_meaning(encoding: AvroEncoding, name: str) -> Any:
    """Of a member of the record, or of the whole value where that is no record.

    None where the schema has no such member.
    """
    return _meaning(encoding.avro_schema or "", encoding.framing, (), name)


def column_meaning(encoding: AvroEncoding, name: str) -> Any:
    """Of a column of the row in an envelope of change events; None where it has no such column."""
    return _meaning(encoding.avro_schema or "", encoding.framing, ("after",), name)


@lru_cache(maxsize=4096)
def _meaning(text: str, framing: str, above: tuple[str, ...], name: str) -> Any:
    try:
        root = parsed(text)
    except AvroSchemaError:
        return None
    if framing == "none":
        return ["whole", _shape(root, set(), written=True)]
    if not above and root.kind != "record":
        return _shape(root, set(), written=False)
    holder: AvroType | None = root
    for outer in above:
        holder = _record(_field(holder, outer))
    found = _field(holder, name)
    return None if found is None else _member(found, set(), written=False)


def _field(node: AvroType | None, name: str) -> AvroField | None:
    return None if node is None else next((each for each in node.fields if each.name == name), None)


def _record(field: AvroField | None) -> AvroType | None:
    """The record that a field holds, alone or in a union with null."""
    if field is None:
        return None
    branches = field.type.parts if field.type.kind == "union" else (field.type,)
    return next((branch for branch in branches if branch.kind == "record"), None)


def _member(field: AvroField, seen: set[str], *, written: bool) -> list[Any]:
    # Without a default a record that lacks the field is malformed, so it counts as the default null.
    default = None if field.default is ABSENT else field.default
    return [field.name, default, list(field.aliases), _shape(field.type, seen, written=written)]


def _shape(node: AvroType, seen: set[str], *, written: bool) -> Any:
    """A node and what it holds; a named type in full where it is met first.

    Args:
        node: of the schema.
        seen: full names of the types met so far.
        written: the schema wrote the records, so the order of symbols counts, too.
    """
    found: list[Any] = [node.kind]
    if node.name:
        found.append(["name", node.short_name, [alias.rpartition(".")[2] for alias in node.aliases]])
        if node.name in seen:
            return found
        seen.add(node.name)
    if node.logical:
        found.append(["logical", node.logical, node.precision, node.scale])
    if node.size:
        found.append(["size", node.size])
    if node.symbols and (written or node.default is not None):
        # A symbol that the reader lacks is its default, and malformed without one.
        found.append(["symbols", list(node.symbols) if written else sorted(node.symbols), node.default])
    if node.fields:
        found.append(["fields", [_member(each, seen, written=written) for each in node.fields]])
    if node.parts:
        found.append(["parts", [_shape(part, seen, written=written) for part in node.parts]])
    return found
