"""The Spark SQL of a row as the object that is written."""

from collections.abc import Callable, Mapping

from jobs.base.schemas import Schema
from jobs.base.types import DataType
from jobs.expressions.spark_types import quoted
from jobs.expressions.texts_sql import string_sql
from jobs.formats.written_names import Layout, WrittenPath, layout_of


def written_object_sql(
    rows: Schema, names: Mapping[str, WrittenPath], write: Callable[[str, DataType], str] = lambda sql, _: sql
) -> str:
    """A struct with every field of a row at its place in the record.

    An object around fields is never null, even if they all are.

    Args:
        rows: the fields, which are columns.
        names: where fields are written, of those that are not written as a member of their own name.
        write: the SQL of a field's value from that of its column and its type.
    """
    values = {field.name: write(quoted(field.name), field.type) for field in rows}
    return _object(layout_of(values, names), values)


def written_members_sql(rows: Schema, names: Mapping[str, WrittenPath]) -> list[tuple[str, str]]:
    """The members of that struct one by one: name and SQL of each, in order."""
    return _members(layout_of(rows.names, names), {name: quoted(name) for name in rows.names})


def _object(layout: Layout, values: Mapping[str, str]) -> str:
    members = (f"{string_sql(name)}, {sql}" for name, sql in _members(layout, values))
    return f"named_struct({', '.join(members)})"


def _members(layout: Layout, values: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (name, values[inside] if isinstance(inside, str) else _object(inside, values))
        for name, inside in layout.items()
    ]
