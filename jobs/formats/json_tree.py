"""Fields of JSON objects as one type for Spark's `from_json`, whatever their members are called and however
deep they are.

A member may have any name, but SQL cannot name every column (an empty one, for instance). So the type that
`from_json` is given has the names of the record, and a cast gives the struct that it returns names of our
own: structs are cast by position.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jobs.base.types import DataType
from jobs.expressions.spark_types import quoted
from jobs.formats.source_paths import ReadField

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_Node = dict[str, "_Node | ReadField"]


@dataclass(frozen=True)
class JsonTree:
    """The members to read.

    Attributes:
        members: for `from_json`: ``name: type`` pairs, each with a comma and a blank behind it; empty for no
            fields.
        own_members: the same types under names that SQL can write; equal to `members` where nothing needs
            other names.
        columns: by name of field its SQL inside a struct of `own_members`, such as ``m0.m1``.
    """

    members: str
    own_members: str
    columns: Mapping[str, str]

    @property
    def is_renamed(self) -> bool:
        """True where the struct that `from_json` returns must be cast to `own_members`."""
        return self.members != self.own_members

    def of(self, record: str, field: ReadField) -> str:
        """The SQL of a field in a struct that `named` returned."""
        return f"{record}.{self.columns[field.name]}"

    def named(self, struct: str, rest: str) -> str:
        """The SQL of a struct of `members` and then `rest` (more members, or empty)
        with our own names for the members.
        """
        members = f"{self.own_members}{rest}" if rest else self.own_members.removesuffix(", ")
        return f"CAST({struct} AS STRUCT<{members}>)" if self.is_renamed else struct


def is_tree(fields: Sequence[ReadField]) -> bool:
    """False where `from_json` cannot read the fields in one pass: elements of arrays by index, and a value
    that is read twice, as a whole and in part, or as two types."""
    return _tree(fields) is not None


def json_tree(fields: Sequence[ReadField], type_sql: Callable[[DataType], str]) -> JsonTree:
    """The members of some fields.

    Args:
        fields: of which `is_tree` is true.
        type_sql: the type that `from_json` is given for a field's type.
    """
    tree = _tree(fields)
    if tree is None:
        raise ValueError("these fields are no tree")
    columns: dict[str, str] = {}
    plain = all(isinstance(part, str) and _PLAIN.fullmatch(part) for field in fields for part in field.path)
    _name_columns(tree, "", columns, plain=plain)
    return JsonTree(_written(tree, type_sql, plain=True), _written(tree, type_sql, plain=plain), columns)


def _tree(fields: Sequence[ReadField]) -> _Node | None:
    root: _Node = {}
    for field in fields:
        node = root
        for segment in field.path[:-1]:
            inner = node.setdefault(segment, {}) if isinstance(segment, str) else None
            if not isinstance(inner, dict):
                return None
            node = inner
        last = field.path[-1]
        if not isinstance(last, str) or last in node:
            return None
        node[last] = field
    return root


def _written(node: _Node, type_sql: Callable[[DataType], str], *, plain: bool) -> str:
    parts = []
    for number, (name, child) in enumerate(node.items()):
        inner = (
            f"STRUCT<{_written(child, type_sql, plain=plain).removesuffix(', ')}>"
            if isinstance(child, dict)
            else type_sql(child.type)
        )
        parts.append(f"{_column(name, number, plain=plain)}: {inner}, ")
    return "".join(parts)


def _name_columns(node: _Node, above: str, columns: dict[str, str], *, plain: bool) -> None:
    for number, (name, child) in enumerate(node.items()):
        here = f"{above}{_column(name, number, plain=plain)}"
        if isinstance(child, dict):
            _name_columns(child, f"{here}.", columns, plain=plain)
        else:
            columns[child.name] = here


def _column(name: str, number: int, *, plain: bool) -> str:
    return quoted(name) if plain else f"m{number}"
