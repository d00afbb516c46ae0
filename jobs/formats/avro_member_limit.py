"""How many members the structs in an Avro record have (`jobs.formats.member_limit`), also those of a reader's
fields that are not written: a record of a byte may have two thousand of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.types import Array, DataType, Map, Struct
from jobs.formats.avro_resolution import (
    NoResolution,
    branch_for,
    by_branch,
    default_value,
    members_of_branch,
    written_field,
)
from jobs.formats.avro_tree import AvroField, AvroType
from jobs.formats.avro_types import type_of

_TEXT_SIGNS: Final = 8  # of a default, which are as much as a member


@dataclass(frozen=True, slots=True)
class MembersCount:
    """The members in values of a pair of schemas.

    Attributes:
        most: of a value whose arrays and maps have no more than one item.
        of: the members in a raw value, as fastavro reads it.
    """

    most: int
    of: Callable[[Any], int]


_NONE: Final = MembersCount(0, lambda _: 0)


def members_count(writer: AvroType, reader: AvroType) -> MembersCount:
    """How members are counted where `jobs.formats.avro_resolution.resolve` reads values of `writer`.

    Raises:
        NoResolution: no value could be read.
    """
    if writer.kind == "union":
        branches = [_of_branch(branch, reader) for branch in writer.parts]
        most = sum(branch.most for branch in branches)
        return MembersCount(most, by_branch(writer, [branch.of for branch in branches])) if most else _NONE
    if reader.kind == "union":
        branch, _ = branch_for(writer, reader)
        return _plus(members_of_branch(reader, branch), [(None, members_count(writer, branch))])
    if writer.kind == "record":
        return _of_record(writer, reader)
    if writer.kind in ("array", "map"):
        if reader.kind != writer.kind:
            raise NoResolution(f"{writer.described} can't be read as {reader.described}.")
        return _of_items(members_count(writer.parts[0], reader.parts[0]), is_map=writer.kind == "map")
    return _NONE


def _of_branch(branch: AvroType, reader: AvroType) -> MembersCount:
    try:
        return members_count(branch, reader)
    except NoResolution:
        return _NONE


def _of_record(writer: AvroType, reader: AvroType) -> MembersCount:
    written = {part.name: part for part in writer.fields}
    own, parts = len(reader.fields), []
    for part in reader.fields:
        source = written_field(part, written)
        if source is None:
            own += _default_weight(part)
        else:
            parts.append((source.name, members_count(source.type, part.type)))
    return _plus(own, parts)


def _plus(own: int, parts: Sequence[tuple[str | None, MembersCount]]) -> MembersCount:
    """Members of a value's own, and of its fields; None: of the value itself."""
    inner = [(name, count.of) for name, count in parts if count.most]

    def of(value: Any) -> int:
        return own + sum(count(value if name is None else value[name]) for name, count in inner)

    return MembersCount(own + sum(count.most for _, count in parts), of)


def _of_items(item: MembersCount, *, is_map: bool) -> MembersCount:
    if not item.most:
        return _NONE
    return MembersCount(item.most, lambda value: sum(map(item.of, value.values() if is_map else value)))


def _default_weight(field: AvroField) -> int:
    try:
        return _weight(default_value(field), type_of(field.type)[0])
    except (OverflowError, ValueError):
        return 0  # no record is read with it


def _weight(default: Any, data_type: DataType) -> int:
    """What a default adds to each record: its parts, and its texts, to which the keys of maps belong."""
    match default, data_type:
        case dict(), Struct(members):
            return len(default) + sum(_weight(default[member.name], member.type) for member in members)
        case dict(), Map(inner):
            texts = sum(len(key) // _TEXT_SIGNS for key in default)
            return len(default) + texts + sum(_weight(part, inner) for part in default.values())
        case list(), Array(inner):
            return len(default) + sum(_weight(part, inner) for part in default)
        case str() | bytes(), _:
            return len(default) // _TEXT_SIGNS
    return 0
