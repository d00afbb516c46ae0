"""The type that a path leads to in a schema's fields."""

from collections.abc import Mapping

from jobs.base.schemas import Field
from jobs.base.types import Array, DataType, Map, Struct
from jobs.formats.source_paths import Segment, SourcePath


def type_at(fields: Mapping[str, Field], path: SourcePath) -> DataType | None:
    """The type of what a path leads to; None where the schema has nothing there.

    Args:
        fields: of the schema, by their names in it.
        path: of a declared field.
    """
    first = fields.get(str(path[0]))
    found = first.type if first is not None else None
    for segment in path[1:]:
        found = None if found is None else _inside(found, segment)
    return found


def _inside(outer: DataType, segment: Segment) -> DataType | None:
    match outer, segment:
        case Struct(members), str():
            return next((member.type for member in members if member.name == segment), None)
        case Map(value), str():
            return value
        case Array(element), int():
            return element
        case _:
            return None
