"""What a leaf of a writer's schema, which holds no other types, can be read as: by its kind, and by what its
values mean.

The rules are those of "Schema Resolution" in the Avro specification. Where both sides give a value a meaning,
the meanings have to match: days read as milliseconds would be wrong without a word.
"""

from collections.abc import Mapping
from typing import Final

from jobs.formats.avro_tree import AvroType

PROMOTED: Final[Mapping[str, tuple[str, ...]]] = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
"""By the writer's kind: the other kinds that it is read as."""


def logical_mismatch(writer: AvroType, reader: AvroType) -> str:
    """Why the values of one can't be read with the logical type of the other; empty when they can.

    Args:
        writer: a leaf.
        reader: a leaf of the same kind, or of one that the writer's is read as.
    """
    if "" not in (writer.logical, reader.logical) and not _mean_the_same(writer, reader):
        return f"{described(writer)} can't be read as {described(reader)}."
    if reader.logical == "decimal" and writer.kind == "string":
        return "A text can't be read as decimal."
    return ""


def described(leaf: AvroType) -> str:
    """The logical type, else the type: ``decimal(4,2)``, ``timestamp-millis``, ``long``."""
    if leaf.logical == "decimal":
        return f"decimal({leaf.precision},{leaf.scale})"
    return leaf.logical or leaf.described


def _mean_the_same(writer: AvroType, reader: AvroType) -> bool:
    # Of a decimal the description has the digits, too.
    are_times = "timestamp" in writer.logical and "timestamp" in reader.logical
    return are_times or described(writer) == described(reader)
