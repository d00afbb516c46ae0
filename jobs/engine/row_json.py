"""Converts rows to JSON and back, for the exchange. JSON preserves all types that a row can have."""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from jobs.engine.columns import quoted
from jobs.expressions.texts_sql import INSTANT_PATTERN

_FORMATS: Final = {"timestampFormat": INSTANT_PATTERN, "dateFormat": "yyyy-MM-dd"}


def json_of(struct: Column) -> Column:
    """A struct as a JSON object."""
    return F.to_json(struct, {**_FORMATS, "ignoreNullFields": "false"})


def row_from_json(schema: StructType, text: str) -> Column:
    """The row of a column with such a JSON object."""
    return F.from_json(F.col(quoted(text)), schema, _FORMATS)
