"""How many members the structs in an Avro record have (`jobs.formats.member_limit`), also those of a reader's
fields that are not written: a record of a byte may have two thousand of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.types import Array, DataType, Map, Struct
from jobs.formats.avro_defaults import TEXT_SIGNS
from jobs.formats.avro_resolution import Resolution, by_branch, written_field
from jobs.formats.avro_tree import AvroField, AvroType
from jobs.formats.avro_types import type_of


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


def members_count(writer: AvroType, reader: AvroType, run: Resolution) -> MembersCount:
    """How members are counted where `jobs.formats.avro_resolution.resolve` reads values of `writer`.

    Args:
        writer: the schema of the values.
        reader: the schema that they are read with.
        run: of this pair, done: nothing is tried again.
    """
    if writer.kind == "union":
        branches = [
            _NONE if (id(branch), id(reader)) in run.unreadable else members_count(branch, reader, run)
            for branch in writer.parts
        ]
        most = sum(branch.most for branch in branches)
        return MembersCount(most, by_branch(writer, [branch.of for branch in branches])) if most else _NONE
    if reader.kind == "union":
        branch = run.branches[id(writer), id(reader)]
        return _plus(run.members_of(reader).of(branch), [(None, members_count(writer, branch, run))])
    if writer.kind == "record":
        return _of_record(writer, reader, run)
    if writer.kind in ("array", "map"):
        return _of_items(members_count(writer.parts[0], reader.parts[0], run), is_map=writer.kind == "map")
    return _of_symbols(writer, reader, run) if writer.kind == "enum" else _NONE


def _of_record(writer: AvroType, reader: AvroType, run: Resolution) -> MembersCount:
    written = {part.name: part for part in writer.fields}
    own, parts = len(reader.fields), []
    for part in reader.fields:
        source = written_field(part, written)
        if source is None:
            if id(part) not in run.weights:
                run.weights[id(part)] = _default_weight(part, run)
            own += run.weights[id(part)]
        else:
            parts.append((source.name, members_count(source.type, part.type, run)))
    return _plus(own, parts)


def _of_symbols(writer: AvroType, reader: AvroType, run: Resolution) -> MembersCount:
    """A symbol of any length is a byte of the record, so that its text counts as one of a default does."""
    pair = (id(writer), id(reader))
    if pair not in run.symbol_weights:
        table = run.symbols_of(writer, reader)
        run.symbol_weights[pair] = {symbol: len(found or "") // TEXT_SIGNS for symbol, found in table.items()}
    weights = run.symbol_weights[pair]
    most = max(weights.values(), default=0)
    return MembersCount(most, weights.__getitem__) if most else _NONE


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


def _default_weight(field: AvroField, run: Resolution) -> int:
    try:
        default = run.default_of(field)
    except (OverflowError, ValueError):
        return 0  # no record is read with it
    return _weight(default, type_of(field.type)[0])


def _weight(default: Any, data_type: DataType) -> int:
    """What a default adds to each record: its parts, and its texts, to which the keys of maps belong."""
    match default, data_type:
        case dict(), Struct(members):
            return len(default) + sum(_weight(default[member.name], member.type) for member in members)
        case dict(), Map(inner):
            texts = sum(len(key) // TEXT_SIGNS for key in default)
            return len(default) + texts + sum(_weight(part, inner) for part in default.values())
        case list(), Array(inner):
            return len(default) + sum(_weight(part, inner) for part in default)
        case str() | bytes(), _:
            return len(default) // TEXT_SIGNS
    return 0
