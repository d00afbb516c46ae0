"""Values of a writer's schema as values of a reader's: one function per pair of schemas, composed once,
called per record.

The rules are those of "Schema Resolution" in the Avro specification. Raw values are what fastavro reads under
`decoding_schema`; results are the Python values of `jobs.formats.records.Row`.
"""

import math
import struct
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Context
from decimal import Decimal as Number
from functools import partial
from typing import Any, Final

from jobs.base.budget import spend, watched
from jobs.base.instants import EPOCH_DAY, MAX_INSTANT, Instant, datetime_of
from jobs.base.types import INT_RANGE
from jobs.formats.avro_defaults import default_fits
from jobs.formats.avro_leaves import PROMOTED, logical_mismatch
from jobs.formats.avro_schema_json import WIDE_FIELD, is_wide, plain_name, wide_branch
from jobs.formats.avro_tree import ABSENT, AvroField, AvroType
from jobs.formats.avro_types import branches_of, merged_type

Read = Callable[[Any], Any]

_WIDE: Final = Context(prec=2_000)
_PER_MICRO: Final = {"millis": 1_000, "micros": 1}
_PYTHON_KINDS: Final = {
    type(None): ("null",),
    bool: ("boolean",),
    int: ("int", "long"),
    float: ("float", "double"),
    bytes: ("bytes",),
    str: ("string",),
    list: ("array",),
    dict: ("map",),
}


class NoResolution(Exception):  # noqa: N818  (the schemas do not fit, nothing failed)
    """A writer's schema, or a value of it, has no counterpart in the reader's."""

    def __init__(self, detail: str, at: str = "") -> None:
        super().__init__(f"{at}: {detail}" if at else detail)


def resolve(writer: AvroType, reader: AvroType, at: str = "") -> Read:
    """The function that turns raw values of `writer` into values of `reader`.

    Raises:
        NoResolution: no value could be turned. The function raises it for single values (a branch, a symbol),
            and ValueError or OverflowError for values beyond their type (a date after 9999, text that is no
            UTF-8).
    """
    if writer.kind == "union":
        return _from_union(writer, reader, at)
    if reader.kind == "union":
        return _into_union(writer, reader, at)
    if writer.kind == reader.kind and writer.kind in _SAME:
        return _SAME[writer.kind](writer, reader, at)
    if writer.kind == reader.kind or reader.kind in PROMOTED.get(writer.kind, ()):
        return _leaf(writer, reader, at)
    raise NoResolution(f"{writer.described} can't be read as {reader.described}.", at)


def _from_union(writer: AvroType, reader: AvroType, at: str) -> Read:
    reads: list[Read] = []
    for branch in writer.parts:
        try:
            reads.append(resolve(branch, reader, at))
        except NoResolution as missing:
            reads.append(_raising(str(missing)))
    return by_branch(writer, reads)


def by_branch(union: AvroType, calls: list[Read]) -> Read:
    """The function that gives a raw value of a union to the call of its branch."""
    table: dict[Any, Read] = {}
    kinds = [branch.kind for branch in union.parts]
    for branch, call in zip(union.parts, calls, strict=True):
        if branch.name:
            table[plain_name(branch)] = call
        elif is_wide(branch.kind, kinds):
            table[wide_branch(branch.kind)] = _of_wide(call)
        else:
            table[next(kind for kind, names in _PYTHON_KINDS.items() if branch.kind in names)] = call

    def call_of(value: Any) -> Any:
        if type(value) is tuple:  # fastavro names the branch of named types
            return table[value[0]](value[1])
        return table[type(value)](value)

    return call_of


def _of_wide(read: Read) -> Read:
    return lambda value: read(value[WIDE_FIELD])


def _raising(detail: str) -> Read:
    def read(_: Any) -> Any:
        raise NoResolution(detail)

    return read


def _into_union(writer: AvroType, reader: AvroType, at: str) -> Read:
    branch, read = branch_for(writer, reader, at)
    return _as_member(reader, branch, read)


def branch_for(writer: AvroType, union: AvroType, at: str = "") -> tuple[AvroType, Read]:
    """The branch of a reader's union that takes values of a writer, and how it reads them: that of its whole
    name, else one of its kind and short name, else the first that can.

    Raises:
        NoResolution: none does.
    """
    for branch in sorted(union.parts, key=partial(_distance, writer)):
        try:
            return branch, resolve(writer, branch, at)
        except NoResolution:
            continue
    raise NoResolution(f"{writer.described} is not a branch of {union.described}.", at)


