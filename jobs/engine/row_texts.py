"""Rows as texts and back, for steps whose state is kept in Python: workers carry the texts and never look inside.

JSON, since it keeps every type that a row can have: pandas would turn a nullable long into a double.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, StructType

from jobs.engine.columns import column, quoted
from jobs.operators.identity_sql import INSTANT_PATTERN

_FORMATS: Final = {"timestampFormat": INSTANT_PATTERN, "dateFormat": "yyyy-MM-dd"}


def text_of_row(columns: list[str]) -> Column:
    """One text for these columns."""
    return text_of(F.struct(*(F.col(quoted(name)) for name in columns)))


def text_of(struct: Column) -> Column:
    """One text for a struct."""
    return F.to_json(struct, {**_FORMATS, "ignoreNullFields": "false"})


def rows_of_texts(schema: StructType, texts: str) -> Column:
    """The array of rows behind a column that is an array of such texts; they are parsed at once."""
    return F.from_json(column(f"concat('[', array_join({quoted(texts)}, ','), ']')"), ArrayType(schema), _FORMATS)


def row_of_text(schema: StructType, text: str) -> Column:
    """The row behind a column of such texts."""
    return F.from_json(F.col(quoted(text)), schema, _FORMATS)
