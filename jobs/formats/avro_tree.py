"""Avro schemas as trees.

A reference to a named type is the same node as its definition, so a recursive schema is a cycle.
"""

from dataclasses import dataclass
from typing import Any, Final

PRIMITIVES: Final = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
MAX_FIELDS: Final = 2_000
MAX_NESTING: Final = 64
NO_SPACE: Final = "_weir"  # namespace that types without one get for the decoder, so no schema may have it
ABSENT: Final = object()
"""The default of a field that has none; None is the default null."""


class AvroSchemaError(ValueError):
    """A text is no Avro schema, or one beyond our limits; `at` says where."""

    def __init__(self, detail: str, at: str = "") -> None:
        super().__init__(f"{at}: {detail}" if at else detail)
        self.at = at
        self.detail = detail


@dataclass(slots=True, eq=False)
class AvroField:
    """A field of a record; `default` is JSON as written, or `ABSENT`, and `default_size` what it becomes
    (`jobs.formats.avro_defaults`).
    """

    name: str
    type: "AvroType"
    default: Any = ABSENT
    default_size: int = 0
    aliases: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class AvroType:
    """A schema's node.

    Attributes:
        kind: a primitive's name, record, enum, fixed, array, map or union.
        name: full name of a named type.
        logical: a logical type that this node may carry; others are ignored, as the specification asks.
        parts: items of an array, values of a map (one part), branches of a union.
        symbols, default: of an enum; `symbol_set` is what to look in, as there may be tens of thousands.
        size: of a fixed.
        counts: ms, us or ns of a long in which a Debezium connector counts time; empty: it says none.
        default_values: of a whole schema: what all its defaults become.
    """

    kind: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    logical: str = ""
    precision: int = 0
    scale: int = 0
    fields: tuple[AvroField, ...] = ()
    parts: tuple["AvroType", ...] = ()
    symbols: tuple[str, ...] = ()
    symbol_set: frozenset[str] = frozenset()
    default: str | None = None
    size: int = 0
    counts: str = ""
    default_values: int = 0

    @property
    def short_name(self) -> str:
        """The name without its namespace: what resolution compares."""
        return self.name.rpartition(".")[2]

    @property
    def described(self) -> str:
        """For messages: ``long``, ``record shop.Order``, ``union of null and long``."""
        if self.kind == "union":
            return "union of " + ", ".join(part.described for part in self.parts)
        return f"{self.kind} {self.name}" if self.name else self.kind