def _distance(writer: AvroType, branch: AvroType) -> int:
    """Types of one short name may stand in a union in several namespaces, as versions of an event do."""
    if branch.kind != writer.kind or branch.short_name != writer.short_name:
        return 2
    return int(branch.name != writer.name)


def members_of_branch(union: AvroType, branch: AvroType) -> int:
    """Members of the struct that a value of a branch becomes; 0 where it becomes none.

    A union of several types is a struct with one member per branch, unless one type holds them all.
    """
    branches = branches_of(union)
    if branch.kind == "null" or len(branches) == 1 or merged_type(union) is not None:
        return 0
    return len(branches)


def _as_member(union: AvroType, branch: AvroType, read: Read) -> Read:
    count = members_of_branch(union, branch)
    if count == 0:
        return read
    empty = {f"member{i}": None for i in range(count)}
    name = f"member{branches_of(union).index(branch)}"
    return lambda value: {**empty, name: read(value)}


def _record(writer: AvroType, reader: AvroType, at: str) -> Read:
    if not _names_match(writer, reader):
        raise NoResolution(f"{writer.described} is not {reader.described}.", at)
    written = {part.name: part for part in writer.fields}
    reads: list[tuple[str, str, Read]] = []
    defaults: dict[str, Any] = {}
    unreadable = ""
    for part in reader.fields:
        here = f"{at}.{part.name}" if at else part.name
        source = written_field(part, written)
        if source is not None:
            reads.append((part.name, source.name, resolve(source.type, part.type, here)))
        elif part.default is ABSENT:
            raise NoResolution("The writer schema lacks this field, and it has no default.", here)
        else:
            try:
                defaults[part.name] = default_value(part)
            except (OverflowError, ValueError) as error:
                unreadable = unreadable or f"The default of {here} can't be read: {error}"
    if unreadable:
        return _failing(unreadable)
    return _record_read(reads, defaults, [part.name for part in reader.fields])


def _failing(detail: str) -> Read:
    """Reads no value: each would have a default that is beyond its type."""

    def fail(_: Any) -> Any:
        raise OverflowError(detail)

    return fail


def written_field(field: AvroField, written: dict[str, AvroField]) -> AvroField | None:
    """The writer's field for one of the reader's, by its name or the first of its aliases."""
    return written.get(field.name) or next(
        (written[alias] for alias in field.aliases if alias in written), None
    )


def _record_read(reads: list[tuple[str, str, Read]], defaults: dict[str, Any], order: list[str]) -> Read:
    """Reads the fields of a record.

    Args:
        reads: the reader's name, the writer's name and how it is read, of each field that is written.
        defaults: of the others.
        order: of all fields, by the reader's names.
    """

    def read_record(value: Any) -> Any:
        spend(len(order))  # a record without a byte may have a thousand defaults
        return {name: read(value[source]) for name, source, read in reads}

    def read_in_order(value: Any) -> Any:
        found = read_record(value) | defaults
        return {name: found[name] for name in order}

    return read_in_order if defaults else read_record


def _names_match(writer: AvroType, reader: AvroType) -> bool:
    return writer.short_name == reader.short_name or any(writer.name == alias for alias in reader.aliases)


def _enum(writer: AvroType, reader: AvroType, at: str) -> Read:
    if not _names_match(writer, reader):
        raise NoResolution(f"{writer.described} is not {reader.described}.", at)
    table = {symbol: symbol if symbol in reader.symbol_set else reader.default for symbol in writer.symbols}

    def read_enum(value: Any) -> Any:
        found = table[value]
        if found is None:
            raise NoResolution(f"{value} is not a symbol of {reader.described}, which has no default.", at)
        return found

    return read_enum


def _fixed(writer: AvroType, reader: AvroType, at: str) -> Read:
    if not _names_match(writer, reader) or writer.size != reader.size:
        raise NoResolution(
            f"The sizes differ: {writer.described} has {writer.size} bytes, {reader.described} has "
            f"{reader.size}.",
            at,
        )
    return _leaf(writer, reader, at)


def _array(writer: AvroType, reader: AvroType, at: str) -> Read:
    read = resolve(writer.parts[0], reader.parts[0], f"{at}[]")
    return lambda value: [read(part) for part in watched(value)]


def _map(writer: AvroType, reader: AvroType, at: str) -> Read:
    read = resolve(writer.parts[0], reader.parts[0], f"{at}{{}}")
    return lambda value: {key: read(part) for key, part in value.items()}


