"""Whether data of one Avro schema can be read with another: "Schema Resolution" of the
specification, over schemas alone.
"""

from typing import Final

from jobs.formats.avro_tree import ABSENT, AvroType
from weir.schemas.services.differences import Difference

_PROMOTED: Final = {
    ("int", "long"), ("int", "float"), ("int", "double"), ("long", "float"), ("long", "double"),
    ("float", "double"),
    ("string", "bytes"), ("bytes", "string"),
}  # fmt: skip


def avro_differences(reader: AvroType, writer: AvroType) -> list[Difference]:
    """All reasons why `reader` cannot read what `writer` wrote; none: it can, whatever the values."""
    return _compare(reader, writer, "", set())


def _compare(reader: AvroType, writer: AvroType, at: str, seen: set[tuple[int, int]]) -> list[Difference]:
    pair = (id(reader), id(writer))
    if pair in seen:  # a recursive schema comes back to where it was
        return []
    if reader.name and writer.name:
        seen = {*seen, pair}
    if writer.kind == "union":
        return [found for branch in writer.parts for found in _compare(reader, branch, at, seen)]
    if reader.kind == "union":
        return _into_union(reader, writer, at, seen)
    if reader.kind == writer.kind:
        return _same_kind(reader, writer, at, seen)
    if (writer.kind, reader.kind) in _PROMOTED:
        return []
    return [_type_mismatch(reader, writer, at)]


def _type_mismatch(reader: AvroType, writer: AvroType, at: str) -> Difference:
    wider = sorted(to for source, to in _PROMOTED if source == writer.kind)
    allowed = f"Allowed: {' or '.join([writer.described, *wider])}, or a union with it."
    return Difference(
        "TYPE_MISMATCH", at, f"{writer.described} can't be read as {reader.described}.", allowed
    )


def _into_union(reader: AvroType, writer: AvroType, at: str, seen: set[tuple[int, int]]) -> list[Difference]:
    tried = [_compare(part, writer, at, seen) for part in reader.parts]
    if any(not found for found in tried):
        return []
    like = next(
        (found for part, found in zip(reader.parts, tried, strict=True) if part.kind == writer.kind), None
    )
    if like is not None and writer.kind in ("record", "array", "map", "enum"):
        return like
    message = f"{reader.described} has no branch for {writer.described}."
    return [
        Difference("MISSING_UNION_BRANCH", at, message, f"Allowed: the union with {writer.described} added.")
    ]


def _same_kind(reader: AvroType, writer: AvroType, at: str, seen: set[tuple[int, int]]) -> list[Difference]:
    match reader.kind:
        case "record":
            return _name(reader, writer, at) or _fields(reader, writer, at, seen)
        case "enum":
            return _name(reader, writer, at) or _enum(reader, writer, at)
        case "fixed":
            return [*_name(reader, writer, at), *_fixed(reader, writer, at), *_decimal(reader, writer, at)]
        case "array":
            return _compare(reader.parts[0], writer.parts[0], f"{at}[]", seen)
        case "map":
            return _compare(reader.parts[0], writer.parts[0], f"{at}{{}}", seen)
        case _:
            return _decimal(reader, writer, at)


def _name(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    if reader.short_name == writer.short_name or writer.name in reader.aliases:
        return []
    message = f"{writer.described} is not {reader.described}."
    allowed = f"Allowed: the name {writer.short_name}, or the alias {writer.name}."
    return [Difference("NAME_MISMATCH", at, message, allowed)]


def _fields(reader: AvroType, writer: AvroType, at: str, seen: set[tuple[int, int]]) -> list[Difference]:
    return [gap for part in reader.fields for gap in _field(part.name, reader, writer, at, seen)]


def _field(
    name: str, reader: AvroType, writer: AvroType, at: str, seen: set[tuple[int, int]]
) -> list[Difference]:
    here = f"{at}.{name}" if at else name
    wanted = next(part for part in reader.fields if part.name == name)
    written = {part.name: part for part in writer.fields}
    source = next((written[known] for known in (name, *wanted.aliases) if known in written), None)
    if source is not None:
        return _compare(wanted.type, source.type, here, seen)
    if wanted.default is not ABSENT:
        return []
    allowed = "Allowed: the field with a default, or with an alias of a field in the writer schema."
    return [
        Difference(
            "READER_FIELD_MISSING_DEFAULT_VALUE",
            here,
            "The writer schema lacks this field, and it has no default.",
            allowed,
        )
    ]


def _enum(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    missing = [symbol for symbol in writer.symbols if symbol not in reader.symbols]
    if not missing or reader.default is not None:
        return []
    message = f"The reader schema lacks {', '.join(missing[:20])}."
    return [
        Difference(
            "MISSING_ENUM_SYMBOLS", at, message, "Allowed: an enum with these symbols, or with a default."
        )
    ]


def _fixed(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    if reader.size == writer.size:
        return []
    message = f"{writer.size} bytes can't be read as {reader.size}."
    return [Difference("FIXED_SIZE_MISMATCH", at, message, f"Allowed: the size {writer.size}.")]


def _decimal(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    if not reader.logical == writer.logical == "decimal" or (reader.precision, reader.scale) == (
        writer.precision,
        writer.scale,
    ):
        return []
    ours, theirs = (
        f"decimal({reader.precision},{reader.scale})",
        f"decimal({writer.precision},{writer.scale})",
    )
    return [Difference("DECIMAL_MISMATCH", at, f"{theirs} can't be read as {ours}.", f"Allowed: {theirs}.")]
