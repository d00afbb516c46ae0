"""Converts rows to JSON and back, for stateful processors in Python, which never parse the JSON.

JSON preserves all types that a row can have; pandas would turn a nullable long into a double.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, StructType

from jobs.engine.columns import column, quoted
from jobs.operators.identity_sql import INSTANT_PATTERN

_FORMATS: Final = {"timestampFormat": INSTANT_PATTERN, "dateFormat": "yyyy-MM-dd"}


def json_of_row(columns: list[str]) -> Column:
    """These columns as one JSON object."""
    return json_of(F.struct(*(F.col(quoted(name)) for name in columns)))


def json_of(struct: Column) -> Column:
    """A struct as a JSON object."""
    return F.to_json(struct, {**_FORMATS, "ignoreNullFields": "false"})


def rows_from_json(schema: StructType, texts: str) -> Column:
    """The rows of a column with an array of such JSON objects, parsed in one call."""
    return F.from_json(
        column(f"concat('[', array_join({quoted(texts)}, ','), ']')"), ArrayType(schema), _FORMATS
    )


def row_from_json(schema: StructType, text: str) -> Column:
    """The row of a column with such a JSON object."""
    return F.from_json(F.col(quoted(text)), schema, _FORMATS)
