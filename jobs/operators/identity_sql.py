"""Identities of rows as Spark SQL, byte for byte the text of `jobs.base.identities`
(`docs/semantics/identity-and-results.md#identity`).
"""

import re
from typing import Final

from jobs.base.types import (
    BOOLEAN,
    BYTES,
    DATE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    DataType,
    Decimal,
    Struct,
    type_text,
)
from jobs.expressions.spark_types import quoted
from jobs.expressions.texts_sql import INSTANT_PATTERN

UNION_INPUT: Final = "_input"  # the first member of an identity after a union whose inputs might collide

_LITERAL: Final = "cast({0} AS STRING)"
_QUOTED: Final = "concat('\"', cast({0} AS STRING), '\"')"
# The double quotes are added with concat: a quoted one next to the pattern's 'Z' would read as an escaped
# apostrophe.
_INSTANT: Final = f"""concat('"', date_format({{0}}, "{INSTANT_PATTERN}"), '"')"""
_WRITTEN: Final[dict[DataType, str]] = {
    BOOLEAN: _LITERAL,
    INT: _LITERAL,
    LONG: _LITERAL,
    DATE: _QUOTED,
    TIMESTAMP: _INSTANT,
}
"""Types that are always written in one way."""

_PLACE: Final = re.compile(r"`_index\d+`$")
_NAME: Final = re.compile(rf"`(_source|{UNION_INPUT})`$")


class IdentityTypeError(TypeError):
    """A type that cannot be part of an identity, although the checks should have refused it."""


def identity_sql(
    parts: list[tuple[str, DataType]], *, ranked: bool = False, given: frozenset[str] = frozenset()
) -> str:
    """Spark SQL of type STRING, never null: a JSON array of these parts.

    Args:
        parts: Spark SQL of each part and its type, in order. An index (``_index…``) that is null is left out:
            after a union some rows were exploded more often than others.
        ranked: True for a text that is not shown but compared outside Spark to find the row order: decimals
            are written as numbers and bytes in hexadecimal, so that they sort like their values.
        given: Spark SQL of the indexes that are never null, which need no null check.

    Raises:
        IdentityTypeError: a double or a nested type.
    """
    return f"concat('[', {_joined(parts, ranked, given)}, ']')" if parts else "'[]'"


def is_plain_identity(parts: list[tuple[str, DataType]], given: frozenset[str] = frozenset()) -> bool:
    """True where an identity is the JSON array of its parts as they are, and structs are arrays in turn:
    without a union, decimals, or indexes that may be absent.

    Args:
        parts: as of `identity_sql`.
        given: as of `identity_sql`.
    """
    return all(
        is_plain_identity(_members(sql, data_type))
        if isinstance(data_type, Struct)
        else data_type in (*_WRITTEN, STRING, BYTES)
        and (_PLACE.search(sql) is None or sql in given)
        and not sql.endswith(f"{quoted(UNION_INPUT)}")
        for sql, data_type in parts
    )


def _joined(parts: list[tuple[str, DataType]], ranked: bool, given: frozenset[str] = frozenset()) -> str:
    """Spark SQL of the parts separated by commas, without brackets."""
    absent = {sql for sql, _ in parts if _PLACE.search(sql) is not None} - given
    if absent:
        # concat_ws skips nulls: wanted for an absent index, but any other null must become the text null.
        texts = [(sql, _part(sql, data_type, ranked)) for sql, data_type in parts]
        kept = [
            f"if({sql} IS NULL, NULL, {text})" if sql in absent else f"coalesce({text}, 'null')"
            for sql, text in texts
        ]
        return f"concat_ws(',', {', '.join(kept)})"
    written = ", ',', ".join(f"coalesce({_part(sql, data_type, ranked)}, 'null')" for sql, data_type in parts)
    return f"concat({written})" if len(parts) > 1 else written


def _members(sql: str, struct: Struct) -> list[tuple[str, DataType]]:
    return [(f"{sql}.{quoted(member.name)}", member.type) for member in struct.members]


def _of_union(sql: str, struct: Struct, ranked: bool) -> str:
    """Spark SQL of the input's name and the parts of the row's identity in that input, without brackets."""
    (name, name_type), *inputs = _members(sql, struct)
    choices = ", ".join(
        f"if({part} IS NULL, NULL, {_joined(_members(part, t), ranked)})"
        for part, t in inputs
        if isinstance(t, Struct)
    )
    return f"concat({_part(name, name_type, ranked)}, ',', coalesce({choices}))"


def _of_struct(sql: str, struct: Struct, ranked: bool) -> str:
    """Spark SQL of an identity inside an identity: after a union that of the input, after a join that of one
    side.
    """
    if struct.members[0].name == UNION_INPUT:
        return _of_union(sql, struct, ranked)
    return f"if({sql} IS NULL, NULL, {identity_sql(_members(sql, struct), ranked=ranked)})"


def _of_text(sql: str) -> str:
    if _NAME.search(sql):
        # Names of sources and steps need no escapes: `jobs.base.names` allows no such characters.
        return _QUOTED.format(sql)
    # Spark escapes exactly the required characters when it writes an array, whose brackets are removed again.
    array = f"to_json(array({sql}))"
    return f"substr({array}, 2, char_length({array}) - 2)"


def _part(sql: str, data_type: DataType, ranked: bool) -> str:
    if data_type in _WRITTEN:
        return _WRITTEN[data_type].format(sql)
    if isinstance(data_type, Struct):
        return _of_struct(sql, data_type, ranked)
    if isinstance(data_type, Decimal):
        return (_LITERAL if ranked else _QUOTED).format(sql)
    if data_type == STRING:
        return _of_text(sql)
    if data_type == BYTES:
        return f"concat('\"', {'hex' if ranked else 'base64'}({sql}), '\"')"
    raise IdentityTypeError(f"{type_text(data_type)} cannot be part of an identity")
