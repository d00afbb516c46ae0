"""A plain text as a declared type, as Spark SQL: `jobs.formats.text_values` in scripts, as near as plain
PySpark comes to it.
"""

from typing import Final

from jobs.base.types import BOOLEAN, BYTES, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, DataType, Decimal
from jobs.expressions.spark_types import schema_sql
from jobs.expressions.texts_sql import string_sql
from jobs.formats.json_values import BASE64_TEXT
from jobs.formats.json_wire import iso_date, iso_timestamp
from jobs.formats.text_values import DOUBLE_TEXT, WHOLE_TEXT

_WORDS: Final = "('NaN', 'Infinity', '-Infinity')"


def text_value_sql(text: str, data_type: DataType) -> str:
    """The value of a text; null where it is not of that type (and for null)."""
    if data_type == STRING:
        return text
    if data_type == BOOLEAN:
        return f"CASE lower({text}) WHEN 'true' THEN true WHEN 'false' THEN false END"
    if data_type == TIMESTAMP:
        return iso_timestamp(text)
    if data_type == DATE:
        return iso_date(text)
    if data_type == BYTES:
        return f"if({text} RLIKE {_whole(BASE64_TEXT)}, try_to_binary({text}, 'base64'), NULL)"
    if data_type in (INT, LONG):
        return _cast(text, data_type, f"{text} RLIKE {_whole(WHOLE_TEXT)}")
    if data_type == DOUBLE:
        return _cast(text, data_type, f"({text} IN {_WORDS} OR {text} RLIKE {_whole(DOUBLE_TEXT)})")
    if isinstance(data_type, Decimal):
        return _cast(text, data_type, f"{text} RLIKE {_whole(DOUBLE_TEXT)}")
    raise TypeError(f"{data_type} is not read from a text")


def variant_value_sql(variant: str, data_type: DataType) -> str:
    """The value of a JSON value as a key type; null where it is of another."""
    text = f"try_variant_get({variant}, '$', 'string')"
    kind = f"schema_of_variant({variant})"
    if data_type == BOOLEAN:
        return f"if({kind} = 'BOOLEAN', try_variant_get({variant}, '$', 'boolean'), NULL)"
    if data_type in (INT, LONG):
        return f"if({kind} = 'BIGINT', try_cast({text} AS {schema_sql(data_type)}), NULL)"
    kinds = f"{kind} = 'STRING'"
    if isinstance(data_type, Decimal):
        kinds = f"({kind} IN ('STRING', 'BIGINT', 'DOUBLE') OR {kind} LIKE 'DECIMAL%')"
    return f"if({kinds}, {text_value_sql(text, data_type)}, NULL)"


def _whole(pattern: str) -> str:
    return string_sql(rf"^(?:{pattern})\z")


def _cast(text: str, data_type: DataType, condition: str) -> str:
    return f"if({condition}, try_cast({text} AS {schema_sql(data_type)}), NULL)"
