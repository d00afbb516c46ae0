"""Data types as Spark DDL text."""

from typing import Final

from jobs.base.types import Array, Atomic, DataType, Decimal, Map, Struct

_NAMES: Final = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "double": "DOUBLE",
    "string": "STRING",
    "bytes": "BINARY",
    "timestamp": "TIMESTAMP",
    "date": "DATE",
    "duration": "BIGINT",  # whole microseconds; lives only inside expressions
    "null": "VOID",
}


def quoted(name: str) -> str:
    """A column or member name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def schema_sql(data_type: DataType) -> str:
    """Spark's DDL text of a type, such as ``STRUCT<`a`: BIGINT, `b`: ARRAY<STRING>>``."""
    match data_type:
        case Atomic(name):
            return _NAMES[name]
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Array(element):
            return f"ARRAY<{schema_sql(element)}>"
        case Map(value):
            return f"MAP<STRING, {schema_sql(value)}>"
        case Struct(members):
            return "STRUCT<" + ", ".join(f"{quoted(m.name)}: {schema_sql(m.type)}" for m in members) + ">"
