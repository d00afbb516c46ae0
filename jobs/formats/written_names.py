"""Under which names the fields of a row are written to a topic:
the other direction of `jobs.formats.source_paths`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

from jobs.formats.source_paths import MAX_MEMBER_CHARS, MAX_SEGMENTS

WrittenPath = tuple[str, ...]
"""Names of members as they stand in the record, outermost first."""
Layout = dict[str, "str | Layout"]
"""An object as it is written: by the name of each member the field whose value it is,
or the object inside it.
"""

NO_NAMES: Final[Mapping[str, WrittenPath]] = {}
_FORM: Final = (
    "must be a member name, or a list of names from the outermost object inward, such as [user, id]"
)


def _as_path(value: Any) -> Any:
    path = _names(value)
    if len(path) > MAX_SEGMENTS:
        raise PydanticCustomError(
            "written_name", f"is nested in {len(path)} objects; the limit is {MAX_SEGMENTS}"
        )
    if any(len(name) > MAX_MEMBER_CHARS for name in path):
        raise PydanticCustomError(
            "written_name", f"is too long: member names are limited to {MAX_MEMBER_CHARS} characters"
        )
    if any("\ud800" <= sign <= "\udfff" for name in path for sign in name):
        raise PydanticCustomError("written_name", "isn't valid text")
    return path


def _names(value: Any) -> WrittenPath:
    path = [value] if isinstance(value, str) else value
    if isinstance(path, list | tuple) and path and all(isinstance(name, str) for name in path):
        return tuple(path)
    raise PydanticCustomError("written_name", _FORM)


def _shortest(path: WrittenPath) -> str | list[str]:
    return path[0] if len(path) == 1 else list(path)


WrittenName = Annotated[
    WrittenPath,
    BeforeValidator(_as_path),
    PlainSerializer(_shortest),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": MAX_MEMBER_CHARS},
                {
                    "type": "array",
                    "items": {"type": "string", "maxLength": MAX_MEMBER_CHARS},
                    "minItems": 1,
                    "maxItems": MAX_SEGMENTS,
                },
            ]
        }
    ),
]
"""A member's literal name as a text (a dot in it is part of the name),
or a path into nested objects as a list of such names.
"""


def layout_of(fields: Iterable[str], names: Mapping[str, WrittenPath]) -> Layout:
    """The object that a row is written as.

    Args:
        fields: of the row, in their order; an object of nested members stands where the first field inside it
            does.
        names: where fields are written, of those that are not written as a member of their own name. No path
            is equal to another or leads through another, fields of their own name included (`clashes`).
    """
    made: Layout = {}
    for field in fields:
        *above, last = names.get(field, (field,))
        inner = made
        for name in above:
            found = inner.setdefault(name, {})
            if isinstance(found, str):
                raise ValueError(f"{field} is written inside {found}.")
            inner = found
        inner[last] = field
    return made


def clashes(fields: Iterable[str], names: Mapping[str, WrittenPath]) -> list[tuple[str, str]]:
    """Pairs of fields of which only one can be written: at one place, or the second inside the first.

    Args:
        fields: of the row.
        names: as of `layout_of`.

    Returns:
        At most one pair for each field, in their order.
    """
    by_path: dict[WrittenPath, str] = {}
    found: list[tuple[str, str]] = []
    paths = {field: names.get(field, (field,)) for field in fields}
    for field, path in paths.items():
        other = by_path.setdefault(path, field)
        if other != field:
            found.append((other, field))
    for field, path in paths.items():
        outer = next(
            (by_path[path[:depth]] for depth in range(1, len(path)) if path[:depth] in by_path), None
        )
        if outer is not None:
            found.append((outer, field))
    return found
