"""The Avro schema of rows that a job writes: every field may be null and says so,
so that later versions can leave it out or add to it.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from jobs.base.schemas import Schema
from jobs.base.types import Array, Atomic, DataType, Decimal, Map, Struct
from jobs.formats.written_names import NO_NAMES, Layout, WrittenPath, layout_of

# Never a field's own name: a name of Avro's own types would be refused.
_RECORD: Final = "Row"
_ATOMIC: Final[dict[str, Any]] = {
    "boolean": "boolean",
    "int": "int",
    "long": "long",
    "double": "double",
    "string": "string",
    "bytes": "bytes",
    "timestamp": {"type": "long", "logicalType": "timestamp-micros"},
    "date": {"type": "int", "logicalType": "date"},
}


def row_schema(rows: Schema, topic: str, names: Mapping[str, WrittenPath] = NO_NAMES) -> str:
    """The text of the schema by which rows are written to a topic.

    Args:
        rows: their fields; none holds a duration.
        topic: whose name is the namespace, with ``_`` for signs that no name may hold. Records inside a
            record are told apart by the path to them, which is theirs.
        names: where in a record fields are written, of those that are not written as a member of their own
            name.
    """
    space = re.sub(r"[^A-Za-z0-9_]", "_", topic)
    types = {field.name: field.type for field in rows}
    record = _laid_out(f"_{space}" if space[0].isdigit() else space, layout_of(types, names), types)
    return json.dumps(record, separators=(",", ":"))


def value_subject(topic: str) -> str:
    """The subject of a topic's values, by Confluent's own custom."""
    return f"{topic}-value"


def _laid_out(space: str, layout: Layout, types: Mapping[str, DataType]) -> dict[str, Any]:
    """The record of an object as it is written; what lies inside it may be null as well."""
    members = []
    for name, inside in layout.items():
        inner = f"{space}.{name}"
        written = (
            _nullable(types[inside], inner)
            if isinstance(inside, str)
            else ["null", _laid_out(inner, inside, types)]
        )
        members.append((name, written))
    return _record(space, members)


def _record(space: str, members: list[tuple[str, list[Any]]]) -> dict[str, Any]:
    fields = [{"name": name, "type": written, "default": None} for name, written in members]
    return {"type": "record", "name": _RECORD, "namespace": space, "fields": fields}


def _nullable(data_type: DataType, space: str) -> list[Any]:
    """A type or null."""
    match data_type:
        case Decimal(precision, scale):
            return [
                "null",
                {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale},
            ]
        case Array(element):
            return ["null", {"type": "array", "items": _nullable(element, f"{space}.item")}]
        case Map(value):
            return ["null", {"type": "map", "values": _nullable(value, f"{space}.value")}]
        case Struct(members):
            return [
                "null",
                _record(
                    space,
                    [(member.name, _nullable(member.type, f"{space}.{member.name}")) for member in members],
                ),
            ]
        case Atomic(atomic):
            return ["null", _ATOMIC[atomic]]
