"""The values of a sample by where they stand: each member of the records,
and the members of objects that can be no one type.
"""

from typing import Any, Final

from jobs.base.names import is_name
from jobs.base.storable import NUL
from jobs.formats.json_text import NumberText
from jobs.formats.source_paths import MAX_MEMBER_CHARS, SourcePath

_MAX_MEMBERS: Final = 50
_DEEPEST: Final = 4


def sampled_columns(records: list[dict[str, Any]]) -> dict[SourcePath, list[Any]]:
    """Values by path, in order of first appearance.

    An object becomes one column, read as a struct or a map, unless it can be neither: where its members have
    names that no struct can have, and values of several kinds, so that no map can. Then each of its members
    is a column.

    Args:
        records: as objects, numbers as `NumberText`.
    """
    return _split((), records)


def is_readable(path: SourcePath) -> bool:
    """False where a contract could not name a member:
    its name is too long, or no text that can be written and stored.
    """
    return all(
        isinstance(part, int)
        or (
            len(part) <= MAX_MEMBER_CHARS
            and not any("\ud800" <= sign <= "\udfff" or sign == NUL for sign in part)
        )
        for part in path
    )


def _split(above: SourcePath, objects: list[dict[str, Any]]) -> dict[SourcePath, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for record in objects:
        for name, value in record.items():
            columns.setdefault(name, []).append(value)
    found: dict[SourcePath, list[Any]] = {}
    for name, values in columns.items():
        path = (*above, name)
        inner = _objects(values)
        if inner is not None and len(path) < _DEEPEST and _is_neither(inner):
            found |= _split(path, inner)
        else:
            found[path] = values
    return found


def _objects(values: list[Any]) -> list[dict[str, Any]] | None:
    """The objects among values that are objects or null; None where there are others, or none."""
    given = [value for value in values if value is not None]
    objects = [value for value in given if isinstance(value, dict)]
    return objects if objects and len(objects) == len(given) else None


def _is_neither(objects: list[dict[str, Any]]) -> bool:
    """True for objects with few members, of several kinds, not all of which have names."""
    names = {name for one in objects for name in one}
    if len(names) > _MAX_MEMBERS or all(is_name(name) for name in names):
        return False
    return len({_kind(value) for one in objects for value in one.values() if value is not None}) > 1


def _kind(value: Any) -> type:
    return NumberText if isinstance(value, NumberText) else type(value)
