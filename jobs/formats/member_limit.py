"""How many members the structs in a record have, told before anything is made of them.

An object of two bytes becomes as many values as its type has members: a megabyte of ``{}`` may take a
gigabyte.
`jobs.formats.avro_member_limit` counts those of Avro; `jvm/src/weir/decode` counts the same while it reads.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from jobs.base.types import Array, DataType, Map, Struct
from jobs.formats.records import Malformed
from jobs.formats.source_paths import ReadField, SourcePath

MAX_MEMBERS: Final = 1_000_000  # of all structs of a record together, whether they are there or not


class _Pairs(list[tuple[str, Any]]):
    """An object's members in order, also those whose name comes again."""


def too_many_members(
    body: bytes, fields: tuple[ReadField, ...], *, is_change: bool = False
) -> Malformed | None:
    """TOO_LARGE where the structs of the fields have more than `MAX_MEMBERS`, with those of members that come
    again.

    Args:
        body: valid JSON.
        fields: those wanted.
        is_change: they are read from the row of a change event.
    """
    if body.count(b"{") * _widths(fields) <= MAX_MEMBERS:
        return None
    parsed = json.loads(body, object_pairs_hook=_Pairs, parse_int=len, parse_float=len, parse_constant=len)
    row = _changed_row(parsed) if is_change else parsed
    found = sum(_members_of(value, field.type) for field in fields for value in _values_at(row, field.path))
    return members_exceeded() if found > MAX_MEMBERS else None


def members_exceeded() -> Malformed:
    """TOO_LARGE, for its members."""
    return Malformed("TOO_LARGE", f"The record's structs have more than {MAX_MEMBERS} members.")


@lru_cache(maxsize=256)
def _widths(fields: tuple[ReadField, ...]) -> int:
    """An object becomes a struct of each field at most once."""
    return sum(_widest(field.type) for field in fields)


def _widest(wanted: DataType) -> int:
    match wanted:
        case Array(inner) | Map(inner):
            return _widest(inner)
        case Struct(members):
            return max([len(members), *(_widest(member.type) for member in members)])
    return 0


def _members_of(value: Any, wanted: DataType) -> int:
    match wanted:
        case Array(inner) if isinstance(value, list) and not isinstance(value, _Pairs):
            return sum(_members_of(part, inner) for part in value)
        case Map(inner) if isinstance(value, _Pairs):
            return sum(_members_of(part, inner) for _, part in value)
        case Struct(members) if isinstance(value, _Pairs):
            types = {member.name: member.type for member in members}
            return len(members) + sum(_members_of(part, types[name]) for name, part in value if name in types)
    return 0


def _values_at(value: Any, path: SourcePath) -> Iterator[Any]:
    """What a path leads to, once for each time that its members are there."""
    if not path:
        yield value
        return
    segment, rest = path[0], path[1:]
    if isinstance(value, _Pairs):
        for name, part in value:
            if name == segment:
                yield from _values_at(part, rest)
    elif isinstance(value, list) and isinstance(segment, int) and segment < len(value):
        yield from _values_at(value[segment], rest)


def _changed_row(event: Any) -> Any:
    """The row of a change event, as `jobs.formats.debezium_records` finds it."""
    found = dict(event)
    if found.get("op") is None:
        payload = found.get("payload")
        found = dict(payload) if isinstance(payload, _Pairs) else {}
    return found.get("after")
