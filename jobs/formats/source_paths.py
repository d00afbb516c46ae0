"""Where in a record a field is read from: a path of members and array elements, and its text for people."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, StrictInt, StrictStr

from jobs.base.types import DataType, type_text
from jobs.formats.json_values import WrongType

Segment = str | int
SourcePath = tuple[Segment, ...]

MAX_SEGMENTS: Final = 16
MAX_MEMBER_CHARS: Final = 255
MAX_INDEX: Final = 9_999

_BARE: Final = re.compile(r"(?! )[^.\[\]\"\\\x00-\x1f\x7f\u2028\u2029]+(?<! )")


def _member(name: str) -> str:
    if len(name) > MAX_MEMBER_CHARS:
        raise ValueError(f"Member names are limited to {MAX_MEMBER_CHARS} characters.")
    if any("\ud800" <= sign <= "\udfff" for sign in name):
        raise ValueError("A member name isn't valid text.")
    return name


def _begins_with_a_member(path: SourcePath) -> SourcePath:
    if not isinstance(path[0], str):
        raise ValueError("A path must start with a member name, because a record is an object.")
    return path


MemberName = Annotated[StrictStr, AfterValidator(_member)]
PathOfField = Annotated[
    tuple[MemberName | Annotated[StrictInt, Field(ge=0, le=MAX_INDEX)], ...],
    Field(min_length=1, max_length=MAX_SEGMENTS),
    AfterValidator(_begins_with_a_member),
]


@dataclass(frozen=True, slots=True)
class ReadField:
    """A declared field as a decoder needs it.

    Attributes:
        name: in jobs.
        type: of its values.
        nullable: False: a record without a value there is malformed.
        path: where the value is in the record: names of members as they are written there, indexes of array
            elements.
    """

    name: str
    type: DataType
    nullable: bool
    path: SourcePath

    @property
    def at(self) -> str:
        """The path for people."""
        return path_text(self.path)

    def as_json(self) -> dict[str, Any]:
        """The form of a contract's field; without a path where it is the member of the same name."""
        plain = {"name": self.name, "type": type_text(self.type), "nullable": self.nullable}
        return plain if self.is_member else {**plain, "path": list(self.path)}

    @property
    def is_member(self) -> bool:
        """True when the field is the record's member of the same name."""
        return self.path == (self.name,)


def read_field(
    name: str, data_type: DataType, path: SourcePath | None = None, *, nullable: bool = True
) -> ReadField:
    """A field that is read from `path`; None: from the member of its own name."""
    return ReadField(name, data_type, nullable, path or (name,))


def path_text(path: SourcePath) -> str:
    """A path as people read and write it: ``user.id``, ``tags[0]``,
    ``["a.b"]`` for a member whose name holds a dot.
    """
    parts: list[str] = []
    for segment in path:
        if isinstance(segment, int):
            parts.append(f"[{segment}]")
        elif _BARE.fullmatch(segment):
            parts.append(f".{segment}" if parts else segment)
        else:
            parts.append(f"[{json.dumps(segment, ensure_ascii=False)}]")
    return "".join(parts)


def value_at(record: Any, path: SourcePath) -> Any:
    """The value that a path leads to.

    Args:
        record: an object as `jobs.formats.json_text.parse_json` or an Avro decoder gives it.
        path: of a field.

    Returns:
        None where the path leads to nothing: a member or element that is absent, or null on the way.

    Raises:
        WrongType: something on the way is neither null nor an object (an array, before an index).
    """
    found = record
    for depth, segment in enumerate(path):
        if found is None:
            return None
        if isinstance(segment, str):
            if not isinstance(found, dict):
                raise WrongType(found, "an object", path_text(path[:depth]))
            found = found.get(segment)
        else:
            if not isinstance(found, list):
                raise WrongType(found, "an array", path_text(path[:depth]))
            found = found[segment] if segment < len(found) else None
    return found


def members_of(values: Iterable[tuple[SourcePath, Any]]) -> dict[str, Any]:
    """The object in which each value is at its path, all of whose segments are names of members."""
    found: dict[str, Any] = {}
    for path, value in values:
        inner = found
        for segment in path[:-1]:
            inner = inner.setdefault(str(segment), {})
        inner[str(path[-1])] = value
    return found
