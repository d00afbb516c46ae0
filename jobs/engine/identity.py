"""The identity of a result as Spark SQL: the same bytes as `jobs.base.identities` writes (`semantics.md` 1.8)."""

from jobs.base.types import BOOLEAN, BYTES, DATE, INT, LONG, STRING, TIMESTAMP, DataType, Decimal, Struct, type_text
from jobs.expressions.spark_types import quoted

INSTANT_PATTERN = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"


class IdentityTypeError(TypeError):
    """A type that cannot be part of an identity got past the checks."""


def identity_sql(parts: list[tuple[str, DataType]]) -> str:
    """Spark SQL text of type STRING, never null: a JSON array of these parts.

    Args:
        parts: Spark SQL of each part and its type, in order.

    Raises:
        IdentityTypeError: a double or a nested type.
    """
    if not parts:
        return "'[]'"
    written = ", ',', ".join(f"coalesce({_part(sql, data_type)}, 'null')" for sql, data_type in parts)
    return f"concat('[', {written}, ']')"


def _part(sql: str, data_type: DataType) -> str:
    if data_type in (BOOLEAN, INT, LONG):
        return f"cast({sql} AS STRING)"
    if data_type == STRING:
        # Spark escapes exactly what the rule says when it writes an array; the brackets are cut off again.
        array = f"to_json(array({sql}))"
        return f"substr({array}, 2, char_length({array}) - 2)"
    if data_type == TIMESTAMP:
        # Quotes by concat: beside the pattern's own 'Z' a quoted quote would read as an escaped apostrophe.
        return f"""concat('"', date_format({sql}, "{INSTANT_PATTERN}"), '"')"""
    if data_type == DATE:
        return f"concat('\"', cast({sql} AS STRING), '\"')"
    if data_type == BYTES:
        return f"concat('\"', base64({sql}), '\"')"
    if isinstance(data_type, Decimal):
        return f"concat('\"', cast({sql} AS STRING), '\"')"
    if isinstance(data_type, Struct):  # the identity of one side of a join
        return f"if({sql} IS NULL, NULL, {identity_sql([(f'{sql}.{quoted(m.name)}', m.type) for m in data_type.members])})"
    raise IdentityTypeError(f"{type_text(data_type)} cannot be part of an identity")
