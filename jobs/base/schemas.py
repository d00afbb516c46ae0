"""Schemas: named, typed fields in order, and their JSON form."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from jobs.base.types import DataType, parse_type, type_text


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row. `nullable` False guarantees that no row has null there."""

    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Schema:
    """Fields in order; names are unique and case-sensitive."""

    fields: tuple[Field, ...]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __contains__(self, name: object) -> bool:
        return any(field.name == name for field in self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        """Field names in order."""
        return tuple(field.name for field in self.fields)

    def get(self, name: str) -> Field | None:
        """The field of that exact name, or None."""
        return next((field for field in self.fields if field.name == name), None)

    def as_json(self) -> list[dict[str, Any]]:
        """``[{"name", "type", "nullable"}, …]`` with types in text form:
        the form of API, messages and documents.
        """
        return [{"name": f.name, "type": type_text(f.type), "nullable": f.nullable} for f in self.fields]


def schema_of(fields: Iterable[Field]) -> Schema:
    """A schema of these fields, in this order."""
    return Schema(tuple(fields))


def schema_from_json(rows: Iterable[dict[str, Any]]) -> Schema:
    """The schema of what `Schema.as_json` returned; a missing ``nullable`` means true.

    Raises:
        TypeTextError: the text of a type is not valid.
        KeyError: a field has no name or type.
    """
    return Schema(
        tuple(Field(row["name"], parse_type(row["type"]), row.get("nullable", True)) for row in rows)
    )