_SAME: Final[dict[str, Callable[[AvroType, AvroType, str], Read]]] = {
    "record": _record,
    "enum": _enum,
    "fixed": _fixed,
    "array": _array,
    "map": _map,
}


def _leaf(writer: AvroType, reader: AvroType, at: str) -> Read:
    if mismatch := logical_mismatch(writer, reader):
        raise NoResolution(mismatch, at)
    read = _logical(writer, reader) or _plain(writer.kind, reader.kind)
    return (lambda value: read(_int(value))) if writer.kind == "int" else read


def _logical(writer: AvroType, reader: AvroType) -> Read | None:
    """How a value with the reader's logical type is read;
    a timestamp's unit is the writer's, if it says one.
    """
    logical = reader.logical
    if logical == "date":
        return lambda value: EPOCH_DAY + timedelta(days=value)
    if "timestamp" in logical:
        unit = (writer.logical if "timestamp" in writer.logical else logical).rpartition("-")[2]
        return _timestamp_read(unit)
    if logical == "decimal":
        precision, scale = reader.precision, reader.scale
        return lambda value: _decimal(value, precision, scale)
    if logical == "uuid":
        return (lambda value: _uuid(value.decode("utf-8"))) if writer.kind == "bytes" else _uuid
    return None


def _timestamp_read(unit: str) -> Read:
    if unit == "nanos":
        return lambda value: _moment(value // 1_000)
    factor = _PER_MICRO[unit]
    return lambda value: _moment(value * factor)


def _moment(micros: int) -> Any:
    if micros >= MAX_INSTANT:
        raise OverflowError("The timestamp is after the year 9999.")
    return datetime_of(Instant(micros))


def _decimal(raw: bytes, precision: int, scale: int) -> Number:
    unscaled = int.from_bytes(raw, "big", signed=True)
    if abs(unscaled) >= 10**precision:
        raise OverflowError(f"The decimal has more than {precision} digits.")
    return Number(unscaled).scaleb(-scale, context=_WIDE)


def _uuid(value: Any) -> str:
    if isinstance(value, bytes):
        return str(uuid.UUID(bytes=value))
    found = str(uuid.UUID(value))
    # It would take blanks and underscores between digits.
    if value.lower().replace("-", "").count(found.replace("-", "")) != 1:
        raise ValueError("The text isn't a UUID.")
    return found


def _plain(writer: str, reader: str) -> Read:
    return _CONVERSIONS.get((writer, reader), _same)


def _single(value: Any) -> Any:
    """The nearest number of single precision; an infinity beyond the greatest."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _double(given: int | float | str) -> float:
    """A number of JSON as a double; an infinity beyond the greatest, as its reader makes of fractions."""
    try:
        return float(given)
    except OverflowError:
        return math.inf if isinstance(given, int) and given > 0 else -math.inf


def _int(value: int) -> int:
    if value not in INT_RANGE:
        raise OverflowError("The int has more than 32 bits.")
    return value


_CONVERSIONS: Final[dict[tuple[str, str], Read]] = {
    ("int", "float"): _single,
    ("long", "float"): _single,
    ("int", "double"): float,
    ("long", "double"): float,
    ("string", "bytes"): lambda value: value.encode("utf-8"),
    ("bytes", "string"): lambda value: value.decode("utf-8"),
}
"""By the kinds of writer and reader."""


def _same(value: Any) -> Any:
    return value


def default_value(field: AvroField) -> Any:
    """A field's default as a value.

    Raises:
        OverflowError, ValueError: it is beyond its type, as a date after 9999.
    """
    return _default(field.default, field.type)


def _default(given: Any, node: AvroType) -> Any:
    match node.kind:
        case "union":
            return _union_default(given, node)
        case "array":
            return [_default(part, node.parts[0]) for part in given]
        case "map":
            return {key: _default(part, node.parts[0]) for key, part in given.items()}
        case "record":
            return {
                part.name: _default(given.get(part.name, part.default), part.type) for part in node.fields
            }
        case _:
            return _leaf_default(given, node)


def _leaf_default(given: Any, node: AvroType) -> Any:
    if node.kind in ("float", "double"):
        return _single(_double(given)) if node.kind == "float" else _double(given)
    stored = given.encode("latin-1") if node.kind in ("bytes", "fixed") else given
    return resolve(node, node)(stored)  # null, too, is read as it is


def _union_default(given: Any, node: AvroType) -> Any:
    branch = next(branch for branch in node.parts if default_fits(given, branch))
    return _as_member(node, branch, lambda value: _default(value, branch))(given)
